import { availableParallelism } from 'node:os'
import { branchSides } from '#core/branches/branch-sides.ts'
import type { BranchTrees } from '#core/branches/branch-trees.ts'
import { type Bisects, createBisects } from '#core/checks/bisect/bisects.ts'
import { createGreenQueue, type GreenQueue } from '#core/checks/green-queue.ts'
import { type CheckServices, createProjectChecks, type ProjectChecks } from '#core/checks/project-checks.ts'
import { proposeChecks } from '#core/checks/propose-checks.ts'
import { storeGreenMerge } from '#core/commands/branches.ts'
import { endQueuedMerges, queueMerges, recordCheck } from '#core/commands/checks.ts'
import { CommandError, type CommandProject, type Decided, type Stored } from '#core/commands/command.ts'
import type { TextMerge } from '#core/ports/text-merge.ts'
import { planMerge } from '#overlay'
import type { CheckProposal } from '#shared/contract/checks.ts'
import type { CheckDefinition } from '#shared/model/check.ts'
import { createNeededSearches, type NeededSearches } from '../branches/compositions/needed-searches.ts'
import { chooseChecks } from '../settings/check-settings.ts'
import { allReached } from '../settings/granted-reach.ts'
import type { EffectiveSettings } from '../settings/settings-source.ts'

/** The checks of an open project. */
export interface OpenChecks extends AsyncDisposable {
  readonly runs: ProjectChecks
  readonly queue: GreenQueue
  readonly bisects: Bisects
  readonly needed: NeededSearches
  /** Goes on with the merges that an earlier run of the app left. Call once agents may work, and the project may be read. */
  resumeMerges(): Promise<void>
  /** Empty when checks are set, and when the person wants none. */
  proposals(): Promise<readonly CheckProposal[]>
}

export interface CheckSources extends Omit<CheckServices, 'definitions' | 'hosts' | 'limit' | 'record'> {
  readonly textMerge: TextMerge
  /** Null for a workspace without a folder. */
  readonly rootFolder: string | null
  /** False for the demo, which is about something else. */
  readonly proposes: boolean
  readonly settings: () => Pick<EffectiveSettings, 'checks' | 'hosts' | 'reach'>
  /** What a trusted project defines. Empty before it is trusted. */
  readonly ofProject: () => readonly CheckDefinition[]
  /** Reads what a trusted project defines. */
  readonly findOfProject: () => Promise<unknown>
  /** Stores a command's decision, or throws its refusal. */
  readonly run: <Answer>(decided: Decided<Answer>) => Stored<Answer>
  readonly project: () => CommandProject
  readonly report: (problem: string, error: unknown) => void
}

/** Two run at once, or a quarter of the processors. */
const limit = Math.max(2, Math.floor(availableParallelism() / 4))

export function openChecks(sources: CheckSources): OpenChecks {
  const { settings, rootFolder, run, log } = sources
  const choice = () => chooseChecks(settings().checks, sources.ofProject(), rootFolder)
  const runs = createProjectChecks({
    ...sources,
    limit,
    definitions: () => choice().checks,
    hosts: () => allReached(settings(), rootFolder),
    record: (branchId, on, result) => void run(recordCheck({ log }, { branchId, on, result })),
  })
  const queue = createGreenQueue({
    ...{ log, checks: runs, clock: sources.clock, announce: sources.announce, report: sources.report },
    planMerge: (trees: BranchTrees, branch, options) =>
      planMerge({ ...sources, ...branchSides(trees, branch), ...options }),
    queue: (branchIds) => void run(queueMerges({ log }, branchIds)),
    end: (ends) => void run(endQueuedMerges(ends)),
    store(branchId, plan) {
      try {
        return run(storeGreenMerge(sources.project(), branchId, plan)).sequence
      } catch (error) {
        if (error instanceof CommandError && error.code === 'conflict') return null
        throw error
      }
    },
  })
  const bisects = createBisects({ ...sources, checks: runs })
  const needed = createNeededSearches({ ...sources, checks: runs })
  return {
    ...{ runs, queue, bisects, needed },
    async resumeMerges() {
      if (!(queue.view()?.branches.some(({ state }) => state.kind === 'queued') ?? false)) return
      // Without the checks of the project, a branch would count as one that no check is about.
      await sources.findOfProject()
      queue.resume()
    },
    async proposals() {
      const { checks, never } = choice()
      return !sources.proposes || checks.length > 0 || never ? [] : proposeChecks(sources.base)
    },
    async [Symbol.asyncDispose]() {
      await bisects[Symbol.asyncDispose]()
      await needed[Symbol.asyncDispose]()
      await queue[Symbol.asyncDispose]()
      await runs[Symbol.asyncDispose]()
    },
  }
}
