import { isNonEmpty } from '#shared/base/non-empty.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { ProjectLog } from '../journal/project-log.ts'

/** Runs that a crash left open end as interrupted, so that nothing looks as if it still worked. Call once on opening. */
export function closeCrashedRuns(log: ProjectLog): void {
  const open = [...log.state.threads.values()].filter(({ end, runStartedAt }) => runStartedAt !== null && end === null)
  const drafts = open.map(
    ({ id }): EntryDraft => ({
      type: 'run.ended',
      threadId: id,
      status: 'interrupted',
      reason: 'restart',
      message: 'The app was closed while this ran. Continue to go on.',
    }),
  )
  if (isNonEmpty(drafts)) log.append(drafts)
}
