import type { CommandLine } from './arguments.ts'

/** A verb that looks at branches, their checks or the lines of their files, composes some of them, or finds what of one is needed. */
export async function lookAtBranches(line: CommandLine): Promise<number> {
  if (line.command === 'bisect') return (await import('./bisect/bisect.ts')).bisect(line)
  if (line.command === 'blame') return (await import('./blame.ts')).blame(line)
  if (line.command === 'compose') return (await import('./composing/compose.ts')).compose(line)
  if (line.command === 'needed') return (await import('./composing/needed.ts')).needed(line)
  return line.command === 'checks'
    ? (await import('./commands/checks.ts')).checks(line)
    : (await import('./commands/branches.ts')).branches(line)
}
