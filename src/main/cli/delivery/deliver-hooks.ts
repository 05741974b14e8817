import type { HookFacts } from '#host/headless/run-report.ts'
import type { HooksRun } from '#shared/contract/views/deliveries.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { plural } from '#shared/text/plural.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, choiceOf, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { printOutput, printStatus } from '../print-status.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { terminal } from '../screen/terminal.ts'
import type { ThreadPlace } from '../thread-verb.ts'

type Place = Pick<ThreadPlace, 'client'>

/** What the hooks said before a delivery, and what became of it. */
export interface Hooked {
  /** The run that let the commits pass. Null for none. */
  readonly id: string | null
  /** The exit code, when nothing is delivered. Null when the delivery goes on. */
  readonly stops: number | null
  readonly facts: HookFacts
  readonly lines: readonly Line[]
}

type Wanted = Parameters<ThreadPlace['client']['deliveries']['runHooks']>[0]

/**
 * `--hooks`: runs the hooks, and takes or leaves what they change as `--hook-changes` says. When they refuse and their changes were
 * taken they run again, as a person would commit again. Null without the flag.
 */
export async function runHooks(line: CommandLine, place: Place, wanted: Wanted): Promise<Hooked | null> {
  if (!line.flag('hooks')) return null
  const choice = hookChangesOf(line)
  const isDry = line.flag('dry-run')
  const taken: HooksRun['files'][number]['path'][] = []
  for (let left = mostRuns; ; left -= 1) {
    const run = await runOnce(place, wanted)
    if (run === null) return stopped
    const takes = choice === 'take' && !isDry && run.files.length > 0 && left > 0
    if (takes) taken.push(...(await take(place, wanted, run)))
    if (!takes || run.problem === null) return answer(takes ? { ...run, files: [] } : run, { choice, isDry, taken })
    printStatus('They run again on what they changed.')
  }
}

/** What `--hook-changes` says. Throws `UsageError`, also for one without `--hooks`. */
export function hookChangesOf(line: CommandLine): 'take' | 'leave' | undefined {
  if (line.text('hook-changes') !== undefined && !line.flag('hooks'))
    throw new UsageError('--hook-changes is about what hooks change. Add --hooks, or leave it out.')
  return choiceOf<'take' | 'leave', undefined>(line, 'hook-changes', ['take', 'leave'], undefined)
}

/** A formatter that refuses passes the second time. One that never comes to an end is told as it is. */
const mostRuns = 2

/** Returns the paths that were taken. */
async function take(place: Place, { projectId, branchId }: Wanted, { id, files }: HooksRun) {
  const { left } = await place.client.deliveries.takeHooks({ projectId, branchId, run: id })
  for (const path of left) printStatus(`${shownName(path)} stays as the thread has it, which changed meanwhile.`)
  return files.map(({ path }) => path).filter((path) => !left.includes(path))
}

const stopped: Hooked = {
  ...{ id: null, stops: exitCodes.stopped, facts: { stopped: true } },
  lines: [lineOf('Stopped. Nothing was delivered.', 'dim')],
}

/** Null when the person stopped them. */
async function runOnce({ client }: Place, wanted: Wanted): Promise<HooksRun | null> {
  printStatus('Running the hooks …')
  const stopping = new AbortController()
  using _stop = terminal().onStop(() => stopping.abort())
  using output = printOutput()
  try {
    for await (const event of await client.deliveries.runHooks(wanted, { signal: stopping.signal }))
      if (event.kind === 'output') output.write(event.text)
      else return event.end
  } catch (error) {
    if (!stopping.signal.aborted) throw error
  }
  return null
}

interface Decided {
  readonly choice: 'take' | 'leave' | undefined
  readonly isDry: boolean
  /** Paths that were taken. */
  readonly taken: readonly string[]
}

function answer(run: HooksRun, { choice, isDry, taken }: Decided): Hooked {
  const { id, problem, notes, repositories, messages } = run
  const { files } = run
  const isUndecided = problem === null && files.length > 0 && choice !== 'leave' && !isDry
  const ran = [...new Set(repositories.flatMap((one) => one.ran))]
  return {
    id: problem === null ? id : null,
    stops: isDry ? null : problem !== null ? exitCodes.failed : isUndecided ? exitCodes.interrupted : null,
    facts: {
      ...{ ran: repositories.map(({ repository, ran: own }) => ({ repository: `/${repository}`, hooks: own })) },
      ...{ problem, notes, messages, files, taken: [...new Set(taken)] },
    },
    lines: [
      ...(problem === null && ran.length > 0 ? [lineOf(`The hooks let it pass: ${ran.join(', ')}.`, 'good')] : []),
      ...(problem === null ? [] : [lineOf(problem, 'bad')]),
      ...(taken.length > 0
        ? [lineOf(`Took what they changed in ${plural(new Set(taken).size, 'file', 'files')}.`)]
        : []),
      ...files.slice(0, mostNamed).map(fileLine),
      ...(files.length > mostNamed ? [lineOf(`  and ${files.length - mostNamed} more`, 'dim')] : []),
      ...(messages > 0 ? [lineOf(`They changed ${plural(messages, 'message', 'messages')}.`)] : []),
      ...notes.map((note) => lineOf(note, 'warn')),
      ...(isUndecided ? undecided : []),
      ...(problem === null || isDry ? [] : refusedLines(files.length > 0)),
    ],
  }
}

/** Files that are named in a terminal. */
const mostNamed = 50

function fileLine({ path, kind, added, removed }: HooksRun['files'][number]): Line {
  const lines = added === null || removed === null ? '' : `  +${added} −${removed}`
  return [{ text: '  hooks     ', tone: 'warn' }, { text: shownName(path) }, { text: `  ${kind}${lines}`, tone: 'dim' }]
}

const undecided = [
  lineOf('Nothing was delivered. Say what becomes of the changes of the hooks, and deliver again:', 'warn'),
  lineOf('  --hook-changes take     they become changes of the thread, and go along', 'accent'),
  lineOf('  --hook-changes leave    they are dropped', 'accent'),
]

function refusedLines(hasChanges: boolean): readonly Line[] {
  return [
    lineOf('Nothing was delivered. Without --hooks no hook runs.', 'warn'),
    ...(hasChanges
      ? [lineOf('  --hook-changes take     takes these changes, and runs the hooks again', 'accent')]
      : []),
  ]
}

/** An answer with what the hooks said before. */
export function withHooks(hooked: Hooked | null, { value, lines, code }: VerbAnswer): VerbAnswer {
  if (hooked === null) return { value, lines, ...(code !== undefined && { code }) }
  const ended = hooked.stops ?? code
  return {
    value: value && { ...value, hooks: hooked.facts },
    lines: [...hooked.lines, ...lines],
    ...(ended !== undefined && { code: ended }),
  }
}
