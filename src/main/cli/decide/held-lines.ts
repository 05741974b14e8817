import type { Interrupt } from '#shared/model/interrupt.ts'
import { type OutputLine, outputLines, printedLines } from '#shared/text/command-output.ts'
import { formatDuration } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'
import { commandLine, type HeldRequest, heldFiles } from '#shared/tools/held-choices.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { type Line, lineOf, type Span } from '../screen/spans.ts'

/** Lines of a long output that are shown before a person asks for all of it. The end says how a command went. */
const shownAtFirst = 12

/** `ran a command – look at what it did`. */
export function deedOf({ name }: HeldRequest): string {
  return `${findToolFacts(name).access.command === null ? `used ${name}` : 'ran a command'} – look at what it did`
}

/** What a held call did, beside its changes of files. */
export function heldLines(interrupt: Interrupt, request: HeldRequest): readonly Line[] {
  const { effects } = request
  const before = interrupt.action_requests.find(({ callId }) => callId === effects.after)
  return [
    ...(effects.ran_again === undefined ? [] : [lineOf(`  ${effects.ran_again}`, 'warn')]),
    ...(before ? [lineOf(`  On top of the command before: ${commandLine(before)}`, 'dim')] : []),
    ...shownLines(request, false),
    endLine(request),
    ...outsideLines(request),
  ]
}

/** The whole output, when the card shows only its end; empty otherwise. */
export function hiddenOutput(request: HeldRequest): readonly Line[] {
  return printedBy(request).length > shownAtFirst ? shownLines(request, true) : []
}

function printedBy({ effects: { output, secrets, exit_code: code } }: HeldRequest): readonly OutputLine[] {
  return printedLines(outputLines(output, secrets), code)
}

function shownLines(request: HeldRequest, whole: boolean): readonly Line[] {
  const lines = printedBy(request)
  if (lines.length === 0) return [lineOf('  It printed nothing.', 'dim')]
  const left = lines.length - shownAtFirst
  if (whole || left <= 0) return lines.map(printedLine)
  return [
    lineOf(`  ${plural(left, 'earlier line', 'earlier lines')} (v shows them)`, 'dim'),
    ...lines.slice(left).map(printedLine),
  ]
}

function printedLine(line: OutputLine): Line {
  return [
    { text: '  │ ', tone: 'dim' },
    ...line.map(({ text, secret }): Span => ({ text, ...(secret && { tone: 'warn' }) })),
  ]
}

/** `exit 0 · 1.2 s · 3 files changed`. */
function endLine({ effects }: HeldRequest): Line {
  const { exit_code: code, duration_ms: time } = effects
  const end = code === null ? 'ended by a signal' : `exit ${code}`
  const count = heldFiles(effects).length
  const changed = count === 0 ? 'changed no file' : `changed ${plural(count, 'file', 'files')}`
  return [
    { text: `  ${end}`, tone: code === 0 ? 'good' : 'bad' },
    { text: ` · ${formatDuration(time)} · ${changed}`, tone: 'dim' },
  ]
}

/** One line for a place that cannot show the card: `exit 0, changed 3 files`. */
export function heldSummary(request: HeldRequest): string {
  return endLine(request)
    .map(({ text }) => text)
    .join('')
    .trim()
}

function outsideLines({ effects }: HeldRequest): readonly Line[] {
  const { hosts_refused: hosts, ignored_changes: ignored, secrets, tasks, hidden_secrets: hidden } = effects
  const kept = 'keeping it keeps them for later commands'
  return [
    ...(hosts.length > 0 ? [lineOf(`  It could not reach ${hosts.join(', ')}.`, 'warn')] : []),
    ...(ignored > 0
      ? [
          lineOf(
            `  It changed ${plural(ignored, 'file that git ignores', 'files that git ignores')}, such as installed packages: ${kept}.`,
            'dim',
          ),
        ]
      : []),
    ...(secrets.length > 0
      ? [lineOf('  What is marked in the output looks like a key. Keeping it shows it to the model.', 'warn')]
      : []),
    ...(hidden
      ? [
          lineOf(
            '  The part of the output that was cut holds what looks like a key. Keeping it shows it to the model.',
            'warn',
          ),
        ]
      : []),
    ...(tasks === undefined
      ? []
      : [lineOf(`  It declared ${plural(tasks, 'task', 'tasks')} for subagents. Keeping it starts them.`, 'dim')]),
  ]
}
