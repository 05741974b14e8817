import { notStarted } from '#host/headless/run-report.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { printableJson } from '#shared/text/control-characters.ts'
import { describeError } from '../answer-verb.ts'
import type { CommandLine } from '../arguments.ts'

/** What a program reads of a command line that another process carries out, and what it misses when that one ends first. */
export interface ReadOutput {
  saw(bytes: Buffer): void
  /** The last line that did not come: of a run its report, else one error. Null when it came, and without `--json`. */
  missing(message: string, status: 'failed' | 'stopped'): string | null
}

/** Follows the output of a command line, from its first byte. */
export function readOutput(line: CommandLine): ReadOutput {
  const isRun = line.command === 'run' || line.command === 'resume'
  let threadId: string | undefined
  let isWhole = false
  return {
    saw(bytes) {
      if (isWhole) return
      const text = bytes.toString()
      threadId ??= /"threadId":"([\w-]+)"/.exec(text)?.[1]
      isWhole = !isRun || /^\{"type":"run\.finished"/m.test(text)
    },
    missing(message, status) {
      if (isWhole || !line.flag('json')) return null
      if (!isRun) return `${printableJson({ error: describeError(new WireError('CANCELLED', message)) })}\n`
      const refused = notStarted(message)
      return `${printableJson(threadId === undefined ? refused : { ...refused, status, reason: 'restart', threadId })}\n`
    },
  }
}
