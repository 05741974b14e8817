import type { ThreadId } from '#shared/model/ids.ts'

export interface MemoryAuthor {
  readonly threadId: ThreadId
  readonly agent: string
}

export interface MemoryFile {
  /** Below `/memories/`, without that prefix: `notes/style.md`. */
  readonly name: string
  readonly text: string
  readonly version: number
  readonly author: MemoryAuthor
  readonly updatedAt: number
}

/** Long-term notes of one project as plain files for the model, with versions and provenance for people. */
export interface MemoryStore {
  list(): readonly MemoryFile[]
  read(name: string): MemoryFile | undefined
  write(name: string, text: string, author: MemoryAuthor): MemoryFile
  delete(name: string, author: MemoryAuthor): boolean
}
