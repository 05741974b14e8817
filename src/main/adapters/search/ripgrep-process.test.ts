import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runRipgrep } from './ripgrep-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'coppice-ripgrep-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A pipe that nobody writes to, so that a search of it never ends by itself. */
function endlessFile(name: string): string {
  const path = join(folder, name)
  execFileSync('mkfifo', [path])
  return path
}

/** The command lines of running programs that name a text. */
function running(text: string): readonly string[] {
  const listed = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  return listed.split('\n').filter((line) => line.includes(text) && !line.includes('killed-search'))
}

const nothing = () => undefined

describe.skipIf(process.platform === 'win32')('ripgrep', () => {
  it('ends at its time limit with what it found', async () => {
    const pipe = endlessFile('slow')
    const run = await runRipgrep(['x', pipe], folder, 0x0a, nothing, new AbortController().signal, {
      milliseconds: 300,
    })
    expect(run.truncated).toBe(true)
    expect(running(pipe)).toEqual([])
  })

  it('ends when the search is stopped', async () => {
    const pipe = endlessFile('stopped')
    const controller = new AbortController()
    const run = runRipgrep(['x', pipe], folder, 0x0a, nothing, controller.signal)
    await expect.poll(() => running(pipe).length).toBeGreaterThan(0)
    controller.abort('enough')
    await expect(run).rejects.toBe('enough')
    await expect.poll(() => running(pipe)).toEqual([])
  })

  /** Notices a search that is not tied to the life of the app. */
  it('ends with a process that was killed', async () => {
    const pipe = endlessFile('killed')
    const app = spawn(process.execPath, [join(import.meta.dirname, 'killed-search.testkit.ts'), pipe, folder])
    await once(app.stdout, 'data')
    await expect.poll(() => running(pipe).length).toBeGreaterThan(0)
    app.kill('SIGKILL')
    await expect.poll(() => running(pipe)).toEqual([])
  })
})
