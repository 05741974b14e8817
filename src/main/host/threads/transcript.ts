import { transcriptOf as threadTranscript } from '#core/agent/context/transcript.ts'
import { mutationsOf } from '#core/journal/mutations.ts'
import { readFamily } from '#core/journal/read-thread.ts'
import { redact } from '#core/secrets/secrets.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { escapeControls, printableJson } from '#shared/text/control-characters.ts'
import type { Project } from '../project/project.ts'
import { reviewFacts } from './page/review-facts.ts'
import { transcriptPage } from './page/transcript-page.ts'

export type TranscriptForm = 'markdown' | 'html' | 'json'

/** A thread and its subagents: the conversation, and in a page also what changed, the checks and the branches. Replaces texts that look like secrets unless asked not to. */
export async function transcriptOf(
  project: Project,
  threadId: ThreadId,
  form: TranscriptForm,
  withSecrets: boolean,
): Promise<string> {
  const { services } = project
  const family = readFamily(services.log, threadId)
  if (form === 'html')
    return transcriptPage(family, withSecrets ? (text) => text : redact, await reviewFacts(project, threadId))
  const text =
    form === 'markdown'
      ? escapeControls(family.map((thread) => threadTranscript(thread)).join('\n'))
      : `${printableJson({ threads: family.map(threadRecord) }, 2)}\n`
  return withSecrets ? text : redact(text)
}

function threadRecord(thread: ThreadState): object {
  const { id, agent, agentType, title, model, parent, messages, calls, todos, usage } = thread
  const parentId = parent?.threadId ?? null
  return { id, parentId, agent, agentType, title, model, messages, calls: [...calls.values()], todos, usage }
}

/**
 * Every entry of a thread and its subagents as one JSON object per line, in the journal's order. Each has the agent's
 * name and, for an entry that changed a branch, the changed paths.
 */
export function journalLines({ services }: Project, threadId: ThreadId): string {
  const agents = new Map(readFamily(services.log, threadId).map(({ id, agent }) => [id, agent]))
  return services.log
    .entries()
    .filter((entry) => agents.has(entry.threadId))
    .map((entry) => {
      const mutations = 'patch' in entry ? { mutations: mutationsOf(entry) } : {}
      return `${printableJson({ ...entry, agent: agents.get(entry.threadId), ...mutations })}\n`
    })
    .join('')
}
