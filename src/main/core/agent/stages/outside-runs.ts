import { emptyTree } from '#overlay'
import type { JsonObject } from '#shared/base/json.ts'
import { isNonEmpty } from '#shared/base/non-empty.ts'
import type { HookEvent } from '#shared/model/calls/hooks.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { fileAccess } from '../../approval/file-policy.ts'
import { commitAlways } from '../../journal/project-log.ts'
import { readThread } from '../../journal/read-thread.ts'
import { policyOf } from '../runtime/agent-policy.ts'
import { definitionOf } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'
import { noTuning } from '../types/tuning.ts'
import { stagesOf } from './hook-place.ts'

/** What hooks are asked outside of runs: about an apply, a delivery, a merge, the end of the app. */
export interface HookQuestion {
  readonly moment: HookEvent
  /** In the words of Claude Code's hooks, and of ours where it has none. */
  readonly facts: JsonObject
}

/** Asks hooks about a thread and stores what they say. Returns why they refuse, as a sentence; null when they do not. */
export async function askHooks(
  services: AgentServices,
  threadId: ThreadId,
  { moment, facts }: HookQuestion,
  signal: AbortSignal,
): Promise<string | null> {
  const { log, hooks, extensions } = services
  await hooks.refresh()
  const isAsked = hooks.active().some(({ event }) => event === moment)
  const thread = isAsked ? readThread(log, threadId) : undefined
  if (!thread) return null
  const definition = definitionOf(extensions.current(), thread.agentType)
  const stages = stagesOf(services, () => readThread(log, threadId) ?? thread, {
    tuning: noTuning,
    tree: () => log.trees.heads.get(thread.branchId) ?? emptyTree,
    access: () => fileAccess(policyOf(services, definition)),
  })
  const asked = await stages.at(moment, { facts }, signal)
  if (!asked) return null
  const drafts = [{ threadId, ...asked.entry }]
  if (isNonEmpty(drafts)) commitAlways(log, drafts)
  const { verdict } = asked.said
  return verdict?.kind === 'refuse' ? `Refused by ${verdict.by}: ${verdict.reason}` : null
}

/** Milliseconds that hooks have when the app closes. */
const endMs = 3_000

/** Tells hooks that the sessions of this process end. Never rejects. */
export async function endSessions(services: AgentServices): Promise<void> {
  const { hooks, clock } = services
  if (!hooks.active().some(({ event }) => event === 'SessionEnd')) return
  const [late, over] = [new AbortController(), new AbortController()]
  clock.sleep(endMs, over.signal).then(
    () => late.abort(),
    () => undefined,
  )
  const question = { moment: 'SessionEnd', facts: { reason: 'other' } } as const
  const roots = hooks.begun().filter((id) => services.log.state.threads.get(id)?.parent === null)
  await Promise.all(roots.map((id) => askHooks(services, id, question, late.signal).catch(() => null)))
  over.abort()
}
