import { spawnSync } from 'node:child_process'
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

  // Mutation: without `mappedMemory` it goes on, because pages that were given up belong to nobody, but stay in their file.
  it.runIf(process.arch === 'x64')('is ended when it holds memory that it shared and then gave up', async () => {
    const piece = 8 * megabyte
    const [map, zeros] = [`syscall(9, 0, ${25 * piece}, 3, 0x21, -1, 0)`, 'open($z, "<", "/dev/zero")']
    const fill = `$p = $at + $_ * ${piece}; syscall(0, fileno $z, $p, ${piece}); syscall(28, $p, ${piece}, 4)`
    const script = `$at = ${map}; ${zeros}; for (0..24) { ${fill} } print "given up"; sleep 60`
    expect((await run(`perl -e '${script}'`, { memoryBytes: 128 * megabyte })).endedBy).toBe('memory')
  })

  const hidden = [
    // Mutation: with the descriptors of first threads alone, each of these goes on.
    ['in a thread with descriptors of its own', 'libc.unshare(0x400)', 'worker.join()'],
    [
      'in a thread that goes on without the first',
      'time.sleep(0.3)',
      'libc.syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)',
    ],
    // As an ordinary user, for whom its descriptors are those of root. Mutation: then nothing of it is seen without `grown`.
    ['in a program at which nobody may look', 'libc.prctl(4, 0, 0, 0, 0)', 'worker.join()'],
  ] as const
  it.skipIf(spawnSync('python3', ['-V']).error !== undefined).each(hidden)(
    'is ended when it holds memory %s',
    async (_where, first, last) => {
      const program = `import ctypes, os, threading, time
libc = ctypes.CDLL(None)
def hold():
  ${first}
  file = os.memfd_create("a")
  for _ in range(25): os.write(file, b"x" * ${8 * megabyte})
  time.sleep(60)
worker = threading.Thread(target=hold)
worker.start()
${last}`
      const { endedBy } = await run(`python3 -c '${program}'`, { memoryBytes: 128 * megabyte })
      expect(endedBy).toBe('memory')
    },
  )

  // Mutation: without its number in the filter, pages that not even the kernel sees are counted nowhere.
  it('has no memory that the kernel hides from itself', async ({ skip }) => {
    if (sandbox.state.state === 'off') return skip()
    expect((await run(`perl -e 'print syscall(447, 0)'`, {})).output).toBe('-1')
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
