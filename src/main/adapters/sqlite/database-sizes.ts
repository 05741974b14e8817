import type { Database } from 'better-sqlite3'
import { translated } from './database-errors.ts'

/** Bytes of a project's database. */
export interface DatabaseSizes {
  readonly total: number
  /** What was removed: used again before the file grows. */
  readonly free: number
}

export function sizesOf(database: Database): DatabaseSizes {
  return translated(() => {
    const pageSize = pragma(database, 'page_size')
    return { total: pragma(database, 'page_count') * pageSize, free: pragma(database, 'freelist_count') * pageSize }
  })
}

export function shrink(database: Database, bytes: number): boolean {
  return translated(() => {
    const before = pragma(database, 'freelist_count')
    if (before === 0) return false
    database.exec(`PRAGMA incremental_vacuum(${Math.max(1, Math.floor(bytes / pragma(database, 'page_size')))})`)
    return pragma(database, 'freelist_count') < before
  })
}

function pragma(database: Database, name: string): number {
  return Number(database.pragma(name, { simple: true }))
}
