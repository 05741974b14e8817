import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { MountView } from '#core/ports/branch-mounts.ts'
import { describeShell } from '#core/ports/shell.contract.ts'
import type { ShellRequest } from '#core/ports/shell.ts'
import { testSize, timeLimit } from '#core/ports/test-size.testkit.ts'
import { noSandbox } from './sandbox.ts'
import { createShell } from './shell.ts'

const shell = createShell({ sandbox: noSandbox('none here'), rootFolder: null })
let above: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-shell-'))
  for (const part of ['files', 'home', 'tmp']) mkdirSync(join(above, part))
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

/** Existing folders in place of a mount, which is all the shell needs. */
function plainView(): MountView {
  return {
    folder: join(above, 'files'),
    home: join(above, 'home'),
    temporary: join(above, 'tmp'),
    places: [],
    leftOut: [],
    evicted: [],
    missing: null,
    enter: (program) => program,
  }
}
const run = (command: string, request: Partial<ShellRequest> = {}, signal = never) =>
  shell.execute({ command, timeoutMs: 20_000, mount: plainView(), onOutput: () => undefined, ...request }, signal)

/** A killed process without a parent may wait to be collected, but does nothing any more. */
function isAlive(pid: number): boolean {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
  return stat !== '' && !/\) Z /.test(stat)
}

describeShell('bash', async () => ({
  shell,
  mount: plainView(),
  async fileOf(path) {
    const file = join(above, 'files', path)
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  },
  [Symbol.asyncDispose]: async () => undefined,
}))

/** In bytes. The nightly run uses 10 GB. */
const flood = testSize(20_000_001, 10_000_000_001)

describe('shell', () => {
  // Mutation: give them to the program that makes the sandbox, which then loads what a project named.
  it('sets the variables of a project inside of the command alone, whatever their text', async () => {
    const value = `it's "$HOME" \\ \n$(echo no)`
    const findVariables = () => ({ GIVEN: value, LD_PRELOAD: '/nowhere.so' })
    const given = createShell({ sandbox: noSandbox('none here'), rootFolder: null, findVariables })
    const request = { timeoutMs: 20_000, mount: plainView(), onOutput: () => undefined }
    const shown = await given.execute({ ...request, command: 'printf %s "$GIVEN"' }, never)
    expect(shown.output).toContain(value)
    const own = await given.execute({ ...request, command: `tr '\\0' '\\n' < /proc/$$/environ` }, never)
    if (process.platform === 'linux') expect(own.output).not.toMatch(/^(GIVEN|LD_PRELOAD)=/m)
    expect((await run(`echo "\${GIVEN-none}"`)).output).toBe('none\n')
  })

  it('gives an input of any size, also to a command that does not read it', async () => {
    const input = 'x'.repeat(4 * 1024 * 1024)
    expect((await run('cd . && wc -c', { input })).output.trim()).toBe(String(input.length))
    expect(await run('echo unread', { input })).toMatchObject({ exitCode: 0, output: 'unread\n' })
  })

  it('names the certificates that the machine trusts, but none that a command cannot read', async () => {
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/ssl/certs/own.pem')
    vi.stubEnv('SSL_CERT_FILE', '/home/me/own.pem')
    const { output } = await run('echo "$NODE_EXTRA_CA_CERTS $SSL_CERT_FILE."')
    vi.unstubAllEnvs()
    expect(output).toBe('/etc/ssl/certs/own.pem .\n')
  })

  it('has a clean environment and a home of its own', async () => {
    process.env.ANTHROPIC_API_KEY = 'canary-key'
    process.env.COPPICE_CANARY = 'canary-value'
    const outcome = await run('env; cd ~ && pwd && ls -A')
    delete process.env.ANTHROPIC_API_KEY
    delete process.env.COPPICE_CANARY
    expect(outcome.output).not.toContain('canary')
    expect(outcome.output).toContain(`HOME=${above}/home`)
    expect(outcome.output).toContain('TERM=dumb')
  })

  it('streams output as it comes and reports the exit code or the signal', async () => {
    const pieces: string[] = []
    const outcome = await run('echo one; sleep 0.2; echo two >&2; exit 3', { onOutput: (piece) => pieces.push(piece) })
    expect(pieces).toEqual(['one\n', 'two\n'])
    expect(outcome).toMatchObject({ exitCode: 3, output: 'one\ntwo\n' })
    expect(await run('kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  })

  it('keeps head and tail of a flood, and whole characters', async () => {
    const timeoutMs = timeLimit(20_000)
    const outcome = await run(`echo first; yes 'äöü' | head -c ${flood}; echo; echo last`, { timeoutMs })
    expect(outcome.output.length).toBeLessThan(1_100_000)
    expect(outcome.output.startsWith('first\n')).toBe(true)
    expect(outcome.output.endsWith('last\n')).toBe(true)
    expect(outcome.omittedBytes).toBeGreaterThan(18_000_000)
    expect(outcome.output.replace(/\ufffd(?=\n)/, '')).not.toContain('\ufffd')
  })

  it('streams all output of a command that stays', async () => {
    let bytes = 0
    const onOutput = (piece: string) => {
      bytes += piece.length
    }
    await run(`yes | head -c 3000000`, { onOutput, onStart: () => undefined })
    expect(bytes).toBe(3_000_000)
  })

  it('ends a whole group that ignores SIGTERM at the time limit', async () => {
    const stubborn = `trap '' TERM; (trap '' TERM; sleep 300; echo child > c) & echo partial > p; sleep 300`
    expect(await run(stubborn, { timeoutMs: 500 })).toMatchObject({ endedBy: 'time' })
    expect(readFileSync(join(above, 'files/p'), 'utf8')).toBe('partial\n')
  })

  it('stops at once and rejects with the reason', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort('stopped'), 300)
    await expect(run(`trap '' TERM; sleep 300 & wait; sleep 300`, {}, controller.signal)).rejects.toBe('stopped')
  })

  it('keeps working when a command removes its own home', async () => {
    expect(await run('rm -rf ~; sleep 1; echo end')).toMatchObject({ exitCode: 0, output: 'end\n' })
  })

  it('ends processes that the command left in the background', async () => {
    const outcome = await run(`(sleep 300; echo late) & echo "pid $!"`)
    const pid = Number(/pid (\d+)/.exec(outcome.output)?.[1])
    // Closing its files ends the run a moment before the process counts as ended.
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})
