import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { sandboxHere } from '#adapters/shell/sandbox-here.testkit.ts'

let above: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'ka-'))
  for (const folder of ['root', 't']) mkdirSync(join(above, folder))
  writeFileSync(join(above, 'root/a'), 'one\n')
})
afterEach(() => {
  // The system's own folders of an overlay are closed.
  execFileSync('chmod', ['-R', 'u+rwX', above])
  rmSync(above, { recursive: true, force: true })
})

/** Resolves when the app is in the middle of its part. */
async function startApp(part: 'everything' | 'copy' | 'server' | 'start', data = 'data') {
  const [program = '', child = ''] = ['killed-app', 'runner-child'].map((name) =>
    join(String(process.env.COPPICE_TEST_CHILDREN), `${name}.mjs`),
  )
  const app = spawn(process.execPath, ['--no-warnings', program, above, part, child, data], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: join(above, 't') },
  })
  // It is busy for ever, so a test that failed must not leave it.
  onTestFinished(() => void app.kill('SIGKILL'))
  const ended = once(app, 'exit').then(() => Promise.reject(new Error('The app ended before it was ready.')))
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`It is not ready:\n${traces({ app }).join('\n')}`)), 40_000)
  const [said] = await Promise.race([once(app.stdout, 'data'), ended, late.promise])
  clearTimeout(timer)
  ended.catch(() => undefined)
  return { app, ...(JSON.parse(String(said)) as Omit<RunningApp, 'app'>) }
}

interface RunningApp {
  readonly app: ChildProcess
  readonly ended: number
  readonly swept: readonly string[]
  /** What its programs carry. */
  readonly run: string
}

async function kill(app: ChildProcess): Promise<void> {
  app.kill('SIGKILL')
  await once(app, 'exit')
}

/** Processes that carry the app's mark, or name its folders in their command line, mounts or open files. */
function traces({ app: { pid }, run = above }: Pick<RunningApp, 'app'> & Partial<RunningApp>): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(pid) && name !== String(process.pid))
    .filter((one) => {
      const command = textOf(`/proc/${one}/cmdline`)
      const isOurs = textOf(`/proc/${one}/environ`).includes(`COPPICE_RUN=${run}`) || command.includes(above)
      return (isOurs || textOf(`/proc/${one}/mountinfo`).includes(above)) && command !== ''
    })
    .map((one) => `${one} ${textOf(`/proc/${one}/cmdline`).replaceAll('\0', ' ')}`)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const bothLanguages = /javascript[\s\S]*python|python[\s\S]*javascript/
const temporaries = () => readdirSync(join(above, 't'))

const { state } = await sandboxHere('an app that is killed with commands')

describe.runIf(process.platform === 'linux' && state === 'on')('an app that is killed', () => {
  /** Noticed: the relay of the proxy, endless JavaScript and ripgrep outlived the app, and their folders every start. */
  it('leaves no process behind, and no folder, view or mount after the next start', async () => {
    const running = await startApp('everything')
    const commands = () => traces(running).join('\n')
    await expect.poll(commands).toMatch(bothLanguages)
    for (const part of [/sleep 1000/, /endless/, /while next order/, /UNIX-LISTEN/]) expect(commands()).toMatch(part)
    expect(temporaries().length).toBeGreaterThan(0)
    await kill(running.app)
    await expect.poll(() => traces(running)).toEqual([])
    const left = temporaries()
    const { swept } = await startApp('start')
    expect(swept.map((folder) => folder.split('/').at(-1)).sort()).toEqual(left.toSorted())
    expect(temporaries()).toEqual([])
    expect(readdirSync(join(above, 'data/views')).filter((name) => !name.startsWith('.'))).toHaveLength(1)
    expect(readFileSync(join(above, 'root/a'), 'utf8')).toBe('one\n')
  })

  /** A plain process group is all that a copy without a sandbox has. Noticed the missing sweep by the mark. */
  it('leaves nothing of an unconfined command in a copy after the next start', async () => {
    const running = await startApp('copy')
    await kill(running.app)
    await startApp('start')
    await expect.poll(() => traces(running)).toEqual([])
  })

  /** Noticed: servers carried no mark and had no tie to the app. */
  it('leaves no server, and nothing that a server started, after the next start', async () => {
    const running = await startApp('server')
    await expect.poll(() => traces(running).join('\n')).toMatch(/\d+ bash -c sleep 2000/)
    await kill(running.app)
    await startApp('start')
    await expect.poll(() => traces(running)).toEqual([])
  })

  /** Noticed: a signal with the end of the app is asked for too late by a program that was started just before. */
  it('leaves no holder of a network, however early in its start it was killed', async () => {
    const program = join(import.meta.dirname, '../../adapters/shell/processes/killed-holders.testkit.ts')
    const app = spawn(process.execPath, ['--no-warnings', program, above, '40'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: join(above, 't') },
    })
    const [[said]] = await Promise.all([once(app.stdout, 'data'), once(app, 'exit')])
    const run = String(said)
    expect(run).toMatch(/^[\da-f-]{36}$/)
    await expect.poll(() => traces({ app, run })).toEqual([])
  })

  it('is the only one whose processes and folders the next start ends and removes', async () => {
    const living = await startApp('everything')
    // The programs themselves: what enters a view for them comes and goes while it is made.
    const programs = () => traces(living).filter((line) => /^\d+ (sleep|\S*\/(rg|node)) /.test(line))
    await expect.poll(() => programs().join('\n')).toMatch(bothLanguages)
    const before = [...programs(), ...temporaries()]
    const { ended, swept } = await startApp('start', 'other-data')
    expect([ended, swept]).toEqual([0, []])
    expect([...programs(), ...temporaries()]).toEqual(expect.arrayContaining(before))
    await kill(living.app)
    await expect.poll(() => traces(living)).toEqual([])
  })
})
