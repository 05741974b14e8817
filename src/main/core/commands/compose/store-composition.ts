import {
  type ComposedFile,
  type ComposedTree,
  type ComposeProblem,
  composedBases,
  composeTree,
  diffTrees,
  type Pace,
  type Patch,
} from '#overlay'
import { type Result, success } from '#shared/base/result.ts'
import type { Composition, MergeResult } from '#shared/model/branch.ts'
import type { FileChoice } from '#shared/model/compose/composition.ts'
import type { EntryOf } from '#shared/model/entry.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type CommandError, type CommandProject, type Decided, refuse, write } from '../command.ts'
import {
  type CompositionRequest,
  type FoundComposition,
  fileFingerprint,
  findComposition,
  readComposition,
} from './composition.ts'

/** What a person chose of a file that they saw. */
export interface ChosenFile {
  readonly path: VirtualPath
  /** Of the file as it was shown. */
  readonly fingerprint: string
  readonly choice: FileChoice
}

/** A composition that may be stored, and its tree. */
export interface PlannedComposition extends ComposedTree {
  readonly found: FoundComposition
  /** What was chosen, each with its file. */
  readonly chosen: readonly { readonly file: ComposedFile; readonly choice: FileChoice }[]
}

/** The tree of what was chosen, over the branch that gets it. Files without a choice stay as they are there. */
export async function planComposition(
  project: CommandProject,
  request: CompositionRequest & { readonly files: readonly ChosenFile[] },
  pace: Pace,
): Promise<Result<PlannedComposition, CommandError>> {
  const found = findComposition(project, request)
  if (!found.ok) return found
  const { sources, fork, onto } = found.value
  const all = await readComposition(project, found.value, pace)
  const chosen: { readonly file: ComposedFile; readonly choice: FileChoice }[] = []
  for (const { path, fingerprint, choice } of request.files) {
    const file = all.find((one) => one.path === path)
    if (!file || fileFingerprint(project, file) !== fingerprint)
      return refuse(
        'conflict',
        `${path} changed on one of the branches since it was shown. Look at it and choose again.`,
      )
    chosen.push({ file, choice })
  }
  const { base, blobs, hashing } = project
  const trees = { fork, sources: sources.map(({ tree }) => tree) }
  const made = await composeTree({ base, blobs, hashing, ...trees, onto, choices: chosen })
  if (!made.ok) return refuseProblem(made.error)
  return success({ ...made.value, found: found.value, chosen })
}

function refuseProblem({ path, problem }: ComposeProblem): Result<never, CommandError> {
  switch (problem) {
    case 'overlap':
      return refuse(
        'invalid',
        `Changes of ${path} that you chose together overlap. Choose one of them, or write it yourself.`,
      )
    case 'missing':
      return refuse('invalid', `${path} has no such version or hunk.`)
    case 'blocked':
      return refuse(
        'conflict',
        `${path} has no room: a file or folder that stays is in its way. Choose another version of one of the two.`,
      )
    default:
      return refuse('refused', `${path} is not changed: ${problem.why}.`)
  }
}

/** Stores a composition as one entry, which names the source of every hunk. What was chosen from counts as merged. */
export async function storeComposition(
  project: CommandProject,
  request: CompositionRequest & { readonly files: readonly ChosenFile[] },
  pace: Pace,
): Promise<Decided<MergeResult>> {
  const planned = await planComposition(project, request, pace)
  if (!planned.ok) return planned
  const { tree, origins, found, chosen } = planned.value
  const { into, sources, onto, sequence: now } = found
  const patch = diffTrees(onto, tree)
  const merged = sources.flatMap(({ branch, tree: theirs }, source) => {
    if (branch.parentId !== into.id) return []
    const files = chosen.map(({ file }) => file)
    return [{ branchId: branch.id, bases: composedBases(theirs, source, files) }]
  })
  const [first = { branchId: sources[0]?.branch.id ?? into.id, bases: [] }, ...others] = latestOfEach(merged)
  const composed: Composition = {
    sources: sources.map(({ branch, sequence }) => ({ branchId: branch.id, sequence: sequence ?? now })),
    others,
    files: origins,
  }
  const result = resultOf(patch, chosen)
  const isEmpty = patch.length === 0 && [first, ...others].every(({ bases }) => bases.length === 0)
  const { threadId } = into
  const by = { forced: false, by: 'person' } as const
  const entry = { type: 'branch.merged', threadId, ...first, into: into.id, patch, result, ...by, composed } as const
  return write(isEmpty ? [] : [entry], movedOn, result)
}

const movedOn = 'These files changed while they were composed. Look at them and store again.'

type Merged = Composition['others'][number]

/** A branch that is chosen from twice counts as merged with all that either has. */
function latestOfEach(merged: readonly Merged[]): readonly Merged[] {
  const ids = [...new Set(merged.map(({ branchId }) => branchId))]
  return ids.map((branchId) => {
    const bases = new Map(merged.filter((one) => one.branchId === branchId).flatMap((one) => one.bases))
    return { branchId, bases: [...bases] }
  })
}

function resultOf(patch: Patch, chosen: PlannedComposition['chosen']): EntryOf<'branch.merged'>['result'] {
  const isMixed = new Set(chosen.flatMap(({ file, choice }) => (choice.kind === 'whole' ? [] : [file.path])))
  const leaves = patch.filter(([, [before, after]]) => (after ?? before)?.node?.kind !== 'directory')
  const [gone, there] = [leaves.filter(isDeleted), leaves.filter((step) => !isDeleted(step))].map((steps) =>
    steps.map(([path]) => path),
  )
  const renamed = leaves.flatMap(([to, [before, after]]) =>
    after?.node && after.renamedFrom && before?.renamedFrom !== after.renamedFrom
      ? [{ from: after.renamedFrom, to }]
      : [],
  )
  return {
    written: (there ?? []).filter((path) => !isMixed.has(path)),
    merged: (there ?? []).filter((path) => isMixed.has(path)),
    ...{ deleted: gone ?? [], renamed, conflicts: [], skipped: [] },
  }
}

function isDeleted([, [before, after]]: Patch[number]): boolean {
  return after ? after.node === null : before?.pin === null
}
