import type { LeftOut, PatchFile, PatchSide } from '#overlay'
import type { DeliveryFile } from '#shared/model/delivery.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { StoredPatch } from '../branches/stored-patch.ts'
import type { CommittedFile, DeliveryGround, FileVersion, OpenDelivery } from '../ports/git-delivery.ts'
import type { Uncommitted } from '../ports/git-storage.ts'
import type { Hashing } from '../ports/hashing.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { identityOf, joinFiles } from './join-files.ts'

/** What a person decides about files that a delivery cannot decide. */
export interface DeliveryChoices {
  /** Whether what is only in the person's folder goes along, where agents built on it. */
  readonly uncommitted: 'include' | 'leave'
  /** Files that both sides changed: the thread's version, or that of the branch delivered to. */
  readonly keep: ReadonlyMap<VirtualPath, 'ours' | 'theirs'>
}

export interface FilePlan {
  readonly files: readonly DeliveryFile[]
  /** What the branch gets, by path from the top of the repository. */
  readonly delivered: ReadonlyMap<string, FileVersion | null>
  /** What the commit below has at these paths. */
  readonly committed: ReadonlyMap<string, CommittedFile>
  /** The old path of each file that moved, by its new one. */
  readonly moved: ReadonlyMap<string, string>
  readonly leftOut: readonly LeftOut[]
}

/** The changes of one repository, as git stores them. */
export interface StoredChanges extends Pick<StoredPatch, 'files' | 'leftOut' | 'prefix' | 'uncommitted'> {
  /** Its folder. */
  readonly repository: VirtualPath
}

export interface PlanSources {
  readonly delivery: Pick<OpenDelivery, 'filesAt' | 'filesInTheWay' | 'contentsOf'>
  readonly hashing: Hashing
  readonly textMerge: TextMerge
}

/**
 * Puts the changes of a tree on top of a commit. A change was made to the file as the person has it. Where the commit has another
 * version of that file, both are joined as in a merge, so that nothing goes along that nobody asked for.
 */
export async function planFiles(
  sources: PlanSources,
  ground: DeliveryGround,
  stored: StoredChanges,
  choices: DeliveryChoices,
): Promise<FilePlan> {
  const wanted = stored.files.map((file) => changeOf(sources, ground, file))
  const committed = await sources.delivery.filesAt(ground.base, [
    ...new Set(wanted.flatMap(({ path, source }) => [path, source])),
  ])
  const at = (path: string) => committed.get(path) ?? null
  const changes = wanted.flatMap((change) => (at(change.path) === null ? [change] : inHalves(change)))
  const isApart = ({ source, before }: Change) => identityOf(at(source)) !== identityOf(before)
  const contents = await sources.delivery.contentsOf(
    changes.filter(isApart).flatMap(({ source }) => at(source)?.id ?? []),
  )
  const delivered = new Map<string, FileVersion | null>()
  const files: DeliveryFile[] = []
  const add = (name: string, { state, why, result }: Planned, uncommitted: Uncommitted | null): void => {
    if (result !== undefined && identityOf(result) === identityOf(at(name))) return
    if (result !== undefined) delivered.set(name, result)
    const kind = result === null ? 'delete' : at(name) === null ? 'create' : 'modify'
    files.push({ path: pathIn(stored, name), kind, state, uncommitted, why })
  }
  for (const change of changes) {
    const { path, source } = change
    const there = at(source)
    const uncommitted = isApart(change) ? (stored.uncommitted?.get(source) ?? null) : null
    const theirs = there && { ...there, bytes: contents.get(there.id) }
    const planned = isApart(change)
      ? await meet(sources, ground, { change, path: pathIn(stored, path), theirs, uncommitted, choices })
      : takeWhole(change)
    if (source !== path) add(source, { state: 'ready', why: null, result: null }, null)
    add(path, planned, uncommitted)
  }
  const moved = new Map(wanted.flatMap(({ path, source }) => (source === path ? [] : [[path, source]])))
  return { files, delivered, committed, moved, leftOut: stored.leftOut }
}

function pathIn({ repository, prefix }: StoredChanges, path: string): VirtualPath {
  return joinPath(repository, path.slice(prefix.length))
}

/** A change of one path, by paths from the top of the repository. The content before comes from `source`: a file may move. */
interface Change {
  readonly path: string
  readonly source: string
  readonly before: FileVersion | null
  readonly after: FileVersion | null
}

function changeOf(sources: PlanSources, ground: DeliveryGround, file: PatchFile): Change {
  const { path, before, after, renamedFrom = path } = file
  return {
    path,
    source: renamedFrom,
    before: versionOf(sources, ground, before),
    after: versionOf(sources, ground, after),
  }
}

/** A file that moved to where the commit has another one meets that one, as a new file does. */
function inHalves(change: Change): readonly Change[] {
  const { path, source } = change
  if (path === source) return [change]
  return [
    { ...change, path: source, after: null },
    { ...change, source: path, before: null },
  ]
}

function versionOf({ hashing }: PlanSources, { objectFormat }: DeliveryGround, side: PatchSide | null) {
  if (side === null) return null
  const { mode, bytes, largeId } = side
  return largeId === undefined ? { mode, id: hashing.gitObjectId(bytes, objectFormat), bytes } : { mode, id: largeId }
}

interface Planned {
  readonly state: DeliveryFile['state']
  readonly why: string | null
  /** Undefined for what the branch keeps as it is. */
  readonly result: FileVersion | null | undefined
}

/** Nobody reads a large file into memory, so the repository must have its content already. */
function takeWhole({ before, after }: Change): Planned {
  if (after === null || after.bytes !== undefined || after.id === before?.id)
    return { state: 'ready', why: null, result: after }
  return { state: 'left', why: 'It is too large to be delivered. "coppice apply" writes it.', result: undefined }
}

interface Meeting {
  readonly change: Change
  readonly path: VirtualPath
  /** What the commit has at the old path. */
  readonly theirs: FileVersion | null
  readonly uncommitted: Uncommitted | null
  readonly choices: DeliveryChoices
}

/** The commit has something else than the change was made to. */
async function meet(
  { hashing, textMerge }: PlanSources,
  { objectFormat }: DeliveryGround,
  { change, path, theirs, uncommitted, choices }: Meeting,
): Promise<Planned> {
  const { before, after } = change
  const kept = choices.keep.get(path)
  if (kept === 'ours') return { ...takeWhole(change), why: 'The thread’s version.' }
  if (kept === 'theirs') return { state: 'left', why: 'The branch keeps its version.', result: undefined }
  if (uncommitted !== null && choices.uncommitted === 'include')
    return { ...takeWhole(change), why: `It goes along with what you have not committed (${uncommitted}).` }
  if (theirs === null && after !== null && uncommitted !== null)
    return { state: 'left', why: 'It changes a file of yours that is in no commit.', result: undefined }
  const idOf = (bytes: Uint8Array) => hashing.gitObjectId(bytes, objectFormat)
  const joined = await joinFiles(textMerge, { base: before, ours: after, theirs }, idOf)
  if (joined === undefined) return { state: 'conflict', why: whyNot(theirs, uncommitted), result: undefined }
  if (identityOf(joined) === identityOf(after)) return { state: 'ready', why: null, result: joined }
  const why =
    uncommitted === null ? 'Joined with what the branch has.' : 'Without the lines of yours that are in no commit.'
  return { state: 'joined', why, result: joined }
}

function whyNot(theirs: FileVersion | null, uncommitted: Uncommitted | null): string {
  if (theirs === null) return 'The branch does not have the file that was changed.'
  return uncommitted === null
    ? 'The branch has other changes at the same place.'
    : 'The change stands on lines of yours that are in no commit, and cannot be delivered without them.'
}
