import { rootPath } from '#shared/model/virtual-path.ts'
import { looksSecret } from '../approval/secret-text.ts'
import { exactText } from '../overlay/binary.ts'
import { FileTreeError } from '../ports/file-tree.ts'

/** Memory outlives threads and is read by every later one, so it holds text only, and nothing that looks like a secret. */
export function refuseAsMemory(bytes: Uint8Array): void {
  const text = exactText(bytes)
  if (text === undefined) throw new FileTreeError('refused', rootPath, 'Memory holds text files (UTF-8) only.')
  if (looksSecret(text)) {
    throw new FileTreeError(
      'refused',
      rootPath,
      'This text looks as if it held a secret (a key, token or password), which memory never stores. Leave the value out and describe where it is kept.',
    )
  }
}
