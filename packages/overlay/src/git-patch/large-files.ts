import { isLarge } from '../model/tree-node.ts'
import { ancestorsOf, isWithin, type VirtualPath } from '../model/virtual-path.ts'
import type { LeafChange } from '../tree/changes.ts'
import type { LeftOut } from './patch-file.ts'

/** One part of a patch: a deletion, a rename or a new file. */
type LargeStep = Pick<LeafChange, 'path' | 'before' | 'after' | 'renamedFrom'>

export interface LargeFiles {
  /** The changes that no large file takes part in. A small file that was made of a large one is new. */
  readonly others: readonly LeafChange[]
  /** The changes in which one does. */
  readonly files: readonly LeafChange[]
  /** The same as parts of a patch, in the order that git accepts. */
  readonly steps: readonly LargeStep[]
  /** New large files whose content comes from nowhere. */
  readonly leftOut: readonly LeftOut[]
}

/**
 * Puts changes of large files into words that need no content: a deletion, which names the content, and a rename of
 * equal content. A file that replaces another becomes a deletion and a rename; small text that replaces a large file
 * becomes a deletion and a new file.
 */
export function planLargeFiles(changes: readonly LeafChange[]): LargeFiles {
  const ofRename = new Set(
    changes.flatMap(({ path, after, renamedFrom }) => (renamedFrom && isLarge(after) ? [path, renamedFrom] : [])),
  )
  const files = changes.filter(({ path, before, after }) => isLarge(before) || isLarge(after) || ofRename.has(path))
  if (files.length === 0) return { others: changes, files, steps: [], leftOut: [] }
  const taken = new Set(files)
  const paths = new Set(files.map(({ path }) => path))
  const others = changes
    .filter((change) => !taken.has(change))
    .map(({ renamedFrom, ...change }) =>
      renamedFrom === undefined || paths.has(renamedFrom) ? change : { ...change, renamedFrom },
    )
  const leaving = new Map<VirtualPath, LeafChange>()
  for (const change of files) if (isLarge(change.before) && !isSameContent(change)) leaving.set(change.path, change)
  const folders = new Set(changes.flatMap(({ path, after }) => (after ? ancestorsOf(path) : [])))
  const [deleted, renamed, created]: [LargeStep[], LargeStep[], LargeStep[]] = [[], [], []]
  const leftOut: LeftOut[] = []
  const arrived = new Set<VirtualPath>()
  const refused = new Set<VirtualPath>()
  for (const change of files) {
    const { path, before, after } = change
    if (!isLarge(after) || isSameContent(change)) continue
    const source = sourceOf(change, leaving, folders)
    if (source) {
      leaving.delete(source.path)
      arrived.add(path)
      renamed.push({ path, before: source.before, after, renamedFrom: source.path })
      if (before && !isLarge(before)) deleted.push({ path, before, after: null })
    } else {
      refused.add(path)
      leftOut.push({ path, why: 'It is too large to be in a patch, which has only the deletion of its old path.' })
    }
  }
  for (const change of files) {
    const { path, before, after } = change
    if (refused.has(path)) continue
    if (isLarge(before) && after?.kind === 'file' && after.blob === before.blob)
      renamed.push({ path, before, after: { ...before, executable: after.executable } })
    else if (leaving.has(path)) deleted.push({ path, before, after: null })
    if (after && !isLarge(after) && !arrived.has(path)) created.push({ path, before: null, after })
  }
  return {
    others,
    files: files.filter(({ path }) => !refused.has(path) || !leaving.has(path)),
    steps: [...deleted, ...renamed, ...created],
    leftOut,
  }
}

function isSameContent({ before, after }: LeafChange): boolean {
  return before?.kind === 'file' && after?.kind === 'file' && before.blob === after.blob
}

/**
 * A file that goes away and has the content that arrives, first the one that a rename names. Git cannot express a rename
 * between a path and a folder of the same name.
 */
function sourceOf(
  { path: to, after, renamedFrom }: LeafChange,
  leaving: ReadonlyMap<VirtualPath, LeafChange>,
  folders: ReadonlySet<VirtualPath>,
): LeafChange | undefined {
  const fits = ({ path, before }: LeafChange) =>
    before?.kind === 'file' &&
    after?.kind === 'file' &&
    before.blob === after.blob &&
    !folders.has(path) &&
    !isWithin(path, to)
  const named = renamedFrom === undefined ? undefined : leaving.get(renamedFrom)
  return named && fits(named) ? named : [...leaving.values()].find(fits)
}
