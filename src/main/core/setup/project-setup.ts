import type { Clock } from '#shared/base/clock.ts'
import type { BranchId, LayerId, ThreadId } from '#shared/model/ids.ts'
import { environmentText, type SetupDefinition, type SetupState } from '#shared/model/setup.ts'
import { type Search, SearchError } from '../ports/search.ts'
import type { SetupBase, SetupFailure, SetupRecord, SetupRecords } from '../ports/stores/setup-records.ts'
import { chooseLayers } from './branch-layers.ts'
import { cancelledState, type RunServices, runSetup, type SetupOutcome } from './run-setup.ts'
import { setupKey } from './setup-key.ts'
import { lastLines, type SetupNews, setupNote } from './setup-words.ts'

/** The environment of a branch for its next command. */
export interface PreparedEnvironment {
  /** The oldest first. */
  readonly layers: readonly LayerId[]
  /** What the agent is told with the command's result. Null for nothing new. */
  readonly note: string | null
}

/** The setup of one project: run once, and kept for every thread and branch. */
export interface ProjectSetup extends AsyncDisposable {
  /**
   * Finds the environment of a branch's next command, and first runs the setup if it is due. Commands that come
   * meanwhile wait for the same run. Throws only the abort reason of the waiting command.
   */
  prepare(
    asker: { readonly threadId: ThreadId; readonly branchId: BranchId },
    own: readonly LayerId[],
    signal: AbortSignal,
  ): Promise<PreparedEnvironment>
  state(): Promise<SetupState>
  /** How far it is, in a few words for a command that waits for approval. Null when no setup is set. */
  describe(): Promise<string | null>
  /** Runs it now, whatever became of it before. Resolves when it runs. */
  start(): Promise<void>
  /** Lets a setup that failed run again before the next command. */
  forgetFailure(): void
  /** Stops a run. It leaves nothing, and does not start again by itself. */
  cancel(): void
  /** The output of the last run; as far as it has come for one that runs. */
  output(): string
  /** What is set now, and how long it may take. Null for none. */
  definition(): (SetupDefinition & { readonly timeoutMs: number }) | null
  /** What the setup left. No clean-up may remove it. */
  layers(): ReadonlySet<LayerId>
  /** Forgets what it left, so that it runs again before the next command. */
  forget(): void
}

export interface SetupServices extends RunServices {
  readonly search: RunServices['search'] & Search
  readonly records: SetupRecords
  readonly clock: Pick<Clock, 'now'>
  /** The setup that is set now, with the names of its hosts. Null for none. */
  readonly find: () => SetupDefinition | null
  readonly timeoutMs: () => number
  /** Tells what has changed about a setup that a thread's command began. */
  readonly announce: (threadId: ThreadId, state: SetupState) => void
}

interface Running {
  readonly state: () => Extract<SetupState, { kind: 'running' }>
  readonly output: () => string
  readonly done: Promise<void>
  readonly cancel: AbortController
}

const mostEarlier = 100
/** Milliseconds between two announcements of a run. */
const pauseMs = 500
const mostOutput = 1024 * 1024

export function createProjectSetup(services: SetupServices): ProjectSetup {
  const { records, mounts, clock, find } = services
  const closing = new AbortController()
  let record: SetupRecord = records.read()
  let running: Running | null = null
  /** What each branch was told last, so that nothing is told twice. */
  const told = new Map<BranchId, string>()

  const canShow = async (layers: readonly LayerId[]) => (await mounts.countShowable(layers)) === layers.length
  function store(next: SetupRecord): void {
    record = next
    records.write(next)
  }

  /** What is known about a setup. A null `found` means that it must run. */
  async function lookUp(definition: SetupDefinition, signal: AbortSignal) {
    try {
      const key = await setupKey(definition, services, signal)
      return { key, found: await findKnown(key) }
    } catch (error) {
      if (!(error instanceof SearchError)) throw error
      const reason = `Its inputs cannot be found: ${error.message} Correct environment.inputs in the settings.`
      const failure: SetupFailure = {
        key: '',
        state: { kind: 'failed', command: definition.command, at: 0, reason, lines: [] },
      }
      return { key: '', found: failure }
    }
  }
  async function findKnown(key: string): Promise<SetupBase | SetupFailure | null> {
    const { base, failure } = record
    if (base?.key === key && (await canShow(base.layers))) return base
    return failure?.key === key ? failure : null
  }

  function begin(definition: SetupDefinition, key: string, threadId: ThreadId | null): Running {
    const { command } = definition
    const cancel = new AbortController()
    const startedAt = clock.now()
    let output = ''
    let announcedAt = 0
    const state = () => ({ kind: 'running', command, startedAt, lines: lastLines(output.slice(-8192)) }) as const
    const announce = (now: SetupState) => threadId !== null && services.announce(threadId, now)
    const onOutput = (text: string) => {
      if (output.length < mostOutput) output += text
      if (clock.now() - announcedAt < pauseMs) return
      announcedAt = clock.now()
      announce(state())
    }
    const signal = AbortSignal.any([cancel.signal, closing.signal])
    const failed = (reason: string): SetupFailure => ({
      key,
      state: { kind: 'failed', command, at: clock.now(), reason, lines: lastLines(output) },
    })
    async function finish(outcome: SetupOutcome): Promise<SetupBase | SetupFailure> {
      output = outcome.output
      if (outcome.kind === 'failed') return failed(outcome.reason)
      const { layers, dropped, droppedCount } = outcome
      const usage = await mounts.layerUsage()
      const bytes = usage.reduce((sum, one) => sum + (layers.includes(one.id) ? one.bytes : 0), 0)
      const at = clock.now()
      return {
        key,
        layers,
        state: { kind: 'ready', command, at, durationMs: at - startedAt, bytes, dropped, droppedCount },
      }
    }
    async function run(): Promise<void> {
      let ended: SetupBase | SetupFailure
      try {
        const options = { timeoutMs: services.timeoutMs(), onOutput }
        ended = await finish(await runSetup(definition, services, options, signal))
      } catch (error) {
        if (closing.signal.aborted) return
        ended = cancel.signal.aborted
          ? { key, state: cancelledState(command, clock.now(), output) }
          : failed(`It could not be run: ${error instanceof Error ? error.message : String(error)}`)
      }
      keep(ended)
      announce(ended.state)
    }
    function keep(ended: SetupBase | SetupFailure): void {
      try {
        records.writeOutput(output)
        if ('layers' in ended) store({ base: ended, earlier: earlierBases(record), failure: null })
        else store({ ...record, failure: ended })
      } catch (error) {
        record = { ...record, failure: failed(`It could not be stored: ${String(error)}`) }
      }
    }
    announce(state())
    const done = run().finally(() => {
      running = null
    })
    running = { state, output: () => output, done, cancel }
    return running
  }

  /** What became of the setup that is set now, after it ran if it had to. Null when none is set. */
  async function ensure(threadId: ThreadId, signal: AbortSignal): Promise<SetupBase | SetupFailure | null> {
    for (let runs = 0; ; ) {
      const definition = find()
      if (definition === null) return null
      if (running === null) {
        const { key, found } = await lookUp(definition, signal)
        if (found !== null || runs === mostRuns) return found
        // Another command may have begun it meanwhile.
        if (running === null) {
          begin(definition, key, threadId)
          runs += 1
        }
      }
      await untilAborted(running?.done, signal)
      closing.signal.throwIfAborted()
    }
  }

  function noteOnce(
    branchId: BranchId,
    news: SetupNews | null,
    { key, state }: SetupBase | SetupFailure,
  ): string | null {
    const mark = `${news} ${key} ${state.at}`
    if (news === null || told.get(branchId) === mark) return null
    told.set(branchId, mark)
    return setupNote(news, state)
  }

  async function stateNow(): Promise<SetupState> {
    const definition = find()
    if (running !== null) return running.state()
    if (definition === null) return { kind: 'none' }
    const { found } = await lookUp(definition, closing.signal)
    return found?.state ?? { kind: 'waiting', command: definition.command }
  }

  return {
    async prepare({ threadId, branchId }, own, signal) {
      const found = await ensure(threadId, signal)
      if (found === null) return { layers: own, note: null }
      if (!('layers' in found)) return { layers: own, note: noteOnce(branchId, 'failed', found) }
      const shown = await mounts.countShowable(own)
      const { layers, news } = chooseLayers({ own, base: found.layers, earlier: record.earlier, shown })
      return { layers, note: noteOnce(branchId, news, found) }
    },
    state: stateNow,
    async describe() {
      const state = await stateNow()
      return state.kind === 'none' ? null : environmentText(state, clock.now())
    },
    async start() {
      const definition = find()
      if (definition === null || running !== null) return
      const { key } = await lookUp(definition, closing.signal)
      if (key !== '' && running === null) begin(definition, key, null)
    },
    forgetFailure() {
      if (record.failure !== null) store({ ...record, failure: null })
    },
    cancel: () => running?.cancel.abort(new Error('The setup was cancelled.')),
    output: () => running?.output() ?? records.readOutput(),
    definition() {
      const found = services.find()
      return found && { ...found, timeoutMs: services.timeoutMs() }
    },
    layers: () => new Set(record.base?.layers),
    forget: () => store({ base: null, earlier: earlierBases(record), failure: null }),
    async [Symbol.asyncDispose]() {
      closing.abort(new Error('The project was closed.'))
      await running?.done
    },
  }
}

/** A command does not wait for more runs than this, so that inputs that change all the time cannot keep it for ever. */
const mostRuns = 2

function earlierBases({ base, earlier }: SetupRecord): SetupRecord['earlier'] {
  return (base === null || base.layers.length === 0 ? earlier : [...earlier, base.layers]).slice(-mostEarlier)
}

async function untilAborted(done: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  await Promise.race([done, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}

/** The setup of a project that has none. */
export const noSetup: ProjectSetup = {
  prepare: async (_asker, own) => ({ layers: own, note: null }),
  state: async () => ({ kind: 'none' }),
  describe: async () => null,
  start: async () => {},
  forgetFailure: () => {},
  cancel: () => {},
  output: () => '',
  definition: () => null,
  layers: () => new Set(),
  forget: () => {},
  [Symbol.asyncDispose]: async () => {},
}
