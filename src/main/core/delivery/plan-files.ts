import { exactText, type LeftOut, type PatchFile, type PatchSide, sameBytes } from '#overlay'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { StoredPatch } from '../branches/stored-patch.ts'
import type { CommittedFile, DeliveredFile, DeliveryGround, GitDelivery } from '../ports/git-delivery.ts'
import type { Uncommitted } from '../ports/git-storage.ts'
import type { Hashing } from '../ports/hashing.ts'
import type { TextMerge } from '../ports/text-merge.ts'

/** What a person decides about files that a delivery cannot decide. */
export interface DeliveryChoices {
  /** Whether what is only in the person's folder goes along, where agents built on it. */
  readonly uncommitted: 'include' | 'leave'
  /** Files that both sides changed: the thread's version, or that of the branch delivered to. */
  readonly keep: ReadonlyMap<VirtualPath, 'ours' | 'theirs'>
}

/** A changed file, and what becomes of it. */
export interface PlannedFile {
  /** In the project. */
  readonly path: VirtualPath
  readonly kind: 'create' | 'modify' | 'delete'
  /**
   * `joined`: both sides changed it, in different places. `conflict`: in the same ones, so somebody must decide. `left`: it is
   * not delivered.
   */
  readonly state: 'ready' | 'joined' | 'conflict' | 'left'
  /** How the person's own file differs from the last commit, when the change stands on it. Null when it does not. */
  readonly uncommitted: Uncommitted | null
  /** A sentence for a person. Null when there is nothing to say. */
  readonly why: string | null
}

export interface FilePlan {
  readonly files: readonly PlannedFile[]
  /** What the branch gets, by path from the top of the repository. */
  readonly delivered: ReadonlyMap<string, DeliveredFile>
  /** What the commit below has at these paths. */
  readonly committed: ReadonlyMap<string, CommittedFile>
  readonly leftOut: readonly LeftOut[]
}

/** The changes of one repository, as git stores them. */
export interface StoredChanges extends Pick<StoredPatch, 'files' | 'leftOut' | 'prefix' | 'uncommitted'> {
  /** Its folder. */
  readonly repository: VirtualPath
}

export interface PlanSources {
  readonly delivery: GitDelivery
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
  const steps = stored.files.flatMap(partRename)
  const committed = await sources.delivery.filesAt(ground, ground.base, [
    ...new Set(steps.flatMap(({ path, source }) => [path, source])),
  ])
  const different = steps.filter((step) => !standsOn(sources, ground, step, committed.get(step.source)))
  const ids = different.flatMap(({ source }) => committed.get(source)?.id ?? [])
  const contents = await sources.delivery.contentsOf(ground, ids)
  const apart = new Set(different)
  const delivered = new Map<string, DeliveredFile>()
  const files: PlannedFile[] = []
  for (const step of steps) {
    const there = committed.get(step.path)
    const path = joinPath(stored.repository, step.path.slice(stored.prefix.length))
    const uncommitted = stored.uncommitted?.get(step.source) ?? null
    const meeting = { step, path, theirs: committed.get(step.source), contents, uncommitted, choices }
    const { state, why, result } = apart.has(step) ? await meet(sources, meeting) : takeWhole(step, committed)
    const isSame = result !== undefined && isAsCommitted(sources, ground, result, there)
    if (result !== undefined && !isSame) delivered.set(step.path, result)
    if (isSame && state !== 'conflict') continue
    const kind = step.after === null ? 'delete' : there === undefined ? 'create' : 'modify'
    files.push({ path, kind, state, uncommitted: apart.has(step) ? uncommitted : null, why })
  }
  return { files, delivered, committed, leftOut: stored.leftOut }
}

/** A change of one path. The content before may come from another one, where a file moved. */
interface FileStep {
  readonly path: string
  readonly source: string
  readonly before: PatchSide | null
  readonly after: PatchSide | null
}

function partRename({ path, before, after, renamedFrom }: PatchFile): readonly FileStep[] {
  if (renamedFrom === undefined) return [{ path, source: path, before, after }]
  return [
    { path: renamedFrom, source: renamedFrom, before, after: null },
    { path, source: renamedFrom, before, after },
  ]
}

/** Whether the commit has what the change was made to. */
function standsOn(
  { hashing }: PlanSources,
  { objectFormat }: DeliveryGround,
  { before }: FileStep,
  there: CommittedFile | undefined,
): boolean {
  if (before === null || there === undefined) return before === null && there === undefined
  return there.mode === before.mode && there.id === (before.largeId ?? hashing.gitObjectId(before.bytes, objectFormat))
}

interface Planned {
  readonly state: PlannedFile['state']
  readonly why: string | null
  /** Undefined for what the branch keeps as it is. */
  readonly result: DeliveredFile | undefined
}

function takeWhole({ source, after }: FileStep, committed: ReadonlyMap<string, CommittedFile>): Planned {
  if (after?.largeId === undefined) return { state: 'ready', why: null, result: after }
  const object = committed.get(source)
  // The repository must have the content already, because nobody reads a file of this size into memory.
  if (object?.id === after.largeId)
    return { state: 'ready', why: null, result: { mode: after.mode, id: after.largeId } }
  return { state: 'left', why: 'It is too large to be delivered. "coppice apply" writes it.', result: undefined }
}

interface Meeting {
  readonly step: FileStep
  readonly path: VirtualPath
  /** What the commit has. Undefined for no file. */
  readonly theirs: CommittedFile | undefined
  readonly contents: ReadonlyMap<string, Uint8Array>
  readonly uncommitted: Uncommitted | null
  readonly choices: DeliveryChoices
}

/** The commit has something else than the change was made to. */
async function meet(sources: PlanSources, meeting: Meeting): Promise<Planned> {
  const { step, path, theirs, uncommitted, choices } = meeting
  const { after } = step
  const whole: Planned =
    after?.largeId === undefined ? { state: 'ready', why: null, result: after } : takeWhole(step, new Map())
  const kept = choices.keep.get(path)
  if (kept === 'ours') return { ...whole, why: 'The thread’s version.' }
  if (kept === 'theirs') return { state: 'left', why: 'The branch keeps its version.', result: undefined }
  if (uncommitted !== null && choices.uncommitted === 'include')
    return { ...whole, why: `It goes along with what you have not committed (${uncommitted}).` }
  if (theirs === undefined) {
    if (after === null) return { state: 'ready', why: null, result: null }
    if (uncommitted !== null)
      return { state: 'left', why: 'It changes a file of yours that is in no commit.', result: undefined }
    return conflict('The branch does not have the file that was changed.')
  }
  const joined = await join(sources, meeting)
  if (joined === undefined) return conflict(whyNot(uncommitted))
  const why =
    uncommitted === null ? 'Joined with what the branch has.' : 'Without the lines of yours that are in no commit.'
  return { state: 'joined', why, result: joined }
}

function conflict(why: string): Planned {
  return { state: 'conflict', why, result: undefined }
}

function whyNot(uncommitted: Uncommitted | null): string {
  return uncommitted === null
    ? 'The branch has other changes at the same place.'
    : 'The change stands on lines of yours that are in no commit, and cannot be delivered without them.'
}

/** Undefined where both changed the same. */
async function join(
  { textMerge }: PlanSources,
  { step: { before, after }, theirs, contents }: Meeting,
): Promise<DeliveredFile | undefined> {
  const content = theirs && contents.get(theirs.id)
  if (!theirs || !content || !before || !after || after.largeId !== undefined || before.largeId !== undefined)
    return undefined
  const kinds = new Set([before.mode, after.mode, theirs.mode].map((mode) => mode.slice(0, 3)))
  if (kinds.size > 1) return undefined
  const mode = after.mode === before.mode ? theirs.mode : after.mode
  if (sameBytes(before.bytes, after.bytes)) return { mode, id: theirs.id }
  if (mode === '120000') return undefined
  const [base, ours, other] = [exactText(before.bytes), exactText(after.bytes), exactText(content)]
  if (base === undefined || ours === undefined || other === undefined) return undefined
  const merged = await textMerge.merge(base, ours, other)
  return merged === null ? undefined : { mode: mode as PatchSide['mode'], bytes: new TextEncoder().encode(merged.text) }
}

function isAsCommitted(
  sources: PlanSources,
  ground: DeliveryGround,
  result: DeliveredFile,
  there: CommittedFile | undefined,
): boolean {
  return identityOf(sources, ground, result) === identityOf(sources, ground, there ?? null)
}

/** Equal for the same file. */
export function identityOf(
  { hashing }: Pick<PlanSources, 'hashing'>,
  { objectFormat }: Pick<DeliveryGround, 'objectFormat'>,
  file: DeliveredFile,
): string {
  if (file === null) return ''
  return `${file.mode} ${'id' in file ? file.id : hashing.gitObjectId(file.bytes, objectFormat)}`
}
