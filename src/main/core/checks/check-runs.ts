import { type Tree, treeHash } from '#overlay'
import type { IdSource } from '#shared/base/id-source.ts'
import { createSemaphore } from '#shared/base/limiter.ts'
import type { CheckDefinition, CheckOccasion, CheckOutcome, CheckRecord, CheckResult } from '#shared/model/check.ts'
import type { BranchId, LayerId } from '#shared/model/ids.ts'
import type { RunServices } from '../setup/run-setup.ts'
import type { FolderState } from './folder-state.ts'
import { type CheckRun, type CheckSetup, type CheckView, runCheck } from './run-check.ts'

/** A check that must run. */
export interface CheckTask {
  readonly definition: CheckDefinition
  readonly key: string
  readonly branchId: BranchId
  readonly on: CheckOccasion
  readonly tree: Tree
  /** All layers of the branch, including what its agents' commands left. */
  readonly layers: readonly LayerId[]
  /** Those that the project's setup left, which nobody of the thread wrote. */
  readonly setupLayers: readonly LayerId[]
  /** The setup of the project now. Null for none. */
  readonly setup: CheckSetup | null
  /** The state of the folder when the key was made. */
  readonly folder: string
  /** What an earlier run said about the same key. */
  readonly known: CheckRecord | undefined
  /** True to run it a single time, also when it is required and fails. */
  readonly once: boolean
}

export interface RunnerServices extends RunServices {
  readonly ids: IdSource
  /** How many run at once. */
  readonly limit: number
  /** Stores a result. */
  readonly record: (branchId: BranchId, on: CheckOccasion, result: CheckResult) => void
}

/** Runs checks, at most a few at once. All that need the result of one key wait for one run. */
export interface CheckRuns extends AsyncDisposable {
  /** `onStart` is called when it runs. Rejects with the signal's reason; the run ends when nobody waits any more. */
  run(task: CheckTask, onStart: () => void, signal: AbortSignal): Promise<CheckResult>
}

/** Those who wait for one run want the same of it: a required check runs again when it fails. */
function jobKey({ key, definition, once }: CheckTask): string {
  return `${key} ${definition.required && !once}`
}

/** One run that several may wait for. */
interface Job {
  readonly result: Promise<CheckResult>
  readonly control: AbortController
  readonly starts: Set<() => void>
  isRunning: boolean
  waiters: number
}

/** The reason of checks that were cancelled, or whose project was closed. */
export class CheckCancelled extends Error {
  constructor() {
    super('The checks were cancelled.')
    this.name = 'AbortError'
  }
}

export function createCheckRuns(services: RunnerServices, folder: FolderState): CheckRuns {
  const places = createSemaphore(services.limit)
  const closing = new AbortController()
  const jobs = new Map<string, Job>()
  const ending = new Set<Promise<unknown>>()

  async function runTask(task: CheckTask, signal: AbortSignal, onStart: () => void): Promise<CheckResult> {
    using _place = await places.enter(signal)
    onStart()
    const { branchId, on } = task
    const result = await withKey(await judge(task, services, signal), task)
    services.record(branchId, on, result)
    return result
  }

  async function withKey({ run, outcome }: Judged, task: CheckTask): Promise<CheckResult> {
    const hasMoved = (await folder.find()) !== task.folder
    const { exitCode, output, dropped, durationMs } = run
    return {
      ...{
        check: task.definition.name,
        tree: treeHash(task.tree, services.hashing),
        environment: task.layers,
        outcome,
      },
      // No tree has such a key, so the result is never taken for one of the present.
      key: hasMoved ? `${task.key}${movedMark}` : task.key,
      note: [run.note, hasMoved ? movedNote : ''].filter(Boolean).join(' '),
      ...{ exitCode, output, dropped, durationMs },
    }
  }

  function begin(task: CheckTask): Job {
    const control = new AbortController()
    const starts = new Set<() => void>()
    const signal = AbortSignal.any([control.signal, closing.signal])
    const result = runTask(task, signal, () => {
      job.isRunning = true
      for (const start of starts) start()
    })
    const job: Job = { result, control, starts, isRunning: false, waiters: 0 }
    jobs.set(jobKey(task), job)
    const ended = result
      .catch(() => {})
      .finally(() => {
        if (jobs.get(jobKey(task)) === job) jobs.delete(jobKey(task))
        ending.delete(ended)
      })
    ending.add(ended)
    return job
  }

  return {
    async run(task, onStart, signal) {
      signal.throwIfAborted()
      const job = jobs.get(jobKey(task)) ?? begin(task)
      job.waiters += 1
      if (job.isRunning) onStart()
      else job.starts.add(onStart)
      try {
        return await untilAborted(job.result, signal)
      } finally {
        job.starts.delete(onStart)
        job.waiters -= 1
        if (job.waiters === 0) {
          job.control.abort(new CheckCancelled())
          if (jobs.get(jobKey(task)) === job) jobs.delete(jobKey(task))
        }
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new CheckCancelled())
      await Promise.all(ending)
    },
  }
}

const movedMark = ' moved'

/** True for a result that is of no state of the folder, because files there changed while the check ran. */
export function isOfMovedFolder({ key }: Pick<CheckResult, 'key'>): boolean {
  return key.endsWith(movedMark)
}

const movedNote = 'Files in the folder changed while it ran, so the result counts for no state of the folder.'

interface Judged {
  readonly outcome: CheckOutcome
  readonly run: CheckRun
}

/**
 * A verdict is never made in a place that the judged can write: what agents' commands left in ignored files, in `.git` and
 * in their home could be a test runner that always says yes. So a check runs on the tree with what the project's setup
 * left. Where the tree needs more, the setup runs on the tree itself first. What is green only with what agents left is not
 * green, and says so.
 */
async function judge(task: CheckTask, services: RunnerServices, signal: AbortSignal): Promise<Judged> {
  const { tree, layers, setupLayers, setup } = task
  const run = (environment: readonly LayerId[], before: CheckSetup | null) =>
    runSoundly(task, { tree, environment, setup: before }, services, signal)
  const clean = await run(setupLayers, null)
  if (clean.outcome !== 'red' || isSame(layers, setupLayers)) return clean
  const prepared = setup === null ? clean : await run([], setup)
  if (prepared.outcome !== 'red') return prepared
  const withAll = await run(layers, null)
  return withAll.outcome === 'red' ? withAll : { outcome: 'red', run: { ...withAll.run, note: onlyWithLeft(withAll) } }
}

function onlyWithLeft({ run: { note } }: Judged): string {
  return `It is green only with what agents left in ignored files, in .git or in their home, so it does not count as green: those files could make any check green. ${note}`.trim()
}

function isSame(one: readonly LayerId[], other: readonly LayerId[]): boolean {
  return one.length === other.length && one.every((id, at) => other[at] === id)
}

/** A required check that failed runs once more. */
async function runSoundly(
  task: CheckTask,
  view: CheckView,
  services: RunnerServices,
  signal: AbortSignal,
): Promise<Judged> {
  const { definition, known, once } = task
  const runNow = () => runCheck(definition, view, services, `check ${services.ids.next()}`, signal)
  const first = await runNow()
  if (isGreen(first) || !first.isSound || !definition.required || once) return compareWithKnown(first, known)
  const second = await runNow()
  return isGreen(second) ? joinRuns(first, second) : compareWithKnown(second, known)
}

/** A run that a limit ended is not green, whatever its program made of the signal. */
function isGreen({ isSound, exitCode }: CheckRun): boolean {
  return isSound && exitCode === 0
}

function joinRuns(first: CheckRun, second: CheckRun): Judged {
  const output = [
    `First run, exit code ${first.exitCode}:\n${first.output.trimEnd()}`,
    `Second run, exit code ${second.exitCode}:\n${second.output.trimEnd()}`,
  ].join('\n\n')
  const note = `It failed and then passed on the same tree. ${second.note}`.trim()
  return { outcome: 'flaky', run: { ...second, output, note } }
}

/** A run that says another thing than the one before it about the same key is flaky. */
function compareWithKnown(run: CheckRun, known: CheckRecord | undefined): Judged {
  const outcome = isGreen(run) ? 'green' : 'red'
  if (!run.isSound || !known || known.exitCode === null || known.outcome === 'flaky' || known.outcome === outcome)
    return { outcome, run }
  const note = `An earlier run on the same tree was ${known.outcome}. ${run.note}`.trim()
  return { outcome: 'flaky', run: { ...run, note } }
}

async function untilAborted<Value>(result: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([result, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}
