import { createOverlayTransaction } from '#overlay'
import type { EntryDraft, EntryOf } from '#shared/model/entry.ts'
import type { MessageId } from '#shared/model/ids.ts'
import { fileAccess } from '../../approval/file-policy.ts'
import { environmentOf, patchingTypes } from '../../branches/branch-trees.ts'
import { steerNoticeEntry } from '../../journal/notices.ts'
import { commitAlways, type LogReader } from '../../journal/project-log.ts'
import { treeAt } from '../../journal/rewind.ts'
import { openTrial } from '../../trial/open-trial.ts'
import { policyOf } from '../runtime/agent-policy.ts'
import { definitionOf } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'
import { ownerOf } from './process-trial.ts'
import { type TakenChanges, takeChanges, wasApproved } from './take-changes.ts'
import { pathsChangedBy, undoneBy } from './undone-work.ts'

type Start = EntryOf<'process.started'>

/** The owners of the mounts of processes that ran when the app was killed. */
export function mountsOfLostProcesses(log: LogReader): readonly string[] {
  return lostProcesses(log).map(({ branchId, processId }) => ownerOf(branchId, processId))
}

/**
 * Ends the processes that ran when the app was killed. What they changed in files of the project becomes changes of their
 * branches, by the rules of every end; agents are told. Call once on opening, before agents run. Never rejects.
 */
export async function recoverProcesses(services: AgentServices): Promise<void> {
  for (const start of lostProcesses(services.log)) await recover(services, start)
}

function lostProcesses({ state, entries }: LogReader): readonly Start[] {
  const open = new Set<string>()
  for (const records of state.processes.values())
    for (const { threadId, id, end } of records) if (end === null) open.add(`${threadId} ${id}`)
  if (open.size === 0) return []
  return entries(['process.started']).filter(
    (entry): entry is Start => entry.type === 'process.started' && open.has(`${entry.threadId} ${entry.processId}`),
  )
}

async function recover(services: AgentServices, start: Start): Promise<void> {
  const { log, ids } = services
  const { threadId, processId, branchId, command } = start
  const taken = await takeUp(services, start).catch(
    (error: unknown): TakenChanges => ({
      entries: [],
      note: `Nothing that it changed was kept: ${error instanceof Error ? error.message : String(error)}`,
    }),
  )
  const drafts = (note: string, changes: TakenChanges['entries']): [EntryDraft, ...EntryDraft[]] => {
    const end = { by: 'app', exitCode: null, signal: null, note } as const
    const told = `Coppice was not closed in order, and ${processId} (${command}) ended with it. ${note}`
    return [
      { type: 'process.ended', threadId, processId, branchId, ...end },
      ...changes.map((entry) => ({ threadId, ...entry })),
      ...(log.state.threads.has(threadId)
        ? [{ threadId, ...steerNoticeEntry(ids.next() as MessageId, told.trim()) }]
        : []),
    ]
  }
  if (!log.commit(drafts(taken.note, taken.entries)).ok)
    commitAlways(log, drafts('None of its changes were kept, because the branch has changed.', []))
}

/** The changes that the process left in its mount. */
async function takeUp(services: AgentServices, start: Start): Promise<TakenChanges> {
  const { log, extensions } = services
  const { threadId, branchId, processId, command, callId, sequence } = start
  const thread = log.state.threads.get(threadId)
  const tree = treeAt(log, branchId, sequence)
  const since = log.entriesAfter(sequence, patchingTypes, log.rootOf(threadId))
  const undone = since.map((entry) => undoneBy(log.state, entry, { threadId, branchId, startedAt: sequence }))
  const gone = undone.find((why) => why !== undefined)
  if (gone !== undefined) return { entries: [], note: gone }
  if (!thread || !tree) return { entries: [], note: 'Its thread is gone, so nothing was kept.' }
  const { signal } = new AbortController()
  const branch = createOverlayTransaction({ ...services, tree })
  const isApproved = callId === null || wasApproved(thread.calls.get(callId))
  const access = fileAccess(policyOf(services, definitionOf(extensions.current(), thread.agentType)), isApproved)
  const environment = environmentOf(log.trees, branchId, sequence)
  const owner = ownerOf(branchId, processId)
  const request = { owner, access, branch, environment, lifetime: 'taken up' } as const
  await using trial = await openTrial(services, request, signal)
  const captured = { ...(await trial.capture(false)), environment }
  trial.drop()
  return await takeChanges(services, {
    ...{ threadId, branchId, callId, command, isApproved, captured, isWhole: false },
    moved: new Set(since.flatMap((entry) => pathsChangedBy(entry, branchId))),
    view: trial,
  })
}
