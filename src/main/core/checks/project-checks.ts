import { emptyTree, type Tree } from '#overlay'
import type { Clock } from '#shared/base/clock.ts'
import { failure, type Result, success } from '#shared/base/result.ts'
import type {
  BranchChecks,
  CheckDefinition,
  CheckMoment,
  CheckOccasion,
  CheckOutcome,
  CheckResult,
} from '#shared/model/check.ts'
import type { LiveEvent } from '#shared/model/event.ts'
import type { BranchId, LayerId, Sequence } from '#shared/model/ids.ts'
import { environmentOf } from '../branches/branch-trees.ts'
import type { LogReader } from '../journal/project-log.ts'
import { readBranch } from '../journal/read-thread.ts'
import type { ProjectSetup } from '../setup/project-setup.ts'
import { checkKey, concernsTree } from './check-key.ts'
import { CheckCancelled, createCheckRuns, type RunnerServices } from './check-runs.ts'
import { viewBranch } from './check-views.ts'
import { createFolderState } from './folder-state.ts'

export interface CheckRequest {
  /** The branch whose tree, or whose merge, is checked. Its thread owns the results. */
  readonly branchId: BranchId
  /** Null for the tree of the branch itself. */
  readonly tree: Tree | null
  /** The branch whose environment the checks find: the parent for a merge. */
  readonly environmentOf: BranchId
  readonly on: CheckOccasion
  /** Null for all checks of that moment. */
  readonly names: readonly string[] | null
  /** True to run also what has a result. */
  readonly again: boolean
  /** True to run a required check that fails a single time: whoever asks repeats it. */
  readonly once?: boolean
  /** Without a sandbox, only a person may start checks, because they run what agents wrote. */
  readonly by: 'person' | 'agent'
  /** Called when a check begins to run. */
  readonly onStart?: (check: string) => void
}

/** The checks of one project: runs them in views of trees, at most a few at once, and knows their results. */
export interface ProjectChecks extends AsyncDisposable {
  readonly definitions: () => readonly CheckDefinition[]
  /**
   * The results of checks that concern the tree, in the order of their definitions. Those without a result are run.
   * Fails with a sentence about what to do. Throws the reason of an abort.
   */
  run(request: CheckRequest, signal: AbortSignal): Promise<Result<readonly CheckResult[], string>>
  /** Ends the checks that run or wait for a branch. They leave no result. */
  cancel(branchId: BranchId): void
  /** What is known of each branch now. Nothing runs. */
  ofBranches(branchIds: readonly BranchId[]): Promise<readonly BranchChecks[]>
  /** What is known about exactly this tree, in the environment of the branch. Nothing runs. */
  ofTree(branchId: BranchId, tree: Tree, on: CheckMoment): Promise<BranchChecks>
  /** What stored results say of trees in the environment of the branch. Undefined where there is none. Nothing runs. */
  known(branchId: BranchId, check: string, trees: readonly Tree[]): Promise<readonly (CheckOutcome | undefined)[]>
  /** What an entry stored; null for another entry. */
  result(sequence: Sequence): CheckResult | null
}

export interface CheckServices extends RunnerServices {
  readonly log: LogReader
  readonly setup: Pick<ProjectSetup, 'prepare' | 'layers' | 'definition'>
  readonly clock: Pick<Clock, 'now'>
  readonly definitions: () => readonly CheckDefinition[]
  /** Hosts that all commands of the project may reach. */
  readonly hosts: () => readonly string[]
  readonly announce: (event: LiveEvent) => void
}

/** A check that somebody waits for. */
interface ActiveCheck {
  readonly branchId: BranchId
  readonly check: string
  readonly on: CheckOccasion
  state: 'queued' | 'running'
}

/** Milliseconds for which the state of the folder is not looked at again, for what is only shown. */
const shownAgeMs = 2_000

export function createProjectChecks(services: CheckServices): ProjectChecks {
  const { log, setup, definitions } = services
  const folder = createFolderState(services)
  const runs = createCheckRuns(services, folder)
  const closing = new AbortController()
  const active = new Set<ActiveCheck>()
  const cancels = new Map<BranchId, AbortController>()
  /** What still looks for results, or waits for them. */
  const pending = new Set<Promise<unknown>>()
  const treeOf = (branchId: BranchId) => {
    log.load([branchId])
    return log.trees.heads.get(branchId) ?? emptyTree
  }

  function announce(branchId: BranchId): void {
    const threadId = readBranch(log, branchId)?.threadId
    if (threadId === undefined) return
    const { sequence } = log.state
    services.announce({ type: 'checks.changed', branchId, threadId, at: services.clock.now(), sequence })
  }
  function keyOf(definition: CheckDefinition, tree: Tree, own: readonly LayerId[], state: string): string {
    const around = { tree, own, setup: setup.layers(), hosts: services.hosts(), folder: state }
    return checkKey(definition, around, services.hashing)
  }
  function storedResult(sequence: Sequence): CheckResult | null {
    const entry = log.entryAt(sequence)
    return entry?.type === 'check.finished' ? entry.result : null
  }

  async function find(definition: CheckDefinition, request: CheckRequest, one: ActiveCheck, signal: AbortSignal) {
    const { branchId, on, again, once = false } = request
    const threadId = readBranch(log, branchId)?.threadId
    const tree = request.tree ?? treeOf(branchId)
    const own = environmentOf(log.trees, request.environmentOf)
    if (threadId === undefined) throw new CheckCancelled()
    // What a branch was told about the setup stays untold by a check.
    const asker = { threadId, branchId: `${branchId} checks` as BranchId }
    const { layers } = await setup.prepare(asker, own, signal)
    const { layers: setupLayers } = own.length === 0 ? { layers } : await setup.prepare(asker, [], signal)
    const state = await folder.find()
    const key = keyOf(definition, tree, own, state)
    const known = log.state.checks.byKey.get(key)
    const found = known && !again ? storedResult(known.sequence) : null
    // A check of another name may have had the same command.
    if (found !== null) return { ...found, check: definition.name }
    one.state = 'queued'
    active.add(one)
    announce(branchId)
    const onStart = () => {
      one.state = 'running'
      request.onStart?.(definition.name)
      announce(branchId)
    }
    const task = { definition, key, branchId, on, tree, layers, setupLayers, setup: setup.definition() }
    const ran = await runs.run({ ...task, folder: state, known, once }, onStart, signal)
    return { ...ran, check: definition.name }
  }

  async function runOne(definition: CheckDefinition, request: CheckRequest, signal: AbortSignal): Promise<CheckResult> {
    const { branchId, on } = request
    const one: ActiveCheck = { branchId, check: definition.name, on, state: 'queued' }
    try {
      return await find(definition, request, one, signal)
    } finally {
      if (active.delete(one)) announce(branchId)
    }
  }

  async function describe(branchId: BranchId, tree: Tree, on: CheckMoment, age: number): Promise<BranchChecks> {
    const chosen = definitions().filter((one) => one.on.includes(on) && concernsTree(one, tree))
    if (chosen.length === 0) return { branchId, state: 'none', checks: [] }
    const state = await folder.find(age)
    const own = environmentOf(log.trees, branchId)
    return viewBranch({
      ...{ branchId, records: log.state.checks },
      checks: chosen.map((definition) => ({ definition, key: keyOf(definition, tree, own, state) })),
      active: [...active].filter((one) => one.branchId === branchId && isShownAs(one.on, on)),
    })
  }

  function cancelOf(branchId: BranchId): AbortController {
    const known = cancels.get(branchId) ?? new AbortController()
    cancels.set(branchId, known)
    return known
  }

  return {
    definitions,
    async run(request, signal) {
      const chosen = chooseChecks(definitions(), request, request.tree ?? treeOf(request.branchId))
      if (!chosen.ok) return chosen
      const { state, reason } = services.shell.sandbox()
      if (state !== 'on' && request.by === 'agent' && chosen.value.length > 0)
        return failure(`Checks run what agents wrote, so without a sandbox only the user starts them. ${reason}`)
      const cancel = cancelOf(request.branchId).signal
      const joined = AbortSignal.any([signal, cancel, closing.signal])
      const all = Promise.allSettled(chosen.value.map((one) => runOne(one, request, joined)))
      pending.add(all)
      const settled = await all.finally(() => pending.delete(all))
      return success(settled.map(unwrapSettled))
    },
    cancel(branchId) {
      cancels.get(branchId)?.abort(new CheckCancelled())
      cancels.delete(branchId)
    },
    ofBranches: (branchIds) => {
      const known = branchIds.filter((id) => readBranch(log, id) !== undefined)
      return Promise.all(known.map((id) => describe(id, treeOf(id), 'branch', shownAgeMs)))
    },
    ofTree: (branchId, tree, on) => describe(branchId, tree, on, 0),
    async known(branchId, check, trees) {
      log.load([branchId])
      const definition = definitions().find(({ name }) => name === check)
      if (!definition) return trees.map(() => undefined)
      const state = await folder.find()
      const own = environmentOf(log.trees, branchId)
      return trees.map((tree) => log.state.checks.byKey.get(keyOf(definition, tree, own, state))?.outcome)
    },
    result: storedResult,
    async [Symbol.asyncDispose]() {
      closing.abort(new CheckCancelled())
      await runs[Symbol.asyncDispose]()
      await Promise.all(pending)
    },
  }
}

/** What is asked about a merge is about merges alone, and checks of past trees are of no present one. */
function isShownAs(running: CheckRequest['on'], asked: CheckMoment): boolean {
  return running !== 'past' && (running === 'merge') === (asked === 'merge')
}

function unwrapSettled<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

/** The checks that a request is about. A name that no check has is an error, so that a typing mistake is no green. */
function chooseChecks(
  all: readonly CheckDefinition[],
  { names, on }: CheckRequest,
  tree: Tree,
): Result<readonly CheckDefinition[], string> {
  if (names === null)
    return success(all.filter((one) => on !== 'past' && one.on.includes(on) && concernsTree(one, tree)))
  const unknown = names.find((name) => !all.some((one) => one.name === name))
  return unknown === undefined
    ? success(all.filter(({ name }) => names.includes(name)))
    : failure(unknownCheck(unknown, all))
}

/** What to say about a name that no check has. */
export function unknownCheck(name: string, all: readonly CheckDefinition[]): string {
  const known = all.map((one) => JSON.stringify(one.name)).join(', ')
  return `There is no check ${JSON.stringify(name)}. ${known ? `The checks are ${known}.` : 'No checks are set.'}`
}
