import { createOverlayTransaction } from '#overlay'
import type { EntryDraft, EntryOf } from '#shared/model/entry.ts'
import type { MessageId } from '#shared/model/ids.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { fileAccess } from '../../approval/file-policy.ts'
import { environmentOf, patchingTypes } from '../../branches/branch-trees.ts'
import { steerNoticeEntry } from '../../journal/notices.ts'
import { commitAlways, type LogReader } from '../../journal/project-log.ts'
import { treeAt } from '../../journal/rewind.ts'
import { keepOnto } from '../../trial/keep-onto.ts'
import { openTrial } from '../../trial/open-trial.ts'
import { headOf } from '../processes/process-trial.ts'
import { pathsChangedBy, undoneBy } from '../processes/undone-work.ts'
import { policyOf } from '../runtime/agent-policy.ts'
import { definitionOf } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'
import { openSessions, viewOwner } from './find-sessions.ts'
import { lastRefusal } from './last-refusal.ts'

type Begun = EntryOf<'session.began'>

/** The owners of the views of external agents that worked when the app was killed. */
export function viewsOfLostSessions(log: LogReader): readonly string[] {
  return openSessions(log).map(({ branchId, view }) => viewOwner(branchId, view))
}

/**
 * Ends the sessions that were open when the app was killed. What the agent changed since its last call is kept, where
 * nobody else changed the same. Call once on opening, before agents run. Never rejects.
 */
export async function recoverSessions(services: AgentServices): Promise<void> {
  for (const begun of openSessions(services.log)) await recover(services, begun)
}

async function recover(services: AgentServices, begun: Begun): Promise<void> {
  const { log, ids } = services
  const { threadId, branchId, view } = begun
  const { entries, note } = await takeUp(services, begun).catch((error: unknown) => ({
    entries: [],
    note: `What it changed since its last call was lost: ${error instanceof Error ? error.message : String(error)}`,
  }))
  const drafts = (told: string, changes: readonly EntryDraft[]): [EntryDraft, ...EntryDraft[]] => [
    { type: 'session.ended', threadId, branchId, view, note: told },
    ...changes,
    ...(told !== '' && log.state.threads.has(threadId)
      ? [{ threadId, ...steerNoticeEntry(ids.next() as MessageId, `Coppice was not closed in order. ${told}`) }]
      : []),
  ]
  if (!log.commit(drafts(note, entries)).ok) commitAlways(log, drafts('What was changed last was lost.', []))
}

/** The changes that the agent left in its view, over the branch as it is now. */
async function takeUp(services: AgentServices, { threadId, branchId, view, sequence }: Begun) {
  const { log, extensions } = services
  const thread = log.state.threads.get(threadId)
  const tree = treeAt(log, branchId, sequence)
  const since = log.entriesAfter(sequence, patchingTypes, log.rootOf(threadId))
  const gone = since.map((entry) => undoneBy(log.state, entry, { threadId, branchId, startedAt: sequence }))
  const isTakenBack = since.some(({ type }) => type === 'rewound') || gone.some((why) => why !== undefined)
  if (isTakenBack || !thread || !tree) return { entries: [], note: '' }
  const access = fileAccess(policyOf(services, definitionOf(extensions.current(), thread.agentType)), false)
  const environment = environmentOf(log.trees, branchId, sequence)
  const branch = createOverlayTransaction({ ...services, tree })
  const request = { owner: viewOwner(branchId, view), access, branch, environment, lifetime: 'taken up' } as const
  await using trial = await openTrial(services, request, new AbortController().signal)
  const captured = await trial.capture(false)
  trial.drop()
  const now = headOf(services, branchId)
  const others = since.filter((entry) => !(entry.type === 'tree.changed' && entry.threadId === threadId))
  const moved = new Set(others.flatMap((entry) => pathsChangedBy(entry, branchId)))
  const kept = await keepOnto(services, { tree: now, hidden: trial.hidden }, captured.changes, { now, moved })
  if (kept.kind === 'refused') return { entries: [], note: kept.message }
  const refusal = await lastRefusal(services, threadId, now, kept.branch.tree)
  if (refusal !== undefined) return { entries: [], note: refusal }
  const patch = kept.branch.patch()
  const callId = [...thread.calls.keys()].at(-1) ?? null
  const changed = { type: 'tree.changed', threadId, branchId, patch, callId } as const
  const left = kept.left.map(shownName)
  return {
    entries: patch.length === 0 ? [] : [changed],
    note: left.length === 0 ? '' : `The branch has its own version of ${left.join(', ')}, which stays.`,
  }
}
