import type { FileTree } from '#core/ports/file-tree.ts'
import { changedFile, emptyTree, readNode, type Tree } from '#overlay'
import type { FileVersion, FileVersions } from '#shared/contract/views/files.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { isLarge, type TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'

/** Larger files are only described. */
const maxSentBytes = 8 * 1024 * 1024

/** Both versions of a file that a branch changed. */
export async function fileVersions({ services }: Project, head: Tree, path: VirtualPath): Promise<FileVersions> {
  const found = await changedFile(services, emptyTree, head, path)
  if (!found) throw new WireError('NOT_FOUND', `${path} is not changed here.`)
  const versionOf = (node: TreeNode | null): FileVersion | null => {
    if (node?.kind !== 'file') return null
    const isSent = !isLarge(node) && node.size <= maxSentBytes
    return {
      size: node.size,
      hash: node.blob,
      base64: isSent ? Buffer.from(readNode(services.blobs, node)).toString('base64') : null,
    }
  }
  return { before: versionOf(found.before), after: versionOf(found.after) }
}

/** A file as it is in a view; null when nothing, or no file, is there. */
export async function fileBytes(
  { services }: Project,
  files: FileTree,
  path: VirtualPath,
): Promise<FileVersion | null> {
  const node = await files.stat(path)
  if (node?.kind !== 'file') return null
  if (node.size > maxSentBytes) return { size: node.size, hash: '', base64: null }
  const bytes = await files.read(path, { offset: 0, length: maxSentBytes })
  return { size: node.size, hash: services.hashing.hash(bytes), base64: Buffer.from(bytes).toString('base64') }
}
