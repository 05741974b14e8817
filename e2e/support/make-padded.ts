import { openProjectDatabase } from '#adapters/sqlite/project-database.ts'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { openProjectLog } from '#core/journal/project-log.ts'
import { nodeHashing } from '#overlay/node'
import { isNonEmpty } from '#shared/base/non-empty.ts'
import type { EntryBody, EntryDraft } from '#shared/model/entry.ts'
import { replied, said, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'

// The program of `padJournal`: makes the database FILE with so many entries of other threads.
const [file = '', padding = ''] = process.argv.slice(2)

const entriesOfThread = 1_000
/** The threads of the padding were deleted too long ago to be in any list. */
const longAgo = Date.UTC(2020, 0, 1)

let at = longAgo
const clock = { now: () => at++, sleep: async () => undefined }
using database = openProjectDatabase({ file, clock, hashing: nodeHashing })
const log = openProjectLog(database.journal, () => {}, { folds: database.folds })
for (let count = 0; count < Number(padding); count += entriesOfThread) {
  const drafts = threadOf(count)
  if (isNonEmpty(drafts)) appendTo(log, drafts)
}

function threadOf(count: number): readonly EntryDraft[] {
  const threadId = `padding-${count}` as ThreadId
  const branchId = `padding-branch-${count}` as BranchId
  const turns = Array.from({ length: (entriesOfThread - 3) / 2 }, (_, turn): readonly EntryBody[] => [
    said(`padding ${count} ${turn}`),
    replied(`padding reply ${count} ${turn}`, 'ls', []),
  ])
  const bodies: readonly EntryBody[] = [
    threadCreated(branchId, { title: `Padding ${count}` }),
    { type: 'branch.forked', branchId, parentId: null, ownerThreadId: threadId, handle: null, name: 'workspace' },
    ...turns.flat(),
    { type: 'thread.deleted' },
  ]
  return bodies.map((body) => ({ ...body, threadId }))
}
