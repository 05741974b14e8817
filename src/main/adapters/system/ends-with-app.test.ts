import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appMark, endAbandoned } from './ends-with-app.ts'
import { markFolder } from './made-folders.testkit.ts'

let folder: string
let before: string | undefined
beforeEach(() => {
  before = process.env.TMPDIR
  folder = mkdtempSync(join(tmpdir(), 'mark-'))
})
afterEach(() => {
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  rmSync(folder, { recursive: true, force: true })
})

/** A temporary folder of an app, as its mark says. */
function record(name: string, change: object): void {
  const made = mkdtempSync(join(folder, `coppice-${name}-`))
  markFolder(made, change)
}

async function endedPid(): Promise<number | undefined> {
  const ended = spawn(process.execPath, ['-e', ''])
  await once(ended, 'exit')
  return ended.pid
}

describe.runIf(process.platform === 'linux')('the mark of programs', () => {
  it('says nothing of the app and the machine', () => {
    expect(Object.keys(appMark())).toEqual(['COPPICE_RUN'])
    expect(appMark().COPPICE_RUN).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(appMark()).toEqual(appMark())
  })

  it('leads to the programs of an app that has ended, and to those of no other', async () => {
    process.env.TMPDIR = folder
    const dead = { pid: await endedPid() }
    const [deadRun, livingRun] = [randomUUID(), randomUUID()]
    record('run', { ...dead, run: deadRun })
    record('run', { run: livingRun })
    // Anybody may write that a living app is dead. An empty name would fit every process without a mark.
    record('forged', { ...dead, run: livingRun })
    record('empty', { ...dead, run: '' })
    const start = (run?: string) => spawn('sleep', ['600'], { env: run ? { COPPICE_RUN: run } : {}, stdio: 'ignore' })
    const [left, living, unknown] = [start(deadRun), start(livingRun), start()]
    const exited = once(left, 'exit')
    await Promise.all([left, living, unknown].map((one) => (one.pid === undefined ? once(one, 'spawn') : null)))
    try {
      await expect.poll(() => endAbandoned()).toBe(1)
      expect(await exited).toEqual([null, 'SIGKILL'])
      expect([living, unknown].map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([null, null])
    } finally {
      for (const one of [left, living, unknown]) one.kill('SIGKILL')
    }
  })

  it('leaves no folder behind when the app ends by itself', async () => {
    const module = join(import.meta.dirname, 'ends-with-app.ts')
    const code = `const { appMark } = await import(${JSON.stringify(module)}); appMark()`
    const app = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', code], {
      env: { ...process.env, TMPDIR: folder },
      stdio: 'inherit',
    })
    expect(await once(app, 'exit')).toEqual([0, null])
    expect(existsSync(folder) && readdirSync(folder)).toEqual([])
  })
})
