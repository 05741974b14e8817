import { transcriptOf as threadTranscript } from '#core/agent/transcript.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { familyOf } from '#shared/model/project-state.ts'
import type { Project } from './project.ts'

/** The conversation of a thread and its subagents as Markdown. */
export function transcriptOf({ services }: Project, threadId: ThreadId): string {
  return familyOf(services.log.state, threadId)
    .map((thread) => threadTranscript(thread))
    .join('\n')
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
