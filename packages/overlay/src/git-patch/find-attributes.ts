import { ancestorsOf, joinPath, nameOf, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import type { GitAttributes } from '../ports/git-attributes.ts'
import { type LeafChange, readUnread } from '../tree/changes.ts'
import { type Leaf, leafOf, readNode, resolveNode, type TreeSources } from '../tree/nodes.ts'
import type { Tree } from '../tree/tree.ts'

const fileName = '.gitattributes'

/** The `.gitattributes` of every folder above the carried files. Like git, it takes regular files only. */
export async function findAttributes(
  sources: TreeSources & { readonly tree: Tree },
  all: readonly LeafChange[],
  carried: readonly LeafChange[],
): Promise<GitAttributes> {
  const changed = new Map(all.filter(({ path }) => nameOf(path) === fileName).map((change) => [change.path, change]))
  const folders = new Set(carried.flatMap(({ path }) => [rootPath, ...ancestorsOf(path)]))
  const before = new Map<string, Uint8Array>()
  const after = new Map<string, Uint8Array>()
  const put = (side: Map<string, Uint8Array>, path: VirtualPath, leaf: Leaf | null) => {
    if (leaf?.kind === 'file' && !leaf.large) side.set(path.slice(1), readNode(sources.blobs, leaf))
  }
  for (const folder of folders) {
    const path = joinPath(folder, fileName)
    const change = changed.get(path)
    const read = change && (await readUnread(sources, change))
    const now = read ? read.after : leafOf(await resolveNode(sources, path).catch(() => null))
    put(before, path, read ? read.before : now)
    put(after, path, now)
  }
  return { before, after }
}
