import { transcriptOf as threadTranscript } from '#core/agent/transcript.ts'
import { redacted } from '#core/approval/secret-text.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { familyOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { Project } from './project.ts'

/** The conversation of a thread and its subagents. What looks like a secret is replaced unless it is asked for. */
export function transcriptOf(
  { services }: Project,
  threadId: ThreadId,
  form: 'markdown' | 'json',
  withSecrets: boolean,
): string {
  const family = familyOf(services.log.state, threadId)
  const text =
    form === 'markdown'
      ? family.map((thread) => threadTranscript(thread)).join('\n')
      : `${JSON.stringify({ threads: family.map(threadRecord) }, null, 2)}\n`
  return withSecrets ? text : redacted(text)
}

function threadRecord(thread: ThreadState): object {
  const { id, agent, agentType, title, model, parent, messages, calls, todos, usage } = thread
  const parentId = parent?.threadId ?? null
  return { id, parentId, agent, agentType, title, model, messages, calls: [...calls.values()], todos, usage }
}

/** Every entry of a thread and its subagents, one JSON object a line, in the journal's order. */
export function journalLines({ services }: Project, threadId: ThreadId): string {
  const family = new Set(familyOf(services.log.state, threadId).map(({ id }) => id))
  return services.log
    .entries()
    .filter((entry) => family.has(entry.threadId))
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('')
}
