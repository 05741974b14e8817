/**
 * Numbered migrations: the index is the version they start from. A shipped one is never edited. Pages are 16 KB: with
 * rows of a few kilobytes the file is 1.1 times its content, where 4 KB pages make it twice.
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
]

export const pageSize = 16_384
/** "copp": tells this database from any other SQLite file. */
export const applicationId = 0x636f7070
