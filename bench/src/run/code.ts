import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { bombs } from '../../../src/main/adapters/runner/bombs.testkit.ts'
import { createCodeRunner } from '../../../src/main/adapters/runner/code-runner.ts'
import { type CodeRunner, defaultRunnerLimits, type RunOutcome } from '../../../src/main/core/ports/code-runner.ts'
import { isQuick } from '../support/flags.ts'
import { figuresOf, type Sample, summarise, timed } from '../support/measure.ts'
import { type Row, versus } from '../support/report.ts'

const never = new AbortController().signal
const nodePath = process.execPath
const childPath = join(import.meta.dirname, '../../../out/main/runner-child.js')
const limits = { ...defaultRunnerLimits, bridgeCalls: 10_000_000 }
const bridgeCalls = isQuick ? 20_000 : 400_000
const bombTimeoutMs = 500

const files = {
  read: async () => 'text of a file',
  write: async () => undefined,
  list: async () => [],
  exists: async () => true,
  delete: async () => undefined,
}

/**
 * Goal 12: code in a ready child, the first code of all, calls for a file that is already there, and the effect of
 * bombs on the host.
 */
export async function codeRows(): Promise<readonly Row[]> {
  using runner = createCodeRunner({ nodePath, childPath })
  const runs = isQuick ? 5 : 20
  const bare = summarise(bareIsolates(runs + 5))
  const spawned = summarise(await figuresOf(() => timed(spawnNode), { runs }))
  const first = summarise(await figuresOf(firstRun, { runs }))
  const ready = summarise(await figuresOf(() => readyRun(runner), { runs }))
  return [
    { operation: 'code in a ready child', unit: 'ms', coppice: ready, ...versus('a bare isolate', bare, 3) },
    { operation: 'code, the first', unit: 'ms', coppice: first, ...versus('spawning Node', spawned, 1.3) },
    {
      operation: '1,000 bridge calls for a file already there',
      unit: 'ms',
      coppice: await bridgeCall(runner),
      goal: { text: '≤ 5 ms (200,000 calls/s)', limit: 5 },
    },
    ...(await bombRows()),
  ]
}

function bareIsolates(runs: number): readonly number[] {
  const script = join(import.meta.dirname, 'bare-isolate.mjs')
  return JSON.parse(execFileSync(nodePath, ['--no-node-snapshot', script, String(runs)], { encoding: 'utf8' }))
}

function spawnNode(): void {
  execFileSync(nodePath, ['--no-node-snapshot', '-e', '0'])
}

async function firstRun(): Promise<number> {
  using runner = createCodeRunner({ nodePath, childPath })
  return await timed(() => run(runner, 'return 6 * 7'))
}

/** Waits first, so that the spare child has as much time to start as between two runs of an agent. */
async function readyRun(runner: CodeRunner): Promise<number> {
  await run(runner, '1')
  await pause(700)
  return await timed(() => run(runner, `await fs.exists('/a'); return 6 * 7`))
}

async function bridgeCall(runner: CodeRunner): Promise<Sample> {
  const code = `await fs.read('/a'); for (let i = 0; i < ${bridgeCalls}; i++) await fs.read('/a'); return 1`
  const figure = async () => {
    const loop = (await run(runner, code)).duration_ms
    return (1_000 * loop) / bridgeCalls
  }
  return summarise(await figuresOf(figure, { runs: 5 }))
}

/** Runs every bomb that only the clock can end, one after another, and watches the host's event loop. */
async function bombRows(): Promise<readonly Row[]> {
  using runner = createCodeRunner({ nodePath, childPath })
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const over: number[] = []
  delay.enable()
  for (const { language, code } of bombs) {
    if (language !== 'javascript') continue
    const outcome = await run(runner, code, bombTimeoutMs)
    if (outcome.error?.includes('time limit')) over.push(outcome.duration_ms - bombTimeoutMs)
  }
  delay.disable()
  const stall = delay.percentile(99) / 1e6
  return [
    {
      operation: `bombs: ${over.length} of them ended by the clock, worst ms past it`,
      unit: 'ms',
      coppice: { ...summarise(over), median: Math.max(...over) },
      goal: { text: '≤ 500 ms', limit: 500 },
    },
    {
      operation: 'bombs: event loop of the host meanwhile, p99',
      unit: 'ms',
      coppice: { median: stall, low: stall, high: delay.max / 1e6, runs: 1 },
      goal: { text: '< 100 ms', limit: 100 },
    },
  ]
}

async function run(runner: CodeRunner, code: string, timeoutMs = limits.timeoutMs): Promise<RunOutcome> {
  const request = { language: 'javascript', code, files, limits: { ...limits, timeoutMs } } as const
  return (await runner.run(request, never)).outcome
}
