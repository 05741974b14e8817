/**
 * Numbered migrations: the index is the version they start from. A shipped one is never edited.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE entries (
    sequence INTEGER PRIMARY KEY,
    thread_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX entries_by_thread ON entries (thread_id, sequence);
  CREATE TABLE blobs (
    hash BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    compressed INTEGER NOT NULL,
    bytes BLOB NOT NULL
  );
  CREATE TABLE memories (
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    text TEXT,
    thread_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (name, version)
  );
  CREATE TABLE scratch (
    thread_id TEXT NOT NULL,
    name TEXT NOT NULL,
    modified INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (thread_id, name)
  );
  `,
  /**
   * Words of what was said and remembered, without the texts: these are in the entries. No positions are kept (`detail=none`), which
   * costs a third of a full index. Memory moves into the journal, where everything else is.
   */
  `
  CREATE VIRTUAL TABLE message_words USING fts5(
    text, content='', detail=none, columnsize=0, tokenize='unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE memory_words USING fts5(
    text, content='', detail=none, columnsize=0, tokenize='unicode61 remove_diacritics 2'
  );
  INSERT INTO entries (thread_id, at, type, body)
    SELECT thread_id, at, iif(text IS NULL, 'memory.deleted', 'memory.written'), iif(text IS NULL,
      json_object('name', name, 'agent', agent, 'callId', NULL),
      json_object('name', name, 'text', text, 'agent', agent, 'callId', NULL, 'restores', NULL))
    FROM memories ORDER BY at, name, version;
  DROP TABLE memories;
  INSERT INTO message_words (rowid, text)
    SELECT sequence, said FROM (
      SELECT sequence, (
        SELECT group_concat(json_extract(part.value, '$.text'), char(10))
        FROM json_each(body, '$.message.content') AS part WHERE json_extract(part.value, '$.type') = 'text'
      ) AS said
      FROM entries
      WHERE type = 'message' AND coalesce(json_extract(body, '$.message.origin'), '') <> 'notice'
    ) WHERE said <> '' ORDER BY sequence;
  INSERT INTO memory_words (rowid, text)
    SELECT sequence, json_extract(body, '$.name') || char(10) || json_extract(body, '$.text')
    FROM entries WHERE type = 'memory.written' ORDER BY sequence;
  `,
  // From here on bodies of entries may be compressed, which an older version could not read.
  'SELECT 1',
]

/**
 * Bytes. A commit writes whole pages, so small ones make steps cheap; rows of two kilobytes leave much of small ones empty. Measured
 * (`npm run bench -- store`): a step costs with 8 KB what it does with 4 KB and two thirds of what it does with 16 KB, the file is as
 * small as with 16 KB.
 */
export const pageSize = 8_192
/** "copp": tells this database from any other SQLite file. */
export const applicationId = 0x636f7070
