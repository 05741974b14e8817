import { systemClock } from '#adapters/clock/system-clock.ts'
import { recoverSessions } from '#core/agent/external/recover-sessions.ts'
import { recoverProcesses } from '#core/agent/processes/recover-processes.ts'
import { type AgentRuntime, createAgentRuntime } from '#core/agent/runtime/runtime.ts'
import type { AgentServices } from '#core/agent/types/services.ts'
import { type BranchMerges, createBranchMerges } from '#core/branches/branch-merges.ts'
import { branchSides, planDiscard } from '#core/branches/branch-sides.ts'
import { layersInUse } from '#core/journal/layers-in-use.ts'
import { withoutLookUps } from '#core/journal/read-thread.ts'
import { planMerge } from '#overlay'
import type { EntryOf } from '#shared/model/entry.ts'
import { isLive } from '#shared/model/event.ts'
import { finishApplies } from '../changes/carry-out.ts'
import { ownSetup } from '../settings/setup-settings.ts'
import { createTakeDowns } from '../setup/take-downs.ts'
import { recoverTerminals } from '../terminals/branch-terminal.ts'
import { createTerminals } from '../terminals/terminals.ts'
import type { Opened } from './open-services.ts'
import type { Opening } from './opening.ts'

/** The last stage: ends what a crash cut off, and lets agents and terminals work. */
export async function startWork(opening: Opening, { store, folder, runners }: Opened, services: AgentServices) {
  const { options, provider, place, settings, cleanup } = opening
  const { events, run } = store
  removeUnused(opening, store, services)
  const merges = createMerges(services)
  if (folder.diskApply) await finishApplies({ services, disk: folder.diskApply, run }, folder.recovered)
  await recoverProcesses(services)
  await recoverSessions(services)
  const ofTerminals = {
    ...{ services: withoutLookUps(services), run, setup: runners.setup, report: options.log },
    ...{ folder: place.rootFolder, hidden: provider.secretVariables },
  }
  await recoverTerminals(ofTerminals)
  const terminals = cleanup.use(createTerminals(ofTerminals))
  const runtime = cleanup.use(createAgentRuntime(services, merges))
  const takeDowns = cleanup.use(
    createTakeDowns({
      ...{ services, runtime, report: options.log },
      command: () => (folder.isTrusted() ? (ownSetup(settings.read().setup, place.rootFolder).archive ?? null) : null),
      closingMs: options.frontend === 'cli' ? 60_000 : 5_000,
    }),
  )
  events.listen((event) => {
    if (isLive(event)) return
    runtime.processes.take(event)
    runtime.external.take(event)
    takeDowns.take(event)
    if (event.type === 'branch.merged') tellMerge(options, runtime, event)
  })
  return { merges, terminals, runtime }
}

/** Nothing waits for what hooks say about a merge. */
function tellMerge(
  { log }: Opening['options'],
  runtime: AgentRuntime,
  { threadId, branchId, into, result, forced }: EntryOf<'branch.merged'>,
): void {
  const { written, deleted } = result
  const facts = { branch_id: branchId, into, written, deleted, forced }
  runtime
    .askHooks(threadId, { moment: 'BranchMerged', facts }, new AbortController().signal)
    .catch((error: unknown) => log('A hook could not be told of a merge', error))
}

/** Removes the files of views and environments that no branch has any more, now and whenever one is discarded. */
function removeUnused({ options }: Opening, { events }: Opened['store'], services: AgentServices): void {
  const reportFor = (problem: string) => (error: unknown) => options.log(problem, error)
  events.listen((event) => {
    if (event.type !== 'branch.discarded' || !event.whole) return
    services.mounts.remove(event.branchId).catch(reportFor('The files of a discarded branch could not be removed'))
  })
  services.mounts
    .keepLayers(layersInUse(services, systemClock.now()))
    .catch(reportFor('What a crash left of environments could not be removed'))
}

function createMerges(services: AgentServices): BranchMerges {
  const { log } = services
  return createBranchMerges({
    state: () => log.state,
    trees: () => log.trees,
    now: () => systemClock.now(),
    planMerge: (trees, branch, chosen) => planMerge({ ...branchSides(trees, branch), ...chosen, ...services }),
    planDiscard,
  })
}
