import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { MountView } from './branch-mounts.ts'
import type { CommandShell, RunningCommand, ShellRequest } from './shell.ts'

/** A shell and a mount to run commands in. Disposed with the test. */
export interface ShellUnderTest extends AsyncDisposable {
  readonly shell: CommandShell
  readonly mount: MountView
  /** The text of a file of the mount, by its path relative to the mount's folder; null when there is none. */
  readonly fileOf: (path: string) => Promise<string | null>
}

const never = new AbortController().signal
let under: ShellUnderTest

const run = (command: string, request: Partial<ShellRequest> = {}, signal = never) =>
  under.shell.execute({ command, timeoutMs: 20_000, mount: under.mount, onOutput: () => undefined, ...request }, signal)

/** What every shell must do, in bash. */
export function describeShell(name: string, create: () => Promise<ShellUnderTest>): void {
  describe(`Shell: ${name}`, () => {
    beforeEach(async () => {
      under = await create()
    })
    afterEach(() => under[Symbol.asyncDispose]())
    describeRunning()
    describeEnding()
    describeDeclaring()
    describeStaying()
  })
}

function describeRunning(): void {
  it('starts in the folder of the mount and changes its files', async () => {
    const outcome = await run('pwd; mkdir -p src/deep; echo one > src/deep/a.txt; echo two >> src/deep/a.txt')
    expect(outcome).toMatchObject({ exitCode: 0, signal: null, output: `${under.mount.folder}\n`, endedBy: 'itself' })
    expect(await under.fileOf('src/deep/a.txt')).toBe('one\ntwo\n')
  })

  it('finds the files that the previous command left', async () => {
    await run('echo kept > a.txt')
    expect((await run('cat a.txt')).output).toBe('kept\n')
    await run('rm a.txt')
    expect(await under.fileOf('a.txt')).toBeNull()
  })

  it('returns all output, and streams the same text while it runs', async () => {
    const pieces: string[] = []
    const onOutput = (piece: string) => void pieces.push(piece)
    const outcome = await run('echo one; echo error >&2; printf three', { onOutput })
    expect(outcome.output.replace('error\n', '')).toBe('one\nthree')
    expect(outcome.output).toContain('error\n')
    expect(pieces.join('')).toBe(outcome.output)
    expect(outcome.omittedBytes).toBe(0)
  })

  it('gives the command the home and the temporary folder of the mount', async () => {
    const { home, temporary } = under.mount
    const { output } = await run(
      'echo h > ~/h; echo t > "$TMPDIR/t"; cat "$HOME/h"; echo "$HOME $TMPDIR"; cat $TMPDIR/t',
    )
    expect(output).toBe(`h\n${home} ${temporary}\nt\n`)
  })

  it('continues after a failed command, and obeys && and ||', async () => {
    expect((await run('false; echo on')).output).toBe('on\n')
    expect((await run('false && echo no || echo yes; true && echo yes')).output).toBe('yes\nyes\n')
  })

  it('gives the command its input, and nothing to read without one', async () => {
    expect((await run('cd . && cat', { input: 'ä 日本\nend' })).output).toBe('ä 日本\nend')
    expect((await run('echo one && cat')).output).toBe('one\n')
  })

  it('passes on text through pipes, in every script', async () => {
    expect((await run("printf 'b\\na\\nä 日本\\n' | sort | cat")).output).toBe('a\nb\nä 日本\n')
  })
}

function describeEnding(): void {
  it.each([
    ['exit 3; echo never', 3],
    ['true', 0],
    ['echo x; false', 1],
  ])('returns the exit code of %s', async (command, exitCode) => {
    expect(await run(command)).toMatchObject({ exitCode, endedBy: 'itself' })
  })

  it('reports a missing program, with exit code 127', async () => {
    const outcome = await run('no-such-program-anywhere now')
    expect(outcome.exitCode).toBe(127)
    expect(outcome.output).toContain('no-such-program-anywhere: command not found')
  })

  it('ends at its time limit and keeps what was written before', async () => {
    const outcome = await run('echo partial > p.txt; echo begun; sleep 30; echo never', { timeoutMs: 300 })
    expect(outcome).toMatchObject({ endedBy: 'time', output: 'begun\n' })
    expect(await under.fileOf('p.txt')).toBe('partial\n')
  })

  it('rejects with the reason of the signal, before the start and in the middle', async () => {
    await expect(run('echo never > n.txt', {}, AbortSignal.abort('before'))).rejects.toBe('before')
    expect(await under.fileOf('n.txt')).toBeNull()
    const controller = new AbortController()
    const stop = () => controller.abort('stopped')
    await expect(run('echo begun; sleep infinity', { onOutput: stop }, controller.signal)).rejects.toBe('stopped')
  })

  it('says how commands are isolated from the rest of the machine', () => {
    const { state, reason } = under.shell.sandbox()
    expect(['on', 'partial', 'off']).toContain(state)
    expect(reason).not.toBe('')
  })
}

function describeDeclaring(): void {
  it('removes declared tasks from the output and returns them in their order', async () => {
    const { declared, output, exitCode } = await run(
      `echo before; spawn_subagent "first task"; spawn_subagent --type reviewer --id n2 'say "hi"'; echo after`,
      { declares: true },
    )
    expect({ output, exitCode }).toEqual({ output: 'before\nafter\n', exitCode: 0 })
    expect(declared.map((json) => JSON.parse(json))).toEqual([
      { description: 'first task' },
      { description: 'say "hi"', type: 'reviewer', id: 'n2' },
    ])
  })

  it('declares nothing without an instruction, and offers the command only on request', async () => {
    const wrong = await run('spawn_subagent --id x', { declares: true })
    expect(wrong).toMatchObject({ exitCode: 2, declared: [] })
    const undeclared = await run('spawn_subagent one')
    expect(undeclared).toMatchObject({ exitCode: 127, declared: [] })
  })
}

/** Starts a command that stays. Resolves once it has printed `printed`. */
async function start(command: string, printed: string, signal = never) {
  const output = { text: '' }
  const held = Promise.withResolvers<RunningCommand>()
  const seen = Promise.withResolvers<void>()
  const ended = run(
    command,
    {
      onStart: held.resolve,
      onOutput(piece) {
        output.text += piece
        if (output.text.includes(printed)) seen.resolve()
      },
    },
    signal,
  )
  ended.catch(() => undefined)
  const running = await held.promise
  await Promise.race([seen.promise, ended])
  return { running, ended, output }
}

function describeStaying(): void {
  it('runs a command that stays until it is asked to end', async () => {
    const { running, ended, output } = await start('echo begun; sleep infinity', 'begun')
    running.askToEnd()
    expect(await ended).toMatchObject({ exitCode: null, signal: 'SIGTERM', endedBy: 'itself' })
    expect(output.text).toBe('begun\n')
  })

  it('passes on what is written to a command that stays', async () => {
    const { running, ended, output } = await start('echo begun; cat', 'begun')
    running.write('one\ntwo\n')
    await expect.poll(() => output.text).toBe('begun\none\ntwo\n')
    running.askToEnd()
    await ended
  })

  it('shows changes of files to a command that stays', async () => {
    const { running, ended } = await start('mkdir -p old; echo 1 > old/a; echo begun; sleep infinity', 'begun')
    const bytes = new TextEncoder().encode('new text\n')
    const path = (name: string) => name as VirtualPath
    running.show([
      { kind: 'file', path: path('/src/deep/b.txt'), bytes, executable: false },
      { kind: 'absent', path: path('/old') },
      { kind: 'symlink', path: path('/link'), target: 'src' },
      { kind: 'file', path: path('/last'), bytes: new Uint8Array(), executable: true },
    ])
    await expect.poll(() => under.fileOf('last')).toBe('')
    expect(await under.fileOf('src/deep/b.txt')).toBe('new text\n')
    expect(await under.fileOf('link/deep/b.txt')).toBe('new text\n')
    expect(await under.fileOf('old/a')).toBeNull()
    running.askToEnd()
    await ended
  })

  it('ends a command that stays and does not listen, with the reason of the signal', async () => {
    const controller = new AbortController()
    const { running, ended } = await start('echo begun; sleep infinity', 'begun', controller.signal)
    controller.abort('stopped')
    await expect(ended).rejects.toBe('stopped')
    running.write('nobody reads this')
    running.show([{ kind: 'absent', path: '/x' as VirtualPath }])
    running.askToEnd()
  })
}
