import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appMark, describeHelpers, endAbandoned, watchedBySize } from './ends-with-app.ts'
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

/** What systems get whose kernel does not count the memory of one program. */
describe.skipIf(process.platform === 'win32')('a program whose size is watched', () => {
  const megabyte = 1024 * 1024
  const run = (words: readonly string[], mostBytes: number, input?: string) => {
    const [program = '', ...rest] = watchedBySize(words, mostBytes)
    return spawnSync(program, rest, { input, encoding: 'utf8' })
  }
  const node = (code: string) => [process.execPath, '-e', code]

  // Mutation: leave `kill` out of `watchSize`, or compare with bytes: the program never ends.
  it('is killed when it has grown too large, and a smaller one goes on', () => {
    const grow = (megabytes: number, end: string) => `const held = Buffer.alloc(${megabytes} * 1e6, 1); ${end}; held[0]`
    expect(run(node(grow(400, 'setInterval(() => {}, 1e6)')), 200 * megabyte).signal).toBe('SIGKILL')
    expect(run(node(grow(50, 'setTimeout(() => {}, 1500)')), 400 * megabyte)).toMatchObject({ status: 0, signal: null })
  })

  // Mutation: start the program beside the watcher instead of in its place.
  it('has its own streams, exit code and process number, and its output ends with it', async () => {
    expect(run(['cat'], megabyte, 'words')).toMatchObject({ stdout: 'words', stderr: '', status: 0 })
    expect(run(['sh', '-c', 'echo "$1" >&2; exit 3', 'sh', '$HOME "a  b"'], megabyte)).toMatchObject({
      ...{ stdout: '', stderr: '$HOME "a  b"\n', status: 3 },
    })
    const [program = '', ...words] = watchedBySize(['sh', '-c', 'echo $$'], megabyte)
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    for await (const piece of child.stdout.setEncoding('utf8')) printed += piece
    expect(Number(printed)).toBe(child.pid)
  })
})

it('says what holds programs that read for the app, on each system', () => {
  expect(describeHelpers(true, 'linux')).toMatch(/end at 512 MB/)
  expect(describeHelpers(false, 'darwin')).toMatch(/512 MB.*looked at twice a second/)
  expect(describeHelpers(false, 'win32')).toMatch(/time and output alone/)
})
