import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommandLimits } from '#adapters/shell/limits/command-limits.ts'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import type { Sandbox } from '#adapters/shell/sandbox.ts'
import { adviceFor } from '#core/tools/run/advice.ts'
import { type CommandsWorld, openCommandsWorld } from './commands-world.testkit.ts'

const megabyte = 1024 ** 2
/** The number of the system call, where it is known. */
const memfdCreate = { x64: 319, arm64: 279 }[process.arch as string]
let sandbox: Sandbox
let world: CommandsWorld
let limits: Partial<CommandLimits> = {}
beforeAll(async () => {
  sandbox = await openSandbox([])
  world = await openCommandsWorld({ sandbox, findLimits: () => limits })
})
afterAll(() => world[Symbol.asyncDispose]())

function run(command: string, within: Partial<CommandLimits>) {
  limits = within
  return world.run(command, { timeoutMs: 15_000 })
}

/** Nothing here takes more than half a gigabyte or 300 processes, also when no limit works. */
describe.runIf(process.platform === 'linux')('a command that takes more than it may', () => {
  it('is ended when one program takes too much memory, and the result names the limit', async () => {
    const outcome = await run(`perl -e '$x = "x" x ${400 * megabyte}; sleep 60'`, { memoryBytes: 128 * megabyte })
    expect(outcome).toMatchObject({
      endedBy: 'memory',
      reached: 'It used more than 128 MB of memory (sandbox.limits.memory_mb)',
    })
    expect(world.survivors()).toEqual([])
  })

  it('is ended when its programs take too much memory together', async () => {
    const one = `perl -e '$x = "x" x ${40 * megabyte}; sleep 60'`
    const { endedBy } = await run(`for i in 1 2 3 4; do ${one} & done; wait`, { memoryBytes: 128 * megabyte })
    expect(endedBy).toBe('memory')
  })

  // Mutation: without `heldMemory` it goes on, because no process has that memory.
  it.runIf(memfdCreate !== undefined)('is ended when it holds too much memory that belongs to no process', async () => {
    const open = `$name = "a"; open($f, "+>&=", syscall(${memfdCreate}, $name, 0)) or die`
    const script = `${open}; $| = 1; print $f "x" x ${8 * megabyte} for 1..25; sleep 60`
    const { endedBy } = await run(`perl -e '${script}'`, { memoryBytes: 128 * megabyte })
    expect(endedBy).toBe('memory')
    // Mutation: with a look at the first 4,096 descriptors alone, it hides behind others.
    const hidden = await run(`perl -e 'open($d[$_], "<&", STDIN) for 1..5_000; ${script}'`, {
      memoryBytes: 128 * megabyte,
    })
    expect(hidden.endedBy).toBe('memory')
    const mapped = await run(`perl -e '${script.replace('sleep 60', 'print "whole"')}'`, {
      memoryBytes: 512 * megabyte,
    })
    expect([mapped.endedBy, mapped.output]).toEqual(['itself', 'whole'])
  })

  // Mutation: without `pageTables` it goes on, because tables of pages are memory of no page that anybody has.
  it.runIf(process.arch === 'x64')('is ended when the kernel needs too much memory to know its pages', async () => {
    const [map, advise, page] = ['syscall(9, 0, 1 << 39, 1, 0x4022, -1, 0)', 'syscall(28, $at, 1 << 39, 15)', 1 << 21]
    const script = `$at = ${map}; ${advise}; unpack("P1", pack("Q", $at + $_ * ${page})) for 1..100_000; print "read"; sleep 60`
    const { endedBy } = await run(`perl -e '${script}'`, { memoryBytes: 128 * megabyte })
    expect(endedBy).toBe('memory')
  })

  it('goes on when programs share the memory that each of them has', async () => {
    const four = `$x = "x" x ${80 * megabyte}; @kids = (fork, fork); sleep 1; print "whole\\n"; waitpid $_, 0 for grep { $_ } @kids`
    const { endedBy, output } = await run(`perl -e '${four}'`, { memoryBytes: 256 * megabyte })
    expect([endedBy, output]).toEqual(['itself', 'whole\n'.repeat(4)])
  })

  it('has no memory file system without an end', async ({ skip }) => {
    if (sandbox.state.state === 'off') return skip()
    const { output } = await run('df -k --output=size /dev/shm | tail -1; touch /dev/other /other', {
      memoryBytes: 128 * megabyte,
    })
    expect(output).toMatch(/^\s*131072\n/)
    expect(output.match(/cannot touch/g)).toHaveLength(2)
  })

  it('is ended when it has too many processes', async () => {
    const outcome = await run('for i in {1..300}; do sleep 60 & done; wait', { processes: 64 })
    expect(outcome).toMatchObject({
      endedBy: 'processes',
      reached: 'It had 64 processes and threads at once (sandbox.limits.processes)',
    })
    expect(world.survivors()).toEqual([])
  })

  it('is ended when its programs use too much processor time together', async () => {
    const { endedBy, reached } = await run('for i in 1 2 3; do (while :; do :; done) & done; wait', { cpuSeconds: 1 })
    expect([endedBy, reached]).toEqual([
      'cpu',
      'It used more than 1 seconds of processor time (sandbox.limits.cpu_seconds)',
    ])
  })

  // Mutation: without the look before it is ended, nothing is named.
  it('is ended when its time is up, and the result names the hook that git was waiting for', async () => {
    const command = `git init -q --template= .; mkdir .git/hooks; printf '#!/bin/sh\nsleep 60\n' > .git/hooks/pre-commit
      chmod +x .git/hooks/pre-commit; git -c user.name=n -c user.email=e commit -q --allow-empty -m x`
    const outcome = await world.run(command, { timeoutMs: 1_500 })
    expect(outcome).toMatchObject({ endedBy: 'time', output: '' })
    expect(adviceFor(outcome, command)).toEqual([expect.stringMatching(/^The hook pre-commit of git was running/)])
  })

  it('is held by the kernel to open files and processes, and leaves no core file', async () => {
    const { output } = await run('ulimit -Hn; ulimit -Hu; ulimit -c', { openFiles: 200, processes: 300 })
    expect(output).toBe('200\n300\n0\n')
  })

  it('goes on without more open files, and the result names the limit', async () => {
    const outcome = await run(`perl -e 'for (1..300) { open $f[$_], "<", "/dev/null" or die $! }'`, { openFiles: 64 })
    expect(outcome).toMatchObject({
      endedBy: 'itself',
      reached: 'One of its programs could not have more than 64 files open at once (sandbox.limits.open_files)',
    })
  })
})
