import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { defaultLimits, limitText, type ReachedLimit } from './command-limits.ts'
import { findRoom, machineMemory, watchLimits } from './watch-limits.ts'

// Mutation: leave out the look at what the machine has left, and memory that no process has is taken without an end.
it.runIf(process.platform === 'linux')('ends a command when the machine has too little memory left', async () => {
  expect(machineMemory().left).toBeGreaterThan(0)
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  const endless = Number.POSITIVE_INFINITY
  const watched = {
    pid: child.pid ?? 0,
    disk: tmpdir(),
    freeBefore: await findRoom(tmpdir()),
    memoryBefore: { left: endless, inFiles: 0 },
  }
  const { promise, resolve } = Promise.withResolvers<ReachedLimit>()
  using _ = watchLimits(watched, { ...defaultLimits, memoryLeft: endless }, resolve)
  const reached = await promise
  child.kill('SIGKILL')
  expect(reached).toBe('machine_memory')
  expect(limitText(reached, defaultLimits)).toBe(
    'The machine had less than 512 MB of memory left, which commands may not take',
  )
})
