import { printableJson } from '#shared/text/control-characters.ts'
import { type CommandLine, UsageError } from './arguments.ts'
import { exitCodes } from './exit-codes.ts'
import { HandOver } from './handover/handed-line.ts'
import { printStatus } from './print-status.ts'
import { createPaint } from './screen/paint.ts'
import { readScreen } from './screen/screen.ts'
import { type Line, wrapLine } from './screen/spans.ts'
import { terminal } from './screen/terminal.ts'

/** What a verb found or did: for a program, and for a person. */
export interface VerbAnswer {
  /** The one JSON value of `--json`. Null when it was printed already. */
  readonly value: object | null
  readonly lines: readonly Line[]
  /** The exit code. Absent when all went well. */
  readonly code?: number
}

/** What went wrong, as `--json` prints it. */
export interface VerbError {
  /** `USAGE`, or a code of the contract such as `NOT_FOUND`. */
  readonly code: string
  /** A sentence for a person. */
  readonly message: string
  /** What to do next. */
  readonly next: string
}

/** Runs a verb and prints its answer or its error. Returns the exit code. */
export async function answerVerb(line: CommandLine, work: () => Promise<VerbAnswer>): Promise<number> {
  try {
    const { value, lines, code = exitCodes.done } = await work()
    if (!line.flag('json')) printLines(lines)
    else if (value !== null) terminal().output.write(`${printableJson(value)}\n`)
    return code
  } catch (error) {
    if (error instanceof HandOver) throw error
    const told = describeError(error)
    if (line.flag('json')) terminal().output.write(`${printableJson({ error: told })}\n`)
    const isSaid = told.next === '' || told.message.includes('"coppice ')
    printStatus(`coppice: ${told.message}${isSaid ? '' : `\n${told.next}`}`)
    return exitCodeOf(told.code)
  }
}

/** Writes lines for a person to standard output, broken at its width. */
export function printLines(lines: readonly Line[]): void {
  const { output, environment } = terminal()
  const screen = readScreen(output, environment)
  const paint = createPaint(screen.colourDepth)
  for (const row of lines.flatMap((line) => wrapLine(line, screen.columns()))) output.write(`${paint(row)}\n`)
}

/** An error for a person and for a program. */
export function describeError(error: unknown): VerbError {
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  // A data folder that cannot be used says itself what to do.
  return { code, message, next: isDataFolderError(error) ? '' : nextOf(code) }
}

function isDataFolderError(error: unknown): boolean {
  return error instanceof Error && error.name === 'DataFolderError'
}

function codeOf(error: unknown): string {
  if (error instanceof UsageError || isDataFolderError(error)) return 'USAGE'
  const code: unknown = Object(error).code
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : 'INTERNAL'
}

function nextOf(code: string): string {
  switch (code) {
    case 'USAGE':
      return 'Try: coppice --help'
    case 'NOT_FOUND':
      return 'Look at: coppice threads'
    case 'CONFLICT':
      return 'Look again with: coppice diff, then decide.'
    case 'PROJECT_LOCKED':
      return 'Meanwhile these work: coppice logs THREAD, coppice threads.'
    default:
      return ''
  }
}

/** The exit code for the code of an error. */
export function exitCodeOf(code: string): number {
  if (code === 'USAGE' || code === 'BAD_REQUEST' || code === 'NOT_FOUND') return exitCodes.usage
  return code === 'CONFLICT' || code === 'CONFIRM' ? exitCodes.interrupted : exitCodes.failed
}
