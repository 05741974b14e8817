import {
  ancestorsOf,
  createGitRules,
  createOverlayTree,
  entriesWithin,
  type FileTree,
  joinPath,
  noGit,
  rootPath,
  type Tree,
  type VirtualPath,
} from '#overlay'
import type { BaseNode, BaseTree } from '../ports/base-tree.ts'
import { maxReadBytes } from '../ports/base-tree.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { CheckoutContent } from '../ports/stores/checkout-folder.ts'

export interface BranchFileSources {
  readonly base: BaseTree
  readonly blobs: BlobStore
}

export interface BranchFiles {
  /** Files and links, by path, in no order. */
  readonly nodes: ReadonlyMap<VirtualPath, BaseNode>
  /** What a checkout cannot get, with the reason: "it is …". */
  readonly leftOut: readonly { readonly path: VirtualPath; readonly why: string }[]
}

/** Everything that a branch holds and git does not ignore. What the branch itself changed is never ignored. */
export async function listBranch(
  { base, blobs }: BranchFileSources,
  tree: Tree,
  signal?: AbortSignal,
): Promise<BranchFiles> {
  const files = createOverlayTree({ base, blobs, tree })
  const texts = new Map<string, string>()
  const rules = createGitRules((folder) => texts.get(folder), (await base.ignores?.()) ?? noGit)
  const own = new Set([...entriesWithin(tree, rootPath)].flatMap(([path, { node }]) => (node ? [path] : [])))
  const above = new Set([...own].flatMap(ancestorsOf))
  const nodes = new Map<VirtualPath, BaseNode>()
  const leftOut: BranchFiles['leftOut'][number][] = []
  const waiting: VirtualPath[] = [rootPath]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal?.throwIfAborted()
    const entries = (await files.list(folder))?.entries ?? []
    if (entries.some(({ name, node }) => name === '.gitignore' && node.kind === 'file'))
      texts.set(folder, await readRules(files, folder))
    for (const { name, node } of entries) {
      const path = joinPath(folder, name)
      const isDirectory = node.kind === 'directory'
      if (!own.has(path) && !(isDirectory && above.has(path)) && rules.isLeftOut(path, isDirectory)) continue
      if (isDirectory) waiting.push(path)
      else if (node.kind === 'special') leftOut.push({ path, why: 'no file, folder or link' })
      else if (node.kind === 'file' && node.size > maxReadBytes) leftOut.push({ path, why: 'larger than 256 MB' })
      else nodes.set(path, node)
    }
  }
  return { nodes, leftOut }
}

async function readRules(files: FileTree, folder: VirtualPath): Promise<string> {
  return new TextDecoder().decode(await files.read(joinPath(folder, '.gitignore'), { offset: 0, length: 1_000_000 }))
}

/** What a branch has at a path, as a checkout gets it. Null for nothing, a folder, and what no checkout can get. */
export async function contentAt(
  files: Pick<FileTree, 'stat' | 'read'>,
  path: VirtualPath,
  known?: BaseNode,
): Promise<CheckoutContent> {
  const node = known ?? (await files.stat(path))
  if (node?.kind === 'symlink') return { kind: 'symlink', target: node.target }
  if (node?.kind !== 'file' || node.size > maxReadBytes) return null
  return { kind: 'file', bytes: await files.read(path), executable: node.executable }
}
