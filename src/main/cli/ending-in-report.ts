import { notStarted } from '#host/headless/run-report.ts'
import { type CommandLine, UsageError } from './arguments.ts'
import { createPrinter } from './printer.ts'

/** A program that reads the lines of a run finds its end in the last one, also where the run was refused. */
export async function endingInReport(line: CommandLine, run: (line: CommandLine) => Promise<number>): Promise<number> {
  try {
    return await run(line)
  } catch (error) {
    if (line.flag('json') && !(error instanceof UsageError))
      createPrinter(true).finish(notStarted(error instanceof Error ? error.message : String(error)))
    throw error
  }
}
