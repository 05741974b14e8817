import type { BaseNode } from '#core/ports/base-tree.ts'
import type { FileTree } from '#core/ports/file-tree.ts'
import { walk } from '#overlay'
import { rootPath } from '#shared/model/virtual-path.ts'
import { rootMark } from './overlay-operations.testkit.ts'

/** Everything visible in a tree: path → a description, folders before their entries. */
export type Snapshot = ReadonlyMap<string, string>
/** Describes the node at a path. The text does not depend on the folder that holds the tree. */
export function words(node: BaseNode, content: Uint8Array, place: string): string {
  switch (node.kind) {
    case 'file':
      return `${node.executable ? 'run' : 'file'} ${node.size} ${Buffer.from(content).toString('latin1')}`
    case 'symlink':
      return `-> ${markRoot(node.target, place)}`
    default:
      return node.kind
  }
}

export function markRoot(target: string, place: string): string {
  return target.startsWith(place) ? rootMark + target.slice(place.length) : target
}

/** Lists everything, and looks at each path twice: in the list of its folder, and alone. */
export async function snapshotOf(tree: FileTree, place: string): Promise<Snapshot> {
  const { entries, unreadable } = await walk(tree, rootPath)
  const seen = new Map<string, string>([['unreadable', String(unreadable)]])
  for (const { path, node } of entries) {
    const content = node.kind === 'file' ? await tree.read(path, { offset: 0, length: node.size }) : new Uint8Array()
    const alone = await tree.stat(path)
    const described = words(node, content, place)
    seen.set(path, alone && words(alone, content, place) === described ? described : `listed as ${described} only`)
  }
  return sorted(seen)
}

/** What a plain comparison of two snapshots finds among files and links. */
export function plainDiff(before: Snapshot, after: Snapshot): ReadonlyMap<string, string> {
  const leaf = (words: string | undefined) => (words === undefined || words === 'directory' ? 'nothing' : words)
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort()
  return new Map(
    paths.flatMap((path) => {
      const [old, fresh] = [leaf(before.get(path)), leaf(after.get(path))]
      return old === fresh ? [] : [[path, `${old} => ${fresh}`] as const]
    }),
  )
}

export function sorted(seen: ReadonlyMap<string, string>): Snapshot {
  return new Map([...seen].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
