import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCurrentInput } from './current-input.ts'
import type { LoopMessage, LoopReport } from './loop.ts'

export interface FuzzOptions {
  readonly target: string
  readonly seconds: number
  readonly seed: number
  /** A file with one input to run instead of the search. */
  readonly replay?: string | undefined
  /** Where inputs that fail are kept. */
  readonly failuresFolder: string
  /** Seconds that one input may take. */
  readonly secondsPerInput?: number
  /** The most memory of JavaScript values. */
  readonly heapMb?: number
}

export interface FuzzResult extends LoopReport {
  readonly target: string
  readonly seed: number
  readonly seconds: number
  readonly failures: readonly { readonly file: string; readonly why: string }[]
}

/**
 * Runs a target in processes of its own, so that an input that hangs, fills the memory or ends its process is a failure
 * like any other. After such a failure another process goes on with the next seed.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const failures = new Map<string, string>()
  const folder = mkdtempSync(join(tmpdir(), 'coppice-fuzz-'))
  const started = performance.now()
  const spent = (): number => (performance.now() - started) / 1_000
  const keep = (input: Buffer, why: string): void => {
    mkdirSync(options.failuresFolder, { recursive: true })
    const name = options.target.replace(/[^\w-]/g, '_')
    const file = join(
      options.failuresFolder,
      `${name}-${createHash('sha256').update(input).digest('hex').slice(0, 12)}.bin`,
    )
    writeFileSync(file, input)
    failures.set(file, why)
  }
  let total: LoopReport = { inputs: 0, blocks: 0, slowestMs: 0, peakMb: 0 }
  try {
    for (let round = 0; round === 0 || (spent() < options.seconds && options.replay === undefined); round += 1) {
      const seconds = Math.max(options.seconds - spent(), 0.1)
      const report = await runProcess(
        { ...options, seconds, seed: options.seed + round },
        join(folder, `${round}`),
        keep,
      )
      total = {
        inputs: total.inputs + report.inputs,
        blocks: Math.max(total.blocks, report.blocks),
        slowestMs: Math.max(total.slowestMs, report.slowestMs),
        peakMb: Math.max(total.peakMb, report.peakMb),
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const { target, seed } = options
  const found = [...failures].map(([file, why]) => ({ file, why }))
  return { target, seed, seconds: Math.round(spent() * 10) / 10, ...total, failures: found }
}

async function runProcess(
  { target, seconds, seed, replay, secondsPerInput = 10, heapMb = 512 }: FuzzOptions,
  state: string,
  keep: (input: Buffer, why: string) => void,
): Promise<LoopReport> {
  writeFileSync(state, '')
  let report: LoopReport = { inputs: 0, blocks: 0, slowestMs: 0, peakMb: 0 }
  let isDone = false
  const args = [target, String(seconds), String(seed), state, ...(replay === undefined ? [] : [replay])]
  const child = fork(join(import.meta.dirname, 'loop.ts'), args, {
    execArgv: [`--max-old-space-size=${heapMb}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000)
  })
  child.on('message', (message: LoopMessage) => {
    if (message.type === 'failure') keep(Buffer.from(message.input, 'base64'), message.why)
    else {
      report = message.report
      isDone = message.isLast
    }
  })
  const { isLate } = await watch(child, state, secondsPerInput)
  const last = readCurrentInput(state)
  if (isLate && last) keep(last.input, `took longer than ${secondsPerInput} s`)
  else if (!isDone && last) keep(last.input, `ended the process: ${lastLine(errors)}`)
  else if (!isDone) throw new Error(`The target ${target} could not be started: ${errors}`)
  return { ...report, inputs: Math.max(report.inputs, last?.count ?? 0) }
}

/** Resolves when the process has ended, and ends it when it stays at one input for too long. */
function watch(child: ChildProcess, state: string, seconds: number): Promise<{ readonly isLate: boolean }> {
  return new Promise((resolve, reject) => {
    let [count, since, isLate] = [-1, performance.now(), false]
    const timer = setInterval(() => {
      const now = readCurrentInput(state)?.count ?? 0
      if (now !== count) [count, since] = [now, performance.now()]
      // Loading the readers comes before the first input.
      if (performance.now() - since < Math.max(seconds, now === 0 ? 60 : 0) * 1_000) return
      isLate = true
      child.kill('SIGKILL')
    }, 100)
    child.once('error', reject)
    child.once('close', () => {
      clearInterval(timer)
      resolve({ isLate })
    })
  })
}

function lastLine(errors: string): string {
  const lines = errors.split('\n').filter((line) => /error|abort|fatal/i.test(line))
  return lines[0]?.trim().slice(0, 300) ?? 'without a word'
}
