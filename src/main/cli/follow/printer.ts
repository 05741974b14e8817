import type { RefusedReport, RunReport } from '#host/headless/run-report.ts'
import type { ProjectEvent } from '#host/headless/run-task.ts'
import { escapeControls, printableJson } from '#shared/text/control-characters.ts'
import { createPaint } from '../screen/paint.ts'
import type { Screen } from '../screen/screen.ts'
import { type Line, lineOf, wrapLine } from '../screen/spans.ts'
import { terminal } from '../screen/terminal.ts'
import { createEventLines, type EventLinesOptions } from './event-lines.ts'
import { createLayout } from './lay-out.ts'
import type { ShownLine } from './shown-line.ts'
import { type SummaryFacts, summaryLines } from './summary.ts'

/** Shows a run: its events as they happen, and its end. */
export interface Printer {
  event(event: ProjectEvent): void
  /** Resolves when everything that happened so far is shown. */
  settled(): Promise<void>
  finish(report: RunReport | RefusedReport, facts: SummaryFacts | null): Promise<void>
}

/** What a printer writes to. */
export interface Outputs {
  /** The answer goes here. */
  readonly answer: { write(text: string): unknown; readonly isTTY?: boolean }
  /** Everything else goes here. */
  readonly status: { write(text: string): unknown }
  /** What `status` can show. */
  readonly screen: Screen
}

export interface TextPrinterOptions extends Omit<EventLinesOptions, 'hasMarks' | 'texts'> {
  readonly isQuiet: boolean
  /** The number of an agent's colour by its name; null for none. */
  readonly hueOf: (agent: string) => number | null
  /** The names of all agents so far. */
  readonly names: () => readonly string[]
}

/** Events and the report as lines of JSON, for programs. */
export function createJsonPrinter(): Printer {
  const { output } = terminal()
  return {
    event: (event) => void output.write(`${printableJson(event)}\n`),
    settled: () => Promise.resolve(),
    async finish(report) {
      output.write(`${printableJson(report)}\n`)
    },
  }
}

/** Plain lines for a file, a program or a terminal that cannot draw. Only the answer goes to the standard output. */
export function createPlainPrinter(outputs: Outputs, options: TextPrinterOptions): Printer {
  const { screen, status } = outputs
  const paint = createPaint(screen.colourDepth)
  const layout = createLayout(screen, options.hueOf, options.names)
  const linesOf = createEventLines({ ...options, hasMarks: screen.hasMarks, texts: 'before_work' })
  let chain: Promise<void> = Promise.resolve()
  const show = (lines: readonly ShownLine[]): void => {
    for (const shown of lines) {
      if (options.isQuiet && !shown.isProblem) continue
      for (const line of layout.lay(shown)) status.write(`${paint(line).trimEnd()}\n`)
    }
  }
  return {
    event(event) {
      chain = chain.then(async () => show(await linesOf(event)))
    },
    settled: () => chain,
    async finish(report, facts) {
      await chain
      if (report.answer !== '') writeAnswer(outputs, report.answer)
      if (!options.isQuiet || report.status !== 'done') writeSummary(outputs, report, facts)
    },
  }
}

/** A file or a program gets the exact answer. A terminal would obey control characters in it. */
export function writeAnswer({ answer }: Outputs, text: string): void {
  answer.write(`${answer.isTTY ? escapeControls(text) : text}\n`)
}

/** Writes how a run ended, broken at the width of the screen. */
export function writeSummary(
  { status, screen }: Outputs,
  report: RunReport | RefusedReport,
  facts: SummaryFacts | null,
): void {
  const paint = createPaint(screen.colourDepth)
  const blank: Line = lineOf('')
  const lines = [...(screen.isLive ? [blank] : []), ...summaryLines(report, facts, screen.columns())]
  for (const line of lines.flatMap((one) => wrapLine(one, screen.columns()))) status.write(`${paint(line)}\n`)
}
