import { viewBisect } from '#host/checks/view-bisect.ts'
import type { BisectView, BrokenStep } from '#shared/contract/checks.ts'
import type { FileDiff } from '#shared/contract/views/files.ts'
import type { Bisect } from '#shared/model/derived/bisect.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { plural } from '#shared/text/plural.ts'
import { describeError, type VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, numberOf, placeFlags, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { printStatus } from '../print-status.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { terminal } from '../screen/terminal.ts'
import { answerAboutThread, findAnyBranch, type ThreadPlace } from '../thread-verb.ts'
import { bisectLines } from './bisect-lines.ts'

/** Files of a step whose change is shown. */
const shownFiles = 5

/** `coppice bisect`: finds the step that broke a check. */
export function bisect(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    const { project, thread } = place
    const check = await findCheck(line, place)
    const [, word] = line.positionals
    const branchId = word === undefined ? thread.branchId : findAnyBranch(project.services.log.state, thread, word)
    const found = await search(line, place, branchId, check)
    const view = await viewBisect(project, found)
    const [step] = view.end?.kind === 'found' ? view.found : []
    const diffs = step ? await diffsOf(place, step) : []
    const undone = step && line.flag('undo') ? await undo(place, branchId, step) : notUndone
    return answerOf(thread.id, view, diffs, undone, step ? nextLines(place, branchId, step, line) : [])
  })
}

async function findCheck(line: CommandLine, { client, projectId }: ThreadPlace): Promise<string> {
  const { checks, problems } = await client.checks.list({ projectId })
  for (const problem of problems) printStatus(problem)
  const names = checks.map(({ name }) => name)
  const [only] = names
  if (only === undefined)
    throw new UsageError(
      'This project has no checks. Put some into its settings (checks): bisect runs one at each step.',
    )
  const check = line.text('check') ?? (names.length === 1 ? only : undefined)
  if (check === undefined) throw new UsageError(`bisect needs --check NAME. Checks: ${names.join(', ')}.`)
  if (!names.includes(check)) throw new UsageError(`There is no check ${check}. Checks: ${names.join(', ')}.`)
  return check
}

async function search(line: CommandLine, { project }: ThreadPlace, branchId: BranchId, check: string): Promise<Bisect> {
  const stopping = new AbortController()
  using _stop = terminal().onStop(() => stopping.abort())
  const atOnce = numberOf(line, 'jobs', { min: 1, max: 64 }) ?? 1
  let said = 0
  const onChange = ({ asked, steps, most }: Bisect) => {
    const last = asked.at(-1)
    if (line.flag('json') || !last || asked.length === said) return
    said = asked.length
    const limit = line.flag('flaky') ? '' : ` of at most ${most}`
    printStatus(`${said}${limit}: after step ${last.step} of ${steps} it is ${last.verdict}`)
  }
  const request = { branchId, check, isFlaky: line.flag('flaky'), atOnce, onChange }
  return project.checks.bisects.run(request, stopping.signal)
}

function diffsOf(
  { client, projectId }: ThreadPlace,
  { branchId, before, sequence, files }: BrokenStep,
): Promise<readonly FileDiff[]> {
  const compared = { projectId, from: { branchId, sequence: before }, to: { branchId, sequence } }
  return Promise.all(files.slice(0, shownFiles).map(({ path }) => client.branches.compareFile({ ...compared, path })))
}

interface Undone {
  /** The entry that took the step off. Null when nothing did. */
  readonly sequence: number | null
  /** Why it was refused. What the search found is told all the same. */
  readonly refused: string | null
}

const notUndone: Undone = { sequence: null, refused: null }

async function undo({ client, projectId }: ThreadPlace, branchId: BranchId, step: BrokenStep): Promise<Undone> {
  try {
    const { sequence } = await client.changes.undoStep({ projectId, branchId, sequence: step.sequence })
    return { sequence, refused: null }
  } catch (error) {
    return { sequence: null, refused: describeError(error).message }
  }
}

/** What else may be done about a step. */
function nextLines(
  { project }: ThreadPlace,
  branchId: BranchId,
  { checkpoint, mergedBy }: BrokenStep,
  line: CommandLine,
): readonly Line[] {
  const threadId = [...project.services.log.state.branches.values()].find(({ id }) => id === branchId)?.threadId
  const back = `"coppice rewind ${threadId} ${checkpoint}${placeFlags(line)}" goes back to before ${mergedBy === null ? 'it' : 'that merge'}.`
  const words = [
    ...(line.flag('undo') ? [] : ['Take it off with --undo.']),
    ...(threadId === undefined || checkpoint === null ? [] : [back]),
  ]
  return words.length === 0 ? [] : [lineOf(words.join(' '), 'dim')]
}

function answerOf(
  threadId: ThreadId,
  view: BisectView,
  diffs: readonly FileDiff[],
  undone: Undone,
  next: readonly Line[],
): VerbAnswer {
  const { end, found, asked, steps, runs, durationMs, check, branchId } = view
  const value = {
    ...{ threadId, branchId, check, kind: end?.kind ?? 'cancelled', steps, runs, duration_ms: durationMs },
    ...{ asked, found: found.map((step) => ({ ...step, at: new Date(step.at).toISOString() })) },
    ...{ diffs: diffs.map(({ path, hunks }) => ({ path, hunks })), undone: undone.sequence },
    ...(undone.refused === null ? {} : { refused: undone.refused }),
  }
  const spent = `${plural(runs, 'run', 'runs')} of ${check} in ${(durationMs / 1000).toFixed(1)} s`
  const lines = [
    ...bisectLines(view, diffs),
    ...(undone.sequence === null
      ? []
      : [lineOf('Its change is off the branch. "coppice undo" brings it back.', 'good')]),
    ...(undone.refused === null ? [] : [lineOf(`It was not undone. ${undone.refused}`, 'warn')]),
    ...next,
    lineOf(`${spent}, over ${plural(steps, 'step', 'steps')}.`, 'dim'),
  ]
  return { value, lines, code: undone.refused === null ? codes[value.kind] : exitCodes.failed }
}

const codes: Readonly<Record<NonNullable<Bisect['end']>['kind'], number>> = {
  ...{ found: exitCodes.done, green: exitCodes.done, always: exitCodes.failed, between: exitCodes.failed },
  ...{ flaky: exitCodes.failed, moved: exitCodes.failed, cancelled: exitCodes.stopped },
}
