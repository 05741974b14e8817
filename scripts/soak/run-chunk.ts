import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import type { Chunk, Part, Work } from './part.ts'
import type { ChunkResult } from './state.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const fuzzer = 'scripts/fuzz/run.ts'
const longestWhat = 3_000

/** Runs chunks as programs of their own. `end` kills the running one. */
export interface ChunkRunner {
  run(part: Part, chunk: Chunk): Promise<ChunkResult>
  end(): void
}

export function createChunkRunner(environment: NodeJS.ProcessEnv): ChunkRunner {
  let running: ChildProcess | undefined
  return {
    async run(part, chunk) {
      const began = performance.now()
      const failures: string[] = []
      let ran = false
      for (const command of commandsOf(part, chunk)) {
        const ended = await run(command, environment, (child) => {
          running = child
        })
        const outcome = command.read(ended)
        ran ||= outcome.ran
        if (outcome.what !== null) failures.push(outcome.what)
      }
      const what = failures.join('\n').slice(0, longestWhat)
      const failure = failures.length > 0 ? { what, replay: replayOf(part, chunk) } : null
      return { ran, seconds: (performance.now() - began) / 1000, failure }
    },
    end() {
      if (running?.pid !== undefined && running.exitCode === null) process.kill(-running.pid, 'SIGKILL')
    },
  }
}

/** Why the part cannot run here. Null when it can. */
export function absenceOf({ work }: Part, browser: string | undefined): string | null {
  if (work.kind === 'fuzz' && !existsSync(join(root, fuzzer))) return `${fuzzer} is not there.`
  if (work.kind === 'playwright' && browser === undefined) return 'there is no Chromium.'
  return null
}

interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** `what` says what failed; null when all held. */
  read(ended: Ended): { readonly ran: boolean; readonly what: string | null }
}

interface Ended {
  readonly code: number | null
  readonly output: string
}

/** The variables that give a test its seed and its share of the full size. */
function sizeOf(part: Part, { seed, size, from }: Chunk): Readonly<Record<string, string>> {
  return {
    COPPICE_SOAK: '1',
    COPPICE_SEED: String(seed),
    COPPICE_SOAK_SHARE: String(size / part.goal),
    COPPICE_SOAK_FROM: String(from / part.goal),
  }
}

function commandsOf(part: Part, chunk: Chunk): readonly Command[] {
  const { work } = part
  if (work.kind === 'fuzz') return work.targets.map((target) => fuzzCommand(target, work.targets.length, chunk))
  const report = join(root, 'test-results', `soak-${part.name}.json`)
  mkdirSync(join(root, 'test-results'), { recursive: true })
  rmSync(report, { force: true })
  const environment = sizeOf(part, chunk)
  if (work.kind === 'playwright') {
    const output = { PLAYWRIGHT_JSON_OUTPUT_NAME: report }
    return [
      {
        program: 'playwright',
        args: playwrightArgs(work.spec),
        environment: { ...environment, ...output },
        read: (ended) => readPlaywright(ended, report),
      },
    ]
  }
  const args = [...vitestArgs(work), '--reporter=json', `--outputFile.json=${report}`]
  return [{ program: 'vitest', args, environment, read: (ended) => readVitest(ended, report) }]
}

const playwrightArgs = (spec: string): readonly string[] => ['test', '--project=web', '--workers=1', spec]

function vitestArgs({ projects, files, title }: Extract<Work, { kind: 'vitest' }>): readonly string[] {
  const named = title === null ? [] : ['-t', title]
  return ['run', ...projects.flatMap((project) => ['--project', project]), ...named, ...files]
}

function fuzzCommand(target: string, share: number, { seed, size }: Chunk): Command {
  const seconds = Math.max(1, Math.round(size / share))
  return {
    program: 'node',
    args: [fuzzer, '--target', target, '--seconds', String(seconds), '--seed', String(seed)],
    environment: {},
    read: ({ code, output }) => {
      const [last = ''] = output.trimEnd().split('\n').slice(-1)
      const ran = last.startsWith('{')
      return { ran, what: code === 0 && ran ? null : `${target}: ${tail(output)}` }
    },
  }
}

/** A command line for a person's shell, in the project's folder. */
function replayOf(part: Part, chunk: Chunk): string {
  const { work } = part
  const variables = Object.entries(sizeOf(part, chunk)).map(([name, value]) => `${name}=${value}`)
  const quoted = (words: readonly string[]) => words.map((word) => (/^[\w./=-]+$/.test(word) ? word : `'${word}'`))
  switch (work.kind) {
    case 'vitest':
      return [...variables, 'npx', 'vitest', ...quoted(vitestArgs(work))].join(' ')
    case 'playwright':
      return [...variables, 'npx', 'playwright', ...quoted(playwrightArgs(work.spec))].join(' ')
    case 'fuzz':
      return `node ${fuzzer} --target NAME --seconds ${Math.round(chunk.size / work.targets.length)} --seed ${chunk.seed}`
  }
}

function run(
  { program, args, environment }: Command,
  base: NodeJS.ProcessEnv,
  onStart: (child: ChildProcess) => void,
): Promise<Ended> {
  const bin = join(root, 'node_modules/.bin')
  const env = { ...base, ...environment, PATH: `${bin}${delimiter}${base.PATH ?? ''}` }
  return new Promise((resolve) => {
    // A group of its own, so that Ctrl-C in a terminal does not end the chunk.
    const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    onStart(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-100_000)
      })
    child.on('error', (error) => resolve({ code: 1, output: error.message }))
    child.on('close', (code) => resolve({ code, output }))
  })
}

interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly message?: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

function readVitest(ended: Ended, file: string): ReturnType<Command['read']> {
  const report = readJson(file) as VitestReport | undefined
  if (!report) return { ran: false, what: `It gave no result: ${tail(ended.output)}` }
  const failed = report.testResults.flatMap(({ message, assertionResults }) => {
    const tests = assertionResults.filter(({ status }) => status === 'failed')
    const words = tests.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages?.join('\n')}`)
    return words.length === 0 && message ? [message] : words
  })
  const ran = report.numPassedTests + report.numFailedTests > 0
  if (failed.length > 0) return { ran, what: failed.join('\n') }
  if (!ran) return { ran, what: `No test ran: ${tail(ended.output)}` }
  return { ran, what: ended.code === 0 ? null : `It ended with ${ended.code}: ${tail(ended.output)}` }
}

interface PlaywrightReport {
  readonly stats: { readonly expected: number; readonly unexpected: number; readonly flaky: number }
}

function readPlaywright(ended: Ended, file: string): ReturnType<Command['read']> {
  const report = readJson(file) as PlaywrightReport | undefined
  const ran = (report?.stats.expected ?? 0) + (report?.stats.unexpected ?? 0) > 0
  return { ran, what: ran && ended.code === 0 ? null : tail(ended.output) }
}

function readJson(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function tail(output: string): string {
  return stripVTControlCharacters(output).trim().slice(-longestWhat)
}
