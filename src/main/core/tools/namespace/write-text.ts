import { rewriteText } from '#overlay'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { maxReadBytes } from '../../ports/base-tree.ts'
import { FileTreeError, type WritableTree } from '../../ports/file-tree.ts'

export interface WrittenText {
  readonly done: 'created' | 'replaced'
  /** What the file holds now. */
  readonly bytes: Uint8Array
  /** True when that is not the text as given in UTF-8, because the file keeps its form. */
  readonly isFitted: boolean
}

/**
 * Writes a whole text. A file that is there keeps its encoding, byte-order mark and line ends. Throws a `FileTreeError`
 * `refused` when the text does not fit into them.
 */
export async function writeText(tree: WritableTree, path: VirtualPath, text: string): Promise<WrittenText> {
  const given = new TextEncoder().encode(text)
  const fitted = rewriteText(await readBefore(tree, path), text)
  if (!fitted.ok)
    throw new FileTreeError('refused', path, `${path} is not changed: ${fitted.error}. Delete it first to write UTF-8.`)
  const bytes = fitted.value
  const isFitted = bytes.length !== given.length || bytes.some((byte, at) => byte !== given[at])
  return { done: await tree.write(path, bytes), bytes, isFitted }
}

/** Empty when there is no file, or one that is too large to be read. */
async function readBefore(tree: WritableTree, path: VirtualPath): Promise<Uint8Array> {
  const node = await tree.stat(path)
  if (!node || (node.kind === 'file' ? node.size > maxReadBytes : node.kind !== 'symlink')) return new Uint8Array()
  try {
    return await tree.read(path)
  } catch (error) {
    // A link may lead to nothing yet; the write says so if it leads outside.
    if (error instanceof FileTreeError && error.code === 'not_found') return new Uint8Array()
    throw error
  }
}
