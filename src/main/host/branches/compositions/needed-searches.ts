import { CheckCancelled } from '#core/checks/check-runs.ts'
import type { ProjectChecks } from '#core/checks/project-checks.ts'
import { type CommandProject, type Decided, refuse } from '#core/commands/command.ts'
import { type Needed, removeUnneeded } from '#core/commands/compose/needed.ts'
import type { Clock } from '#shared/base/clock.ts'
import type { NeededView } from '#shared/contract/checks.ts'
import type { LiveEvent } from '#shared/model/event.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { searchNeeded } from './find-needed.ts'

/** Searches for what a check needs of a branch's change, one for each branch. Each step is told as a change of its checks. */
export interface NeededSearches extends AsyncDisposable {
  /** Starts a search in place of the one of this branch; does nothing when that one is about the same check. */
  start(branchId: BranchId, check: string): void
  /** The search of a branch that runs or was the last. Null before the first. */
  view(branchId: BranchId): NeededView | null
  cancel(branchId: BranchId): void
  /** Takes off the branch what the last search found to be not needed. */
  remove(branchId: BranchId): Decided
}

export interface NeededServices {
  readonly checks: Pick<ProjectChecks, 'definitions' | 'run'>
  readonly project: () => CommandProject
  readonly clock: Pick<Clock, 'now'>
  readonly announce: (event: LiveEvent) => void
}

interface Running {
  readonly control: AbortController
  view: Omit<NeededView, 'canRemove'>
  /** Null before it has found something. */
  removal: Needed | null
  ended: Promise<void>
}

export function createNeededSearches(services: NeededServices): NeededSearches {
  const { clock, project } = services
  const searches = new Map<BranchId, Running>()

  function show(one: Running, change: Partial<NeededView>): void {
    const { branchId, startedAt } = one.view
    one.view = { ...one.view, ...change, durationMs: clock.now() - startedAt }
    const { state } = project().log
    const threadId = state.branches.get(branchId)?.threadId
    if (threadId === undefined || searches.get(branchId) !== one) return
    services.announce({ type: 'checks.changed', branchId, threadId, at: clock.now(), sequence: state.sequence })
  }

  async function search(one: Running): Promise<void> {
    const { branchId, check } = one.view
    try {
      const about = { branchId, check, onStep: (step: Pick<NeededView, 'left' | 'of' | 'runs'>) => show(one, step) }
      const { parts, runs, removal } = await searchNeeded(project(), services.checks, about, one.control.signal)
      one.removal = removal
      show(one, { runs, end: { kind: 'found', parts } })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      show(one, { end: one.control.signal.aborted ? { kind: 'cancelled' } : { kind: 'refused', message } })
    }
  }

  return {
    start(branchId, check) {
      const known = searches.get(branchId)
      if (known?.view.end === null && known.view.check === check) return
      known?.control.abort(new CheckCancelled())
      const begun = { left: 0, of: 0, runs: 0, startedAt: clock.now(), durationMs: 0, end: null }
      const one: Running = {
        control: new AbortController(),
        view: { branchId, check, ...begun },
        ...{ removal: null, ended: Promise.resolve() },
      }
      searches.set(branchId, one)
      one.ended = search(one)
    },
    view(branchId) {
      const one = searches.get(branchId)
      if (!one) return null
      const head = project().log.trees.heads.get(branchId)
      const isLess = one.removal !== null && one.removal.needed.length < one.removal.parts.length
      return { ...one.view, canRemove: isLess && head === one.removal?.before }
    },
    cancel: (branchId) => searches.get(branchId)?.control.abort(new CheckCancelled()),
    remove(branchId) {
      const removal = searches.get(branchId)?.removal
      return removal ? removeUnneeded(project(), removal) : refuse('not_found', 'Nothing was searched on this branch.')
    },
    async [Symbol.asyncDispose]() {
      for (const { control } of searches.values()) control.abort(new CheckCancelled())
      await Promise.all([...searches.values()].map(({ ended }) => ended))
    },
  }
}
