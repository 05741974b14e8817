import { rootPath } from '#shared/model/virtual-path.ts'
import { looksSecret } from '../approval/secret-text.ts'
import { exactText } from '../overlay/binary.ts'
import { FileTreeError } from '../ports/file-tree.ts'

/** Bytes of one file. Memories are notes: all of them travel with the state of the project. */
export const maxMemoryBytes = 256 * 1024

/** Memory outlives threads and is read by every later one, so it holds text only, and nothing that looks like a secret. */
export function memoryProblem(bytes: Uint8Array): string | null {
  if (bytes.length > maxMemoryBytes) return `A memory holds at most ${maxMemoryBytes / 1024} KB. Keep notes short.`
  const text = exactText(bytes)
  if (text === undefined) return 'Memory holds text files (UTF-8) only.'
  return looksSecret(text)
    ? 'This text looks as if it held a secret (a key, token or password), which memory never stores. Leave the value out and describe where it is kept.'
    : null
}

export function refuseAsMemory(bytes: Uint8Array): void {
  const problem = memoryProblem(bytes)
  if (problem !== null) throw new FileTreeError('refused', rootPath, problem)
}
