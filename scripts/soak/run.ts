// `npm run soak`: the tests at full size, in parts that can be continued.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { findSystemBrowser, headlessFirst } from '../browser-options.ts'
import { setup } from '../test-setup.ts'
import { type Asked, help, type Options, readOptions, UsageError } from './options.ts'
import type { Part } from './part.ts'
import { parts } from './parts.ts'
import { type Absent, machineLine, markdownReport, shownTime, textReport } from './report.ts'
import { absenceOf, createChunkRunner, root } from './run-chunk.ts'
import { openState, soak } from './soak.ts'
import { lockState, readState, stateOf } from './state.ts'

const mostUnkind = 19

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const names = parts.map(({ name }) => name)
  try {
    const asked: Asked = readOptions(args, names)
    if (asked.kind === 'help') return say(help)
    if (asked.kind === 'list') return say(listed(asked))
    return await run(asked)
  } catch (error) {
    process.stderr.write(`soak: ${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function run(options: Options): Promise<number> {
  openState(options, Date.now())
  using _lock = lockState(options.stateFile)
  setPriority(mostUnkind)
  process.env.COPPICE_SOAK = '1'
  const chosen = parts.filter(({ name }) => options.only?.includes(name) ?? true)
  const browser = process.env.COPPICE_BROWSER ?? findSystemBrowser(headlessFirst)
  const absent = new Map(
    chosen.flatMap((part) => {
      const why = absenceOf(part, browser)
      return why === null ? [] : [[part.name, why] as const]
    }),
  )
  for (const [name, why] of absent) say(`${name} cannot run here: ${why}\n`)
  build(chosen, absent)
  const clean = await setup()
  const runner = createChunkRunner({ ...process.env, ...(browser !== undefined && { COPPICE_BROWSER: browser }) })
  let stops = 0
  const stop = () => {
    stops += 1
    if (stops > 1) runner.end()
    else say('Stopping after this chunk. Press Ctrl-C again to end it at once.\n')
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  try {
    const commit = commitHere()
    const { state, code } = await soak(options, chosen, {
      runner,
      absent,
      commit,
      now: () => Date.now(),
      elapsed: () => performance.now(),
      isStopped: () => stops > 0,
      say: (line) => say(`${line}\n`),
    })
    const machine = machineLine(commit)
    say(`\n${textReport(state, parts, absent, machine)}`)
    if (options.reportFile !== null) writeReport(options.reportFile, markdownReport(state, parts, absent, machine))
    return code
  } finally {
    clean()
  }
}

/** Builds the app if a part of this call needs it and a source is newer. */
function build(chosen: readonly Part[], absent: Absent): void {
  if (!chosen.some(({ name, work }) => work.kind === 'playwright' && !absent.has(name))) return
  const script = `import { isBuilt } from ${JSON.stringify(join(root, 'scripts/is-built.mjs'))}; process.exit(isBuilt() ? 0 : 1)`
  if (spawnSync(process.execPath, ['--input-type=module', '-e', script]).status === 0) return
  say('Building the app.\n')
  const vite = join(root, 'node_modules/.bin/electron-vite')
  const built = spawnSync(vite, ['build', '--logLevel', 'warn'], { cwd: root, stdio: 'inherit' })
  if (built.status !== 0) throw new Error('The app could not be built.')
}

function listed({ stateFile }: Options): string {
  const state = readState(stateFile)
  const lines = parts.map((part) => {
    const own = state ? stateOf(state, part) : null
    const done = own ? `${own.done.toLocaleString('en')} of ` : ''
    const time = own && own.chunks > 0 ? `, ${shownTime(own.seconds)}, ${own.failures.length} failures` : ''
    return `${part.name}: ${done}${part.goal.toLocaleString('en')} ${part.unit}${time}\n  ${part.about}\n`
  })
  return lines.join('')
}

function writeReport(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function commitHere(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}

function say(text: string): 0 {
  process.stdout.write(text)
  return 0
}
