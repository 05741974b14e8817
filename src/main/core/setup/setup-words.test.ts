import { expect, it } from 'vitest'
import type { ShellOutcome } from '../ports/shell.ts'
import { failureOf } from './setup-words.ts'

const outcome: ShellOutcome = {
  ...{
    exitCode: 0,
    signal: null,
    output: '',
    omittedBytes: 0,
    endedBy: 'itself',
    durationMs: 1,
    denied: [],
    declared: [],
  },
}
const reasonOf = (change: Partial<ShellOutcome>) => failureOf({ ...outcome, ...change }, 60_000)

it('names the limit that ended a setup, and no other cause', () => {
  const reached = 'It used more than 4 GB of memory (sandbox.limits.memory_mb)'
  for (const end of [{ exitCode: 1 }, { exitCode: 0 }, { exitCode: null, signal: 'SIGKILL' }])
    expect(reasonOf({ ...end, endedBy: 'memory', reached })).toBe(
      `${reached}; it was ended. Raise the limit in the settings, or change the command, and try again.`,
    )
  expect(reasonOf({ exitCode: 143, endedBy: 'cpu', reached: 'It computed too long' })).toMatch(
    /^It computed too long; /,
  )
  expect(reasonOf({ exitCode: 1, endedBy: 'disk', reached: 'It wrote too much' })).toMatch(/^It wrote too much; /)
})

it('names a limit that a program met, where the setup failed by itself', () => {
  expect(reasonOf({ exitCode: 1, reached: 'It opened too many files' })).toBe(
    'It ended with exit code 1. It opened too many files.',
  )
  expect(reasonOf({})).toBeNull()
})
