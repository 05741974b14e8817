import type { BranchChecks, CheckState, CheckView } from '#shared/model/check.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { tailOf } from '#shared/text/whole-characters.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { printStatus } from '../print-status.ts'
import { type Line, lineOf, type Tone } from '../screen/spans.ts'
import { tableLines } from '../screen/table.ts'
import { terminal } from '../screen/terminal.ts'
import { answerAboutThread, branchesOf, findAnyBranch, type ThreadPlace } from '../thread-verb.ts'

/** Characters of the output of a check that is not green: the last ones, which say what failed. */
const shownOutput = 2_000

/** `coppice checks`: what the project's checks say of branches, and runs them. */
export function checks(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    const { checks: set, problems } = await place.client.checks.list({ projectId: place.projectId })
    for (const problem of problems) printStatus(problem)
    if (set.length === 0) throw new UsageError(noChecks)
    const names = line.texts('name')
    const unknown = names.find((name) => set.every((one) => one.name !== name))
    if (unknown !== undefined)
      throw new UsageError(`There is no check ${unknown}. Checks: ${set.map(({ name }) => name).join(', ')}.`)
    const isAgain = line.flag('again')
    const branchIds = chosenBranches(line, place)
    if (line.flag('run') || isAgain) await runAll(place, branchIds, names, isAgain)
    return answerOf(line, place, branchIds, names)
  })
}

const noChecks =
  'This project has no checks. Put some into its settings (checks), or accept those that Coppice proposes in the window.'

/** Those that are named, or the workspace and every open branch. */
function chosenBranches(line: CommandLine, { project, thread }: ThreadPlace): readonly BranchId[] {
  const { state } = project.services.log
  const words = line.positionals.slice(1)
  if (words.length > 0) return [...new Set(words.map((word) => findAnyBranch(state, thread, word)))]
  const open = branchesOf(state, thread.id).filter(({ status }) => status === 'open')
  return [thread.branchId, ...open.map(({ id }) => id)]
}

/** One branch after the other. A stop ends the check that runs, and none begins after it. */
async function runAll(
  { project }: ThreadPlace,
  branchIds: readonly BranchId[],
  names: readonly string[],
  again: boolean,
): Promise<void> {
  const stopping = new AbortController()
  using _stop = terminal().onStop(() => stopping.abort())
  for (const branchId of branchIds) {
    const request = { branchId, tree: null, environmentOf: branchId, on: 'branch', again, by: 'person' } as const
    const ran = await project.checks.runs.run({ ...request, names: names.length > 0 ? names : null }, stopping.signal)
    if (!ran.ok) throw new Error(ran.error)
  }
}

async function answerOf(
  line: CommandLine,
  place: ThreadPlace,
  branchIds: readonly BranchId[],
  names: readonly string[],
): Promise<VerbAnswer> {
  const { client, projectId, thread } = place
  const known = await client.checks.ofBranches({ projectId, branchIds: [...branchIds] })
  const isChosen = ({ name }: CheckView) => names.length === 0 || names.includes(name)
  const rows = known.map((one) => describeBranch(place, one, isChosen))
  const isRed = rows.some((row) => row.checks.some(({ required, state }) => required && isFailure(state)))
  return {
    value: { threadId: thread.id, branches: rows },
    lines: listLines(rows, line.flag('run') || line.flag('again')),
    ...(isRed && { code: exitCodes.checks }),
  }
}

const isFailure = (state: CheckState) => state === 'red' || state === 'flaky'

/** The checks of a branch, as `--json` lists them. */
type Row = ReturnType<typeof describeBranch>

function describeBranch(
  { project, thread }: ThreadPlace,
  { branchId, state, checks: views }: BranchChecks,
  isChosen: (view: CheckView) => boolean,
) {
  const branch = branchesOf(project.services.log.state, thread.id).find(({ id }) => id === branchId)
  const isOwn = branchId === thread.branchId
  const described = views.filter(isChosen).map(({ name, required, state: now, last }) => {
    const result = last && isFailure(now) ? project.checks.runs.result(last.sequence) : null
    return {
      ...{ name, required, state: now, outcome: last?.outcome ?? null, exit_code: last?.exitCode ?? null },
      ...{ duration_ms: last?.durationMs ?? null, at: last ? new Date(last.at).toISOString() : null },
      ...{ note: last?.note ?? '', ...(result && { output: result.output }) },
    }
  })
  return {
    ...{ branchId, handle: branch?.handle ?? null, name: isOwn ? 'workspace' : (branch?.name ?? branchId), state },
    checks: described,
  }
}

const tones: Readonly<Record<CheckState, Tone>> = {
  ...{ red: 'bad', flaky: 'warn', running: 'accent', queued: 'dim' },
  ...{ stale: 'warn', none: 'dim', green: 'good' },
}

const words: Readonly<Record<CheckState, string>> = {
  ...{ red: 'red', flaky: 'flaky', running: 'running', queued: 'waits', none: 'not run', green: 'green' },
  stale: 'stale',
}

/** The state of a check, or the worst of several. */
export function checkWord(state: CheckState): Line {
  return lineOf(words[state], tones[state])
}

function listLines(rows: readonly Row[], isRun: boolean): readonly Line[] {
  const table = tableLines(
    ['BRANCH', 'HANDLE', 'CHECK', 'STATE'],
    rows.flatMap((row) =>
      row.checks.map((check): readonly Line[] => [
        lineOf(row.name, 'strong'),
        lineOf(row.handle ?? ''),
        lineOf(check.required ? check.name : `${check.name} (not required)`),
        [...checkWord(check.state), ...endOf(check)],
      ]),
    ),
  )
  const failed = rows.flatMap((row) =>
    row.checks.flatMap((check) => (check.output === undefined ? [] : [{ row, check }])),
  )
  const shown = failed.flatMap(({ row, check }) => [
    lineOf(''),
    lineOf(`${row.name}: ${check.name} is ${check.state}`, 'bad'),
    ...tailOf(check.output ?? '', shownOutput)
      .trimEnd()
      .split('\n')
      .map((text) => lineOf(text)),
  ])
  return isRun ? [...table, ...shown] : table
}

function endOf({ state, exit_code: code, duration_ms: duration, note }: Row['checks'][number]): Line {
  if (state === 'none' || state === 'running' || state === 'queued') return []
  const facts = [
    ...(isFailure(state) && code !== null ? [`exit code ${code}`] : []),
    ...(duration === null ? [] : [`${(duration / 1000).toFixed(1)} s`]),
    ...(note === '' ? [] : [note]),
  ]
  return facts.length === 0 ? [] : [{ text: `  ${facts.join(', ')}`, tone: 'dim' }]
}
