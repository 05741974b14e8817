import { closeSync, openSync, readSync } from 'node:fs'
import { JournalError } from '#core/ports/journal.ts'

/** Opens a database. Tries again if it looks damaged, and returns null if it does so twice. Throws any other error. */
export function openTwice<Value>(open: () => Value): Value | null {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      return open()
    } catch (error) {
      if (!(error instanceof JournalError) || error.code !== 'damaged') throw error
    }
  }
  return null
}

const pieceBytes = 4 * 1024 * 1024

/**
 * Reads the whole file. SQLite calls a database damaged too when the disk fails to read it. Throws `JournalError`
 * `failing`.
 */
export function requireReadable(file: string): void {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const piece = Buffer.alloc(pieceBytes)
      while (readSync(descriptor, piece) > 0);
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new JournalError(
      'failing',
      `The disk of the data folder answers with errors. Nothing was changed; check the disk.${code}`,
    )
  }
}
