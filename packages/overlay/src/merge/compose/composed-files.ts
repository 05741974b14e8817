import { sameNode } from '../../model/patch.ts'
import { isLarge, type OverlayEntry, samePermissions } from '../../model/tree-node.ts'
import { rootPath, type VirtualPath } from '../../model/virtual-path.ts'
import type { Pace } from '../../ports/pace.ts'
import type { TextMerge } from '../../ports/text-merge.ts'
import { exactText } from '../../tree/binary.ts'
import { leafChanges, versionIn } from '../../tree/changes.ts'
import { baseNode, type Leaf, leafOf, readNode, type TreeSources } from '../../tree/nodes.ts'
import { entryAt, hidesBase, type Tree } from '../../tree/tree.ts'
import { type ComposeSegment, composeSegments, type SourceText } from './segments.ts'

/** Trees that are composed into one. */
export interface ComposeTrees {
  /** What all of them began with. */
  readonly fork: Tree
  /** The trees to choose from. Their positions name them. */
  readonly sources: readonly Tree[]
}

export interface ComposeSources extends TreeSources, ComposeTrees {
  /** Finds the hunks. */
  readonly textMerge: Pick<TextMerge, 'hunks'>
  /** What a source has merged of a path before: when it has the same still, it did not change it. Undefined for nothing. */
  readonly settled?: (source: number, path: VirtualPath) => OverlayEntry | null | undefined
  /** Awaited between files. */
  readonly pace: Pace
}

/** Bytes of a text that is compared line by line. */
const mostBytes = 4 * 1024 * 1024

/** Why the version of a source can be chosen only as a whole. */
export type WholeReason = 'binary' | 'deleted' | 'large' | 'link' | 'mode' | 'rename'

/** What one source has of a file. */
export interface SourceVersion {
  /** Position in the list of sources. */
  readonly source: number
  /** One for each path of the file. Null where the source has no file. */
  readonly nodes: readonly (Leaf | null)[]
  /** Null when its hunks can be chosen one by one. */
  readonly whole: WholeReason | null
}

/** A file that at least one source changed: one path, or all that renames join. */
export interface ComposedFile {
  /** Where it is shown: the new path of a rename. */
  readonly path: VirtualPath
  /** All its paths, sorted. */
  readonly paths: readonly VirtualPath[]
  /** What the fork has at each path. */
  readonly base: readonly (Leaf | null)[]
  /** Only of sources that changed it, in their order. */
  readonly versions: readonly SourceVersion[]
  /** Of the versions with hunks. Empty when there is none. */
  readonly segments: readonly ComposeSegment[]
}

/** Every file that a source changed, sorted by path. */
export async function composedFiles(sources: ComposeSources): Promise<readonly ComposedFile[]> {
  const files: ComposedFile[] = []
  for (const paths of await changedPaths(sources)) {
    const file = await readFile(sources, paths)
    if (file) files.push(file)
    await sources.pace()
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The changed paths of all sources. Those that a rename joins are one group. */
async function changedPaths({ base, fork, sources }: ComposeSources): Promise<Iterable<readonly VirtualPath[]>> {
  const groups = new Map<VirtualPath, Set<VirtualPath>>()
  const groupOf = (path: VirtualPath): Set<VirtualPath> => {
    const group = groups.get(path) ?? new Set([path])
    groups.set(path, group)
    return group
  }
  for (const tree of sources) {
    for (const { path, renamedFrom } of await leafChanges(base, fork, tree)) {
      const own = groupOf(path)
      if (renamedFrom === undefined) continue
      for (const other of groupOf(renamedFrom)) {
        own.add(other)
        groups.set(other, own)
      }
    }
  }
  return [...new Set(groups.values())].map((group) => [...group].sort())
}

async function readFile(sources: ComposeSources, paths: readonly VirtualPath[]): Promise<ComposedFile | null> {
  const rows = await Promise.all(paths.map((path) => readPath(sources, path)))
  const base = rows.map((row) => row.base)
  const changed = sources.sources.flatMap((_, source) => {
    const nodes = rows.map((row) => row.versions[source] ?? null)
    const isAsBefore = nodes.every((node, at) => {
      const settled = sources.settled?.(source, paths[at] ?? rootPath)
      return sameNode(node, base[at] ?? null) || (settled !== undefined && sameNode(node, settled?.node ?? null))
    })
    return isAsBefore ? [] : [{ source, nodes }]
  })
  if (changed.length === 0) return null
  const versions = judgeVersions(sources, base, changed)
  const path = paths.find((_, at) => base[at] === null && versions.some(({ nodes }) => nodes[at])) ?? paths[0]
  if (path === undefined) return null
  return { path, paths, base, versions, segments: await segmentsOf(sources, base, versions) }
}

/** One path in the fork and in each source. What a source pinned is what the fork had, whatever the folder has by now. */
async function readPath(sources: ComposeSources, path: VirtualPath) {
  const { fork } = sources
  const trees = [fork, ...sources.sources]
  const pin = trees.map((tree) => entryAt(tree, path)).find((entry) => entry !== null)?.pin
  const shows = trees.some((tree) => !entryAt(tree, path) && !hidesBase(tree, path))
  const shown = shows ? await baseNode(sources, path) : null
  const base = leafOf(versionIn(fork, path, pin === undefined ? shown : pin))
  return { base, versions: sources.sources.map((tree) => leafOf(versionIn(tree, path, shown))) }
}

type Changed = Pick<SourceVersion, 'source' | 'nodes'>

function judgeVersions(
  { blobs }: Pick<ComposeSources, 'blobs'>,
  base: readonly (Leaf | null)[],
  changed: readonly Changed[],
): readonly SourceVersion[] {
  const [old = null] = base
  if (base.length > 1) return changed.map((one) => ({ ...one, whole: 'rename' }))
  /** Of a file that is new, the first source that has it says which permissions the others must have. */
  const model = old ?? changed.map(({ nodes: [node] }) => node).find((node) => node?.kind === 'file') ?? null
  const isText = (node: Leaf | null) => exactText(readNode(blobs, node)) !== undefined
  const reasonFor = (node: Leaf | null): WholeReason | null => {
    if (node === null) return 'deleted'
    if (node.kind !== 'file' || model?.kind !== 'file') return 'link'
    if ([node, old].some((one) => isLarge(one) || (one?.kind === 'file' && one.size > mostBytes))) return 'large'
    if (!isText(node) || !isText(old)) return 'binary'
    return samePermissions(node, model) ? null : 'mode'
  }
  return changed.map((one) => ({ ...one, whole: reasonFor(one.nodes[0] ?? null) }))
}

async function segmentsOf(
  { blobs, textMerge }: ComposeSources,
  [base = null]: readonly (Leaf | null)[],
  versions: readonly SourceVersion[],
): Promise<readonly ComposeSegment[]> {
  const texts = versions.flatMap(({ source, nodes: [node = null], whole }): SourceText[] =>
    whole === null ? [{ source, text: exactText(readNode(blobs, node)) ?? '' }] : [],
  )
  if (texts.length === 0) return []
  // All that a version of a new file has is one change, even when that is nothing.
  if (base === null) return [{ kind: 'hunk', base: [], changes: texts.map((one) => ({ ...one, start: 0, end: 0 })) }]
  return composeSegments(exactText(readNode(blobs, base)) ?? '', texts, textMerge)
}
