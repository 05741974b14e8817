// The process that runs one target. `run.ts` starts it, watches it and ends it.
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { createCoverage } from './coverage.ts'
import { createCurrentInput } from './current-input.ts'
import { createRandom, mutate } from './mutate.ts'
import { loadTarget } from './targets.ts'

/** What the process says now and then, and at its end. */
export interface LoopReport {
  readonly inputs: number
  readonly blocks: number
  readonly slowestMs: number
  readonly peakMb: number
}

export type LoopMessage =
  | { readonly type: 'report'; readonly report: LoopReport; readonly isLast: boolean }
  | { readonly type: 'failure'; readonly why: string; readonly input: string }

const [name = '', seconds = '1', seed = '1', state = '', replay] = process.argv.slice(2)

const send = (message: LoopMessage): void => {
  process.send?.(message)
}

/** Inputs between two looks at the coverage, which costs as much as many inputs. */
const batch = 16
const mostKept = 5_000

const target = await loadTarget(name)
const current = createCurrentInput(state)
const coverage = createCoverage()
const random = createRandom(Number(seed))
const words = [...new Set(target.seeds.flatMap((one) => one.match(/[\w$*.-]+|\S/g) ?? []))]
const corpus: Buffer[] = []
let inputs = 0
let slowestMs = 0

const known = new Set<string>()

async function runOne(input: Buffer): Promise<void> {
  inputs += 1
  current.note(inputs, input)
  const started = performance.now()
  try {
    await target.run(input)
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 300) : String(error)
    // Inputs that fail in the same place say the same thing.
    const place = error instanceof Error ? (error.stack?.split('\n').slice(0, 3).join('') ?? why) : why
    if (!known.has(place)) send({ type: 'failure', why, input: input.toString('base64') })
    known.add(place)
  }
  slowestMs = Math.max(slowestMs, performance.now() - started)
}

/** Keeps the inputs of a batch that reach something new. */
async function runBatch(batchInputs: readonly Buffer[]): Promise<void> {
  for (const input of batchInputs) await runOne(input)
  const found = coverage.takeNew()
  if (found === 0 || corpus.length >= mostKept) return
  corpus.push(...batchInputs.slice(-Math.min(found, 4)))
}

function report(isLast: boolean): void {
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024)
  const rounded = Math.round(slowestMs * 10) / 10
  send({ type: 'report', report: { inputs, blocks: coverage.total, slowestMs: rounded, peakMb }, isLast })
}

if (replay !== undefined) {
  await runOne(readFileSync(replay))
} else {
  corpus.push(...target.seeds.map((one) => Buffer.from(one)))
  for (const one of [...corpus]) await runBatch([one])
  const until = performance.now() + Number(seconds) * 1_000
  let reported = performance.now()
  while (performance.now() < until) {
    await runBatch(Array.from({ length: batch }, () => mutate(corpus, words, random)))
    if (performance.now() - reported < 500) continue
    reported = performance.now()
    report(false)
    await setImmediate()
  }
}
coverage.takeNew()
report(true)
process.disconnect?.()
