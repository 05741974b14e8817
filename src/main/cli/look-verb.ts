import type { CommandLine } from './arguments.ts'

/** A verb that lists branches or their checks. */
export async function lookAtBranches(line: CommandLine): Promise<number> {
  return line.command === 'checks'
    ? (await import('./commands/checks.ts')).checks(line)
    : (await import('./commands/branches.ts')).branches(line)
}
