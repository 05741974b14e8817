import { type FoundNeeded, removeFound, searchNeeded } from '#host/branches/compositions/find-needed.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { plural } from '#shared/text/plural.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, placeFlags, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { printStatus } from '../print-status.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { terminal } from '../screen/terminal.ts'
import { answerAboutThread, findAnyBranch } from '../thread-verb.ts'

/** `coppice needed`: the smallest part of a branch with which a check stays green. */
export function needed(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async ({ project, thread }) => {
    const { services } = project
    const check = line.text('check')
    if (check === undefined) throw new UsageError('needed needs --check NAME. "coppice checks THREAD" lists them.')
    const [, word] = line.positionals
    const branchId = word === undefined ? thread.branchId : findAnyBranch(services.log.state, thread, word)
    const stopping = new AbortController()
    using _stop = terminal().onStop(() => stopping.abort())
    const started = Date.now()
    let told = -1
    const onStep = ({ left, of, runs }: { left: number; of: number; runs: number }): void => {
      if (told < 0)
        printStatus(
          `${plural(of, 'hunk', 'hunks')}. It often takes about as many runs of ${check}, at worst far more. Ctrl+C stops it; results are kept.`,
        )
      if (left !== told && told >= 0)
        printStatus(
          `${left} of ${plural(of, 'hunk', 'hunks')} left after ${plural(runs, 'run', 'runs')} and ${seconds(started)}.`,
        )
      told = left
    }
    const about = { threadId: thread.id, branchId, check }
    try {
      const search = { branchId, check, onStep }
      const result = await searchNeeded(services, project.checks.runs, search, stopping.signal)
      const { removal: _, ...known } = result
      const found = { ...known, sequence: line.flag('remove') ? removeFound(project, result) : null }
      const duration = Date.now() - started
      return {
        value: { ...about, ...found, duration_ms: duration },
        lines: foundLines(line, thread.id, found, seconds(started)),
      }
    } catch (error) {
      if (!stopping.signal.aborted) throw error
      return stopped(about)
    }
  })
}

function stopped(about: object): VerbAnswer {
  const words = 'It was stopped. Run the same command to go on: what the check said so far is kept.'
  return { value: { ...about, stopped: true }, lines: [lineOf(words, 'warn')], code: exitCodes.stopped }
}

function foundLines(
  line: CommandLine,
  threadId: string,
  { parts, runs, sequence }: Omit<FoundNeeded, 'removal'> & { readonly sequence: Sequence | null },
  time: string,
): readonly Line[] {
  const unneeded = parts.filter((part) => !part.needed)
  const lines = parts.map(({ path, hunk, text, needed: isNeeded }): Line => {
    const [first = ''] = text.split('\n')
    const place = hunk === null ? path : `${path}:${hunk + 1}`
    return [
      { text: isNeeded ? 'needed      ' : 'not needed  ', tone: isNeeded ? 'good' : 'warn' },
      ...lineOf(place, 'strong'),
      ...(first === '' ? [] : lineOf(`  ${first}`, 'dim')),
    ]
  })
  const sum = `${parts.length - unneeded.length} of ${plural(parts.length, 'hunk', 'hunks')} ${parts.length - unneeded.length === 1 ? 'is' : 'are'} needed, found by ${plural(runs, 'run', 'runs')} in ${time}.`
  const id = threadId.slice(0, 8)
  const next =
    sequence !== null
      ? lineOf(`Removed ${plural(unneeded.length, 'hunk', 'hunks')}: coppice undo ${id}${placeFlags(line)}`, 'accent')
      : lineOf(
          `  coppice needed ${[id, ...line.positionals.slice(1)].join(' ')} --check ${JSON.stringify(line.text('check'))} --remove${placeFlags(line)}`,
          'accent',
        )
  return [...lines, lineOf(sum), ...(unneeded.length > 0 ? [next] : [])]
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}
