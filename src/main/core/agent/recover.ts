import { isNonEmpty } from '#shared/base/non-empty.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { ProjectLog } from '../journal/project-log.ts'
import { askedOutcome, callsOfUnknownOutcome } from './unknown-outcome.ts'

/**
 * Runs that a crash left open end as interrupted, so that nothing looks as if it still worked, and a person is asked about
 * calls nobody knows the outcome of. Call once on opening.
 */
export function closeCrashedRuns(log: ProjectLog, nextId: () => string): void {
  const drafts = [...log.state.threads.values()].flatMap((thread): readonly EntryDraft[] => {
    const { id: threadId, end, runStartedAt } = thread
    const unknown = callsOfUnknownOutcome(thread)
    const asked = unknown.length > 0 ? [{ threadId, ...askedOutcome(thread, unknown, nextId()) }] : []
    const isOpen = runStartedAt !== null && end === null
    return isOpen ? [...asked, { type: 'run.ended', threadId, ...cutByRestart }] : asked
  })
  if (isNonEmpty(drafts)) log.append(drafts)
}

const cutByRestart = {
  status: 'interrupted',
  reason: 'restart',
  message: 'The app was closed while this ran. Continue to go on.',
} as const
