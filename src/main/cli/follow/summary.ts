import type { RefusedReport, RunReport } from '#host/headless/run-report.ts'
import type { PatchExport } from '#shared/contract/views/branches.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { MadeCommit } from '#shared/model/calls/outcome.ts'
import { tokensOf } from '#shared/model/models/usage.ts'
import { formatCount, formatDuration, formatMoney } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'
import { commitsText } from '#shared/tools/commit-words.ts'
import { type Line, lineOf, type Span, type Tone } from '../screen/spans.ts'
import { countSpans } from './shown-line.ts'

/** What a summary says besides the report. */
export interface SummaryFacts {
  /** Milliseconds from the start of the run until its end. */
  readonly durationMs: number
  /** Changes of the workspace against the folder. */
  readonly files: readonly FileChange[]
  /** Branches of subagents by what became of them. */
  readonly branches: { readonly merged: number; readonly open: number; readonly discarded: number }
  readonly agents: number
  /** Agents that failed, with the reason. */
  readonly failures: readonly { readonly agent: string; readonly message: string }[]
  /** Whether the person can be asked here. */
  readonly isTerminal: boolean
  /** Flags that the next commands need, with a space before each. */
  readonly placeFlags: string
}

const mostFiles = 20
const mostFailures = 10
/** Narrower screens name the next commands alone. */
const narrowBelow = 60

/** What a person wants to know when a run has ended. */
export function summaryLines(
  report: RunReport | RefusedReport,
  facts: SummaryFacts | null,
  columns: number,
): readonly Line[] {
  if (report.threadId === null || facts === null) return [headLine(report, facts)]
  const { files, failures } = facts
  return [
    headLine(report, facts),
    ...replayLines(report),
    ...fileLines(files),
    ...commitLines(report.commits),
    ...branchLines(facts),
    ...failures.slice(0, mostFailures).map(({ agent, message }) => lineOf(`${agent} failed: ${message}`, 'bad')),
    lineOf(`Thread ${report.threadId}`, 'dim'),
    ...(report.replay ? [] : nextLines(report, facts, columns < narrowBelow)),
  ]
}

/** What a replay found. Its difference is the message of the report. */
function replayLines({ replay }: RunReport): readonly Line[] {
  if (!replay) return []
  const what = `${plural(replay.steps, 'step', 'steps')} of ${plural(replay.agents, 'agent', 'agents')}`
  return replay.same
    ? [lineOf(`Replayed ${what}: every tree is the recorded one.`, 'good')]
    : [lineOf(`Replayed ${what} until there.`, 'dim')]
}

const states: Readonly<Record<RunReport['status'], readonly [word: string, tone: Tone]>> = {
  done: ['Done', 'good'],
  failed: ['Failed', 'bad'],
  interrupted: ['Waits', 'warn'],
  stopped: ['Stopped', 'warn'],
}

function headLine({ status, message, usage }: RunReport | RefusedReport, facts: SummaryFacts | null): Line {
  const [word, tone] = states[status]
  const rest = [
    ...(facts === null ? [] : [formatDuration(facts.durationMs)]),
    ...(usage.cost === null ? [] : [formatMoney(usage.cost)]),
    `${formatCount(tokensOf(usage))} tokens`,
    ...(facts && facts.agents > 0 ? [`with ${plural(facts.agents, 'subagent', 'subagents')}`] : []),
  ]
  return [
    { text: word, tone },
    ...(message === '' ? [] : [{ text: `: ${message}` }]),
    { text: ` · ${rest.join(' · ')}`, tone: 'dim' },
  ]
}

const letters: Readonly<Record<FileChange['kind'], string>> = {
  create: 'A',
  modify: 'M',
  delete: 'D',
  rename: 'R',
  mode: 'M',
  symlink: 'L',
}

/** One line for each changed file, as `git status` lists them. */
export function fileLines(files: readonly FileChange[], most = mostFiles): readonly Line[] {
  if (files.length === 0) return [lineOf('No files changed', 'dim')]
  const sum = (of: 'added' | 'removed') => files.reduce((all, change) => all + (change[of] ?? 0), 0)
  const total = countSpans({ added: sum('added'), removed: sum('removed') })
  const left = files.length - most
  return [
    [{ text: `${plural(files.length, 'file', 'files')}  ` }, ...total],
    ...files.slice(0, most).map(fileLine),
    ...(left > 0 ? [lineOf(`  and ${plural(left, 'more file', 'more files')}`, 'dim')] : []),
  ]
}

function fileLine(change: FileChange): Line {
  const tones: Partial<Record<FileChange['kind'], Tone>> = { create: 'good', delete: 'bad' }
  const tone: Tone = tones[change.kind] ?? 'warn'
  const name = change.from === undefined ? change.path : `${change.from} → ${change.path}`
  const counts: readonly Span[] = change.binary ? lineOf('binary', 'dim') : countSpans(change)
  return [{ text: `  ${letters[change.kind]} `, tone }, { text: name }, { text: '  ' }, ...counts]
}

/** One line about what the agents left in git. None for nothing. */
export function commitLines(commits: readonly MadeCommit[]): readonly Line[] {
  return commitNotes(commits).map((note) => lineOf(note, 'warn'))
}

/** What agents left in git alone, as at most one sentence. */
export function commitNotes(commits: readonly MadeCommit[]): readonly string[] {
  return commits.length === 0 ? [] : [`The agents left ${commitsText(commits)}. No patch has them.`]
}

function branchLines({ branches: { merged, open, discarded } }: SummaryFacts): readonly Line[] {
  const parts = [
    ...(merged > 0 ? [`${merged} merged`] : []),
    ...(open > 0 ? [`${open} with changes to merge`] : []),
    ...(discarded > 0 ? [`${discarded} discarded`] : []),
  ]
  return parts.length === 0 ? [] : [lineOf(`Branches: ${parts.join(' · ')}`)]
}

/** The commands that a person probably wants next. */
function nextLines(
  { status, threadId }: RunReport,
  { files, branches, isTerminal, placeFlags }: SummaryFacts,
  isNarrow: boolean,
): readonly Line[] {
  const name = threadId.slice(0, 8)
  const decisions = isTerminal || status !== 'interrupted' ? '' : ' --decisions FILE'
  const next: readonly (readonly [string, string] | false)[] = [
    status !== 'done' && [`coppice resume ${name}${decisions}`, 'go on'],
    branches.open > 0 && [`coppice branches ${name}`, 'what is left to merge'],
    files.length > 0 && [`coppice diff ${name}`, 'look at the changes'],
    files.length > 0 && [`coppice apply ${name}`, 'write them to the folder'],
  ]
  const shown = next
    .filter((one) => one !== false)
    .map(([command, about]) => [`${command}${placeFlags}`, about] as const)
  const width = Math.max(...shown.map(([command]) => command.length))
  return shown.map(([command, about]) => [
    { text: `  ${command.padEnd(width)}`, tone: 'accent' },
    ...(isNarrow ? [] : [{ text: `  ${about}`, tone: 'dim' as const }]),
  ])
}

/** What a person must know of a patch: what it leaves out, and what it stands on. */
export function patchNotes({ leftOut, notes }: Pick<PatchExport, 'leftOut' | 'notes'>): readonly string[] {
  return [...leftOut.map(({ path, why }) => `Left out of the patch: ${path} (${why})`), ...notes]
}
