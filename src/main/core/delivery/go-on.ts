import type { DeliveryFile } from '#shared/model/delivery.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { CommittedFile, DeliveryGround, FileVersion } from '../ports/git-delivery.ts'
import { identityOf, joinFiles } from './join-files.ts'
import type { DeliveryChoices, FilePlan, PlanSources } from './plan-files.ts'

/** A work at two moments, planned on the same commit. */
export interface WorkSince {
  /** As it was delivered to the branch before. */
  readonly before: FilePlan
  readonly now: FilePlan
  /** Paths that stand on the branch as it is now, because an apply took what was delivered out of the workspace. */
  readonly again: FilePlan
  readonly applied: Pick<ReadonlySet<VirtualPath>, 'has'>
}

export interface GoOnOptions {
  /** The folder of the repository. */
  readonly repository: VirtualPath
  readonly choices: DeliveryChoices
}

/**
 * Puts more of a work on a branch that has an earlier part of it. What was delivered then is where both sides started: the work
 * went on in the thread, and others may have gone on in the branch.
 */
export async function goOn(
  sources: PlanSources,
  ground: DeliveryGround,
  work: WorkSince,
  { repository, choices }: GoOnOptions,
): Promise<FilePlan> {
  const { before, now, again, applied } = work
  const shownAs = (path: string) => joinPath(repository, path.slice(ground.prefix.length))
  const paths = [...new Set([...before.delivered.keys(), ...now.delivered.keys()])].filter(
    (path) => !applied.has(shownAs(path)),
  )
  const there = await sources.delivery.filesAt(ground.tip ?? ground.base, paths)
  // Where a plan has no change, the work has the file of the commit below.
  const below = new Map([...before.committed, ...now.committed])
  const ids = paths.flatMap((path) => [there, below].flatMap((files) => files.get(path)?.id ?? []))
  const contents = await sources.delivery.contentsOf([...new Set(ids)])
  const read = (file: CommittedFile | undefined) => (file ? { ...file, bytes: contents.get(file.id) } : null)
  const known = new Map(now.files.map((file) => [file.path, file]))
  const delivered = new Map<string, FileVersion | null>()
  const files: DeliveryFile[] = []
  for (const path of paths) {
    const theirs = read(there.get(path))
    const fileIn = ({ delivered: own }: FilePlan) => own.get(path) ?? (own.has(path) ? null : read(below.get(path)))
    const sides = { base: fileIn(before), ours: fileIn(now), theirs }
    const shown = shownAs(path)
    const result = await decide(sources, ground, sides, choices.keep.get(shown))
    if (result !== undefined && identityOf(result) === identityOf(theirs)) continue
    if (result !== undefined) delivered.set(path, result)
    const kind = result === null ? 'delete' : theirs === null ? 'create' : 'modify'
    files.push({ path: shown, kind, ...stateOf(result, sides.ours, known.get(shown)) })
  }
  const told = new Set(files.map(({ path }) => path))
  const open = now.files.filter(({ path, state }) => (state === 'conflict' || state === 'left') && !told.has(path))
  const fresh = again.files.filter(({ path }) => applied.has(path))
  const freshPaths = [...again.delivered].filter(([path]) => applied.has(shownAs(path)))
  return {
    files: [...files, ...open.filter(({ path }) => !applied.has(path)), ...fresh],
    delivered: new Map([...delivered, ...freshPaths]),
    committed: new Map([...again.committed, ...there]),
    moved: now.moved,
    leftOut: now.leftOut,
  }
}

async function decide(
  { hashing, textMerge }: PlanSources,
  { objectFormat }: DeliveryGround,
  sides: Parameters<typeof joinFiles>[1],
  kept: 'ours' | 'theirs' | undefined,
): Promise<FileVersion | null | undefined> {
  if (kept !== undefined) return sides[kept]
  return joinFiles(textMerge, sides, (bytes) => hashing.gitObjectId(bytes, objectFormat))
}

function stateOf(
  result: FileVersion | null | undefined,
  ours: FileVersion | null,
  known: DeliveryFile | undefined,
): Pick<DeliveryFile, 'state' | 'why' | 'uncommitted'> {
  const uncommitted = known?.uncommitted ?? null
  if (result === undefined)
    return { state: 'conflict', why: 'The branch has other changes at the same place.', uncommitted }
  if (identityOf(result) !== identityOf(ours))
    return { state: 'joined', why: 'Joined with what the branch has.', uncommitted }
  return { state: known?.state ?? 'ready', why: known?.why ?? null, uncommitted }
}
