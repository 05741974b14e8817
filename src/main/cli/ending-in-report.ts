import { notStarted } from '#host/headless/run-report.ts'
import { type CommandLine, UsageError } from './arguments.ts'
import { createJsonPrinter } from './follow/printer.ts'
import { HandOver } from './handover/handed-line.ts'

/** Prints a report as the last line even for a refused run, because programs read the result from it. */
export async function endingInReport(line: CommandLine, run: (line: CommandLine) => Promise<number>): Promise<number> {
  try {
    return await run(line)
  } catch (error) {
    if (error instanceof HandOver) throw error
    if (line.flag('json') && !(error instanceof UsageError))
      await createJsonPrinter().finish(notStarted(error instanceof Error ? error.message : String(error)), null)
    throw error
  }
}
