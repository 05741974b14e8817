import type { Clock } from '#shared/base/clock.ts'
import type { CheckResult } from '#shared/model/check.ts'
import type { Bisect, BisectEnd, BisectStep } from '#shared/model/derived/bisect.ts'
import type { LiveEvent } from '#shared/model/event.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { readBranch } from '../../journal/read-thread.ts'
import { CheckCancelled } from '../check-runs.ts'
import type { ProjectChecks } from '../project-checks.ts'
import { type BranchState, type StateSources, statesOf } from './branch-states.ts'
import { type FirstRed, findFirstRed, type Verdict } from './first-red.ts'

export interface BisectRequest {
  /** The branch that the check is red on. */
  readonly branchId: BranchId
  /** The name of a check. */
  readonly check: string
  /** True for a check that may say different things of one state, so that each is asked about several times. */
  readonly isFlaky: boolean
  /** How many states are checked at once. */
  readonly atOnce: number
  /** Called whenever more is known. */
  readonly onChange?: (bisect: Bisect) => void
}

/**
 * Searches for the step that broke a check, one search for each branch. Results of checks are stored by tree, so a search that was
 * stopped, or that the end of the app cut, goes on where it was when it is started again.
 */
export interface Bisects extends AsyncDisposable {
  /** Starts a search, or joins the one of this branch when it is about the same check. Rejects with the reason of an abort. */
  run(request: BisectRequest, signal: AbortSignal): Promise<Bisect>
  /** The search of a branch that runs or was the last. Null before the first. */
  view(branchId: BranchId): Bisect | null
  cancel(branchId: BranchId): void
}

export interface BisectServices extends StateSources {
  readonly checks: Pick<ProjectChecks, 'definitions' | 'known' | 'run'>
  readonly clock: Pick<Clock, 'now'>
  readonly announce: (event: LiveEvent) => void
}

interface Running {
  readonly request: BisectRequest
  readonly control: AbortController
  readonly ended: Promise<Bisect>
  view: Bisect
}

export function createBisects(services: BisectServices): Bisects {
  const { log, clock } = services
  const searches = new Map<BranchId, Running>()

  function show(one: Running, change: Partial<Bisect>): void {
    one.view = { ...one.view, ...change, durationMs: clock.now() - one.view.startedAt }
    one.request.onChange?.(one.view)
    const { branchId } = one.request
    const threadId = readBranch(log, branchId)?.threadId
    const { sequence } = log.state
    if (threadId !== undefined)
      services.announce({ type: 'checks.changed', branchId, threadId, at: clock.now(), sequence })
  }

  async function search(one: Running): Promise<Bisect> {
    const { request, control } = one
    try {
      const end = await endOf(services, request, (change) => show(one, change), control.signal)
      show(one, { end })
    } catch (error) {
      // Whoever cancels the checks of the branch stops the search too.
      if (!control.signal.aborted && !(error instanceof CheckCancelled)) throw error
      show(one, { end: { kind: 'cancelled' } })
    }
    return one.view
  }

  function begin(request: BisectRequest): Running {
    const { branchId, check } = request
    const started = Promise.withResolvers<Bisect>()
    const view: Bisect = {
      ...{ branchId, check, steps: 0, asked: [], runs: 0, most: 0 },
      ...{ startedAt: clock.now(), durationMs: 0, end: null },
    }
    const one: Running = { request, control: new AbortController(), ended: started.promise, view }
    searches.set(branchId, one)
    search(one).then(started.resolve, (error: unknown) => {
      searches.delete(branchId)
      started.reject(error)
    })
    return one
  }

  return {
    async run(request, signal) {
      signal.throwIfAborted()
      const known = searches.get(request.branchId)
      const isOpen = known?.view.end === null && !known.control.signal.aborted
      const isSame = isOpen && known.request.check === request.check
      if (known && !isSame) known.control.abort(new CheckCancelled())
      const one = known && isSame ? known : begin(request)
      const abort = () => one.control.abort(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      const ended = await one.ended.finally(() => signal.removeEventListener('abort', abort))
      signal.throwIfAborted()
      return ended
    },
    view: (branchId) => searches.get(branchId)?.view ?? null,
    cancel: (branchId) => searches.get(branchId)?.control.abort(new CheckCancelled()),
    async [Symbol.asyncDispose]() {
      const running = [...searches.values()]
      for (const { control } of running) control.abort(new CheckCancelled())
      await Promise.allSettled(running.map(({ ended }) => ended))
    },
  }
}

/** How often a search begins again because files in the folder changed while it went on. */
const mostBegins = 3

async function endOf(
  services: BisectServices,
  request: BisectRequest,
  show: (change: Partial<Bisect>) => void,
  signal: AbortSignal,
): Promise<BisectEnd> {
  for (let begun = 0; begun < mostBegins; begun += 1) {
    const end = await searchStates(services, request, show, signal)
    if (end !== 'moved') return end
  }
  return { kind: 'moved' }
}

async function searchStates(
  services: BisectServices,
  request: BisectRequest,
  show: (change: Partial<Bisect>) => void,
  signal: AbortSignal,
): Promise<BisectEnd | 'moved'> {
  const { checks } = services
  const { branchId, check, atOnce } = request
  const states = await statesOf(services, branchId)
  const asked = new Map<number, Verdict>()
  let runs = 0
  const known = await knownOf(services, request, states)
  show({ steps: states.length - 1, asked: [], most: Math.ceil(Math.log2(Math.max(1, states.length - 1))) + 2 })

  async function ask(state: number, once: boolean): Promise<Verdict> {
    const tree = await states[state]?.tree()
    if (!tree) return 'unknown'
    const onStart = () => {
      runs += 1
      show({ runs })
    }
    const how = { on: 'past', names: [check], again: once, once, by: 'person', onStart } as const
    const ran = await checks.run({ branchId, tree, environmentOf: branchId, ...how }, signal)
    if (!ran.ok) throw new Error(ran.error)
    const [result] = ran.value
    const verdict = result === undefined ? 'unknown' : once ? voteOf(result) : result.outcome
    asked.set(state, verdict)
    show({ asked: [...asked].map(([at, said]) => ({ step: at, verdict: said })) })
    return verdict
  }

  const found = await findFirstRed({
    ...{ states: states.length, atOnce, isFlaky: request.isFlaky || isKnownFlaky(services, check) },
    known: (state) => asked.get(state) ?? known[state],
    ask: (state, how) => ask(state, how === 'once'),
  })
  // Results of another state of the folder do not count beside those of the present.
  const used = states.filter((_, state) => asked.has(state) || known[state] !== undefined)
  const trees = await Promise.all(used.map((state) => state.tree()))
  const stored = await checks.known(
    branchId,
    check,
    trees.filter((tree) => !!tree),
  )
  return stored.includes(undefined) ? 'moved' : viewEnd(found, states, branchId)
}

/** What a single run said. Of one that contradicts an earlier run, its exit code says it; a run that a limit ended is never that. */
function voteOf({ outcome, exitCode }: CheckResult): Verdict {
  if (outcome !== 'flaky') return outcome
  return exitCode === 0 ? 'green' : 'red'
}

async function knownOf(
  { checks }: BisectServices,
  { branchId, check }: BisectRequest,
  states: readonly BranchState[],
): Promise<readonly (Verdict | undefined)[]> {
  // What was never a state of the branch is made only when it is asked about.
  const own = states.flatMap(({ was: tree }, state) => (tree ? [{ tree, state }] : []))
  const outcomes = await checks.known(
    branchId,
    check,
    own.map(({ tree }) => tree),
  )
  const known = new Map(own.map(({ state }, at) => [state, outcomes[at]]))
  return states.map((_, state) => known.get(state))
}

function isKnownFlaky({ log }: BisectServices, name: string): boolean {
  for (const { check, outcome } of log.state.checks.byKey.values())
    if (check === name && outcome === 'flaky') return true
  return false
}

function viewEnd(found: FirstRed, states: readonly BranchState[], searched: BranchId): BisectEnd {
  const step = (state: number): BisectStep => {
    const { entry = null, mergedBy = null, branchId = searched } = states[state] ?? {}
    return { at: state, sequence: entry?.sequence ?? null, branchId, mergedBy: mergedBy?.sequence ?? null }
  }
  switch (found.kind) {
    case 'found':
      return { kind: 'found', step: step(found.state) }
    case 'between':
      return { kind: 'between', after: step(Math.max(0, found.after)), until: step(found.until) }
    case 'flaky':
      return { kind: 'flaky', step: step(found.state) }
    default:
      return found
  }
}
