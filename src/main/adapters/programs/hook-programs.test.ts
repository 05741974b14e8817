import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createHookPrograms } from './hook-programs.ts'

const folder = mkdtempSync(join(tmpdir(), 'hooks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const programs = createHookPrograms({
  folder: () => folder,
  privateFolder: join(folder, 'private'),
  environment: () => ({ PATH: process.env.PATH ?? '' }),
})
const run = (command: string, timeoutMs = 20_000, signal = new AbortController().signal) =>
  programs.run({ command, args: null, timeoutMs }, { tool_name: 'Bash' }, signal)

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe.skipIf(process.platform === 'win32')('a hook on the machine', () => {
  it('gets the message and the folder, and its end is told', async () => {
    expect(await run('cat; echo "$CLAUDE_PROJECT_DIR" >&2; pwd >&2; exit 3')).toEqual({
      ...{ exitCode: 3, stdout: '{"tool_name":"Bash"}', stderr: `${folder}\n${folder}\n`, problem: null },
    })
  })

  it('may be a program with arguments, which no shell reads', async () => {
    const args = ['%s', '$HOME;', `\${CLAUDE_PROJECT_DIR}/x`]
    const { stdout } = await programs.run(
      { command: 'printf', args, timeoutMs: 9_000 },
      {},
      new AbortController().signal,
    )
    expect(stdout).toBe(`$HOME;${folder}/x`)
  })

  it('starts in a private folder and does not learn the project, before that is trusted', async () => {
    const privateFolder = join(folder, 'private')
    const apart = createHookPrograms({
      folder: () => null,
      privateFolder,
      environment: () => ({ PATH: process.env.PATH ?? '' }),
    })
    const end = await apart.run(
      { command: 'pwd; echo "[$CLAUDE_PROJECT_DIR]"', args: null, timeoutMs: 9_000 },
      {},
      new AbortController().signal,
    )
    expect(end.stdout).toBe(`${privateFolder}\n[]\n`)
  })

  it('that cannot be started says so', async () => {
    const end = await programs.run(
      { command: '/nowhere/hook', args: [], timeoutMs: 9_000 },
      {},
      new AbortController().signal,
    )
    expect(end.problem).toContain('It could not be started')
  })

  it('that prints without end is ended, at the cost of a megabyte', async () => {
    const before = process.memoryUsage().rss
    const end = await run('yes', 60_000)
    expect(end).toMatchObject({ exitCode: null, problem: 'It printed more than 1 MB, so it was ended.' })
    expect(end.stdout.length).toBeLessThanOrEqual(1024 * 1024)
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
  })

  it('that hangs is ended with all that it started', async () => {
    const end = await run('sleep 600 & echo $!; wait', 300)
    expect(end.problem).toBe('It did not end within 0.3 s, so it was ended.')
    await expect.poll(() => isAlive(Number(end.stdout))).toBe(false)
  })

  it('that leaves something running has ended, and that with it', async () => {
    const end = await run('sleep 600 & echo $!')
    expect(end).toMatchObject({ exitCode: 0, problem: null })
    await expect.poll(() => isAlive(Number(end.stdout))).toBe(false)
  })

  it('that does not read its input, or closes it, ends well', async () => {
    expect((await run('exec 0<&-; exit 0')).exitCode).toBe(0)
  })

  it('ends with the run', async () => {
    const stop = new AbortController()
    const running = run('echo on; sleep 600', 60_000, stop.signal)
    stop.abort(new Error('Stopped.'))
    await expect(running).rejects.toThrow('Stopped.')
  })
})
