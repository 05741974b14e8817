import { joinPath, type VirtualPath } from '../model/virtual-path.ts'
import type { BaseNode } from '../ports/base-tree.ts'
import type { FileTree } from '../ports/file-tree.ts'

export interface Walked {
  /** Starts with the path of the walked folder. */
  readonly path: VirtualPath
  /** Links are reported, not followed. */
  readonly node: BaseNode
}

export interface WalkOutcome {
  /** Folders come before their content. The folder itself is left out. */
  readonly entries: readonly Walked[]
  /** How many entries could not be read and are missing. */
  readonly unreadable: number
}

/** Everything below a folder of a tree. Links are reported, not followed. */
export async function walk(files: FileTree, folder: VirtualPath, signal?: AbortSignal): Promise<WalkOutcome> {
  const entries: Walked[] = []
  const waiting = [folder]
  let unreadable = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    signal?.throwIfAborted()
    const listing = await files.list(next)
    unreadable += listing?.unreadable ?? 0
    for (const { name, node } of listing?.entries ?? []) {
      const path = joinPath(next, name)
      entries.push({ path, node })
      if (node.kind === 'directory') waiting.push(path)
    }
  }
  return { entries, unreadable }
}

/** The new path of `path` below `from` when `from` is moved to `to`. */
export function rebase(path: VirtualPath, from: VirtualPath, to: VirtualPath): VirtualPath {
  return path === from ? to : joinPath(to, path.slice(from.length + 1))
}
