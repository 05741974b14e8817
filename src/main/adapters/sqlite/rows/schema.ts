import type { Database } from 'better-sqlite3'
import type { EntryType } from '#shared/model/entry.ts'
import { fillFamilies } from './family-rows.ts'

/**
 * Types that somebody asks for by themselves, and of which even a long journal has few entries. An index of them finds
 * them at once, and most steps write nothing into it.
 */
export const rareTypes = [
  'thread.created',
  'thread.deleted',
  'thread.restored',
  'branch.discarded',
  'apply.started',
  'apply.finished',
  'apply.failed',
  'apply.undone',
  'rewound',
  'todos.written',
  'interrupt.raised',
  'process.started',
  'check.finished',
  'memory.written',
  'memory.deleted',
  'memory.recalled',
  'user_memory.written',
  'user_memory.deleted',
] as const satisfies readonly EntryType[]

/** Numbered migrations. The index is the version that each starts from. Never edit one that was shipped. */
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
   * A search index of messages and memories without their texts, which are in the entries. It stores no positions
   * (`detail=none`), so it needs a third of a full index. The migration also moves memory into the journal.
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
  // From here on, entry bodies may be compressed. An older version could not read them.
  'SELECT 1',
  // Which root thread each thread and branch belongs to, and where the next opening may begin. Filled by `fills`.
  `
  CREATE TABLE thread_roots (thread_id TEXT PRIMARY KEY, root_id TEXT NOT NULL, began INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX thread_roots_by_root ON thread_roots (root_id);
  CREATE INDEX thread_roots_in_order ON thread_roots (began) WHERE thread_id = root_id;
  CREATE TABLE branch_owners (branch_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX rare_entries ON entries (type, sequence) WHERE ${rareTypes.map((type) => `type = '${type}'`).join(' OR ')};
  CREATE TABLE folds (version TEXT NOT NULL, sequence INTEGER NOT NULL, digest TEXT NOT NULL, body BLOB NOT NULL);
  `,
  // Rows name their thread by a number, and the index of words says how far it goes.
  `
  CREATE TABLE threads (key INTEGER PRIMARY KEY, thread_id TEXT NOT NULL UNIQUE, root INTEGER, began INTEGER);
  INSERT INTO threads (thread_id) SELECT thread_id FROM entries GROUP BY thread_id ORDER BY min(sequence);
  INSERT OR IGNORE INTO threads (thread_id) SELECT thread_id FROM thread_roots ORDER BY began;
  INSERT OR IGNORE INTO threads (thread_id) SELECT root_id FROM thread_roots;
  INSERT OR IGNORE INTO threads (thread_id) SELECT thread_id FROM branch_owners;
  INSERT OR IGNORE INTO threads (thread_id) SELECT thread_id FROM scratch;
  UPDATE threads SET root = roots.key, began = thread_roots.began
    FROM thread_roots JOIN threads AS roots ON roots.thread_id = thread_roots.root_id
    WHERE thread_roots.thread_id = threads.thread_id;
  ALTER TABLE entries RENAME TO former_entries;
  CREATE TABLE entries (
    sequence INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL
  );
  INSERT INTO entries SELECT sequence, key, at, type, body
    FROM former_entries CROSS JOIN threads USING (thread_id) ORDER BY sequence;
  DROP TABLE former_entries;
  DROP TABLE thread_roots;
  CREATE INDEX entries_by_thread ON entries (thread);
  CREATE INDEX rare_entries ON entries (type, sequence) WHERE ${rareTypes.map((type) => `type = '${type}'`).join(' OR ')};
  CREATE INDEX threads_by_root ON threads (root);
  CREATE INDEX threads_in_order ON threads (began) WHERE key = root;
  ALTER TABLE branch_owners RENAME TO former_owners;
  CREATE TABLE branch_owners (branch_id TEXT PRIMARY KEY, thread INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO branch_owners SELECT branch_id, key FROM former_owners CROSS JOIN threads USING (thread_id);
  DROP TABLE former_owners;
  CREATE TABLE indexed_words (key INTEGER PRIMARY KEY, up_to INTEGER NOT NULL);
  INSERT INTO indexed_words SELECT 1, coalesce(max(sequence), 0) FROM entries;
  ALTER TABLE scratch RENAME TO former_scratch;
  CREATE TABLE scratch (
    thread INTEGER NOT NULL,
    name TEXT NOT NULL,
    modified INTEGER NOT NULL,
    size INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (thread, name)
  );
  INSERT INTO scratch SELECT key, name, modified, length(bytes), bytes
    FROM former_scratch CROSS JOIN threads USING (thread_id);
  DROP TABLE former_scratch;
  `,
]

/** What a migration leaves to code, because the bodies of entries may be compressed. By the index of the migration. */
export const fills: ReadonlyMap<number, (database: Database) => void> = new Map([[3, fillFamilies]])

/**
 * In bytes. A commit writes whole pages, so small pages make steps cheap, but rows of two kilobytes leave small pages
 * partly empty.
 *
 * Measured with `npm run bench -- store`: with 8 KB, a step costs as much as with 4 KB and two thirds of 16 KB, and the
 * file is as small as with 16 KB.
 */
export const pageSize = 8_192
/** "copp". Distinguishes this database from any other SQLite file. */
export const applicationId = 0x636f7070
