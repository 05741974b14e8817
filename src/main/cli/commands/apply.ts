import { foldersOf } from '#host/changes/apply.ts'
import type { ApplyReceipt, ApplyTarget } from '#shared/contract/views/branches.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { plural } from '#shared/text/plural.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, placeFlags, UsageError } from '../arguments.ts'
import { type Decided, decideDrift, decidedLines, nextDecisions } from '../decide/decide-drift.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { answerAboutThread, pathsOf, type ThreadPlace } from '../thread-verb.ts'

/** `coppice apply`: writes a thread's changes to its folder, all or nothing. */
export function apply(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    const paths = pathsOf(line)
    const found = await planned(place, paths)
    requirePaths(paths, found)
    const files = decideDrift(line, found, goneIn(place))
    const isBlocked = files.some(({ state, keep }) => state !== 'ready' && keep === null)
    if (line.flag('dry-run') || isBlocked || files.length === 0) return planAnswer(line, place, files, isBlocked)
    const settled = await settle(place, files)
    const left = settled.length === 0 ? found : await planned(place, paths)
    const late = left.map((file) => ({ ...file, keep: null }))
    if (left.some(({ state }) => state !== 'ready')) return planAnswer(line, place, late, true)
    if (left.length === 0) return nothingLeft(place, settled)
    return receiptAnswer(line, place, await write(place, paths, left), settled)
  })
}

async function planned(
  { client, projectId, thread }: ThreadPlace,
  paths: readonly VirtualPath[] | null,
): Promise<readonly ApplyTarget[]> {
  const { branchId } = thread
  return (await client.changes.planApply({ projectId, branchId, paths: paths && [...paths] })).files
}

/** Stores in the thread what was decided. Returns the decided files. */
async function settle(
  { client, projectId, thread }: ThreadPlace,
  files: readonly Decided[],
): Promise<readonly Decided[]> {
  const settled = files.filter(({ keep }) => keep !== null)
  const choices = settled.flatMap(({ path, keep }) => (keep === null ? [] : [{ path, keep }]))
  if (choices.length > 0) await client.changes.settleDrift({ projectId, branchId: thread.branchId, choices })
  return settled
}

function write(
  { client, projectId, thread }: ThreadPlace,
  paths: readonly VirtualPath[] | null,
  files: readonly ApplyTarget[],
): Promise<ApplyReceipt> {
  const expected = files.map(({ path, identity }) => ({ path, identity }))
  const along = files.flatMap(({ companions = [] }) => companions.map(({ path, identity }) => ({ path, identity })))
  const chosen = paths && [...paths]
  return client.changes.apply({ projectId, branchId: thread.branchId, paths: chosen, expected, along })
}

/** Throws `UsageError` for a path of `--paths` below which nothing is changed. */
function requirePaths(paths: readonly VirtualPath[] | null, files: readonly ApplyTarget[]): void {
  const empty = paths?.find((one) => !files.some(({ path }) => isWithin(path, one)))
  if (empty !== undefined)
    throw new UsageError(
      `--paths: the thread changed nothing at ${empty}. "coppice diff THREAD --stat" lists its changes.`,
    )
}

function planAnswer(
  line: CommandLine,
  { project, thread }: ThreadPlace,
  files: readonly Decided[],
  isBlocked: boolean,
): VerbAnswer {
  const folder = project.info().path
  const head =
    files.length === 0
      ? lineOf('No changes: there is nothing to apply.', 'dim')
      : lineOf(
          `To ${foldersOf(
            project,
            files.map(({ path }) => path),
          )}:`,
        )
  const rows = files.map(
    ({ path, kind, state, why, keep }): Line => [
      { text: `  ${state.padEnd(9)}`, tone: state === 'ready' ? 'good' : 'warn' },
      { text: path },
      { text: `  ${[why ?? kind, ...(keep === null ? [] : [`Will be ${keptAs[keep]}.`])].join(' ')}`, tone: 'dim' },
    ],
  )
  return {
    value: { threadId: thread.id, folder, applied: false, files },
    lines: [head, ...rows, ...(isBlocked ? nextDecisions(line, thread.id, files, goneIn({ project })) : [])],
    ...(isBlocked && { code: exitCodes.interrupted }),
  }
}

function goneIn({ project }: Pick<ThreadPlace, 'project'>) {
  return project.folders.filter(({ isGone }) => isGone)
}

const keptAs = {
  both: 'joined with the folder’s',
  ours: 'the thread’s version',
  theirs: 'the folder’s version',
} as const

function receiptAnswer(
  line: CommandLine,
  { project, thread }: ThreadPlace,
  { written, deleted, sequence }: ApplyReceipt,
  settled: readonly Decided[],
): VerbAnswer {
  const folder = project.info().path
  const decided = settled.map(({ path, keep }) => ({ path, keep }))
  return {
    value: {
      ...{ threadId: thread.id, folder, applied: true, written, deleted, sequence },
      ...(decided.length > 0 && { decided }),
    },
    lines: [
      ...decidedLines(settled),
      lineOf(
        `Applied to ${foldersOf(project, [...written, ...deleted])}: ${plural(written.length, 'file', 'files')} written, ${deleted.length} deleted.`,
        'good',
      ),
      lineOf(`  coppice undo ${thread.id.slice(0, 8)}${placeFlags(line)}`, 'accent'),
    ],
  }
}

/** Everything that was decided stays as it is in the folder. */
function nothingLeft({ project, thread }: ThreadPlace, settled: readonly Decided[]): VerbAnswer {
  const decided = settled.map(({ path, keep }) => ({ path, keep }))
  return {
    value: { threadId: thread.id, folder: project.info().path, applied: false, files: [], decided },
    lines: [...decidedLines(settled), lineOf('Nothing else was changed: nothing was written.', 'dim')],
  }
}
