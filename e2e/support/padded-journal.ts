import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeHashing } from '#adapters/hashing/node-hashing.ts'
import { openProjectDatabase } from '#adapters/sqlite/project-database.ts'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { openProjectLog } from '#core/journal/project-log.ts'
import { isNonEmpty } from '#shared/base/non-empty.ts'
import type { EntryBody, EntryDraft } from '#shared/model/entry.ts'
import { replied, said, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'

/** How many entries of other threads the journal of each test's project begins with. None by default. */
const everywhere = Number(process.env.COPPICE_E2E_PADDED ?? 0)

const entriesOfThread = 1_000
/** The threads of the padding were deleted too long ago to be in any list. */
const longAgo = Date.UTC(2020, 0, 1)

const made = new Map<number, string>()

/** Gives a project that is not known yet a journal that begins with entries of other threads. By default the environment says how many. */
export function padJournal(dataFolder: string, folder: string, padding = everywhere): void {
  if (padding === 0) return
  const id = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 24)
  const place = join(dataFolder, 'projects', id)
  if (existsSync(join(place, 'project.db'))) return
  mkdirSync(place, { recursive: true, mode: 0o700 })
  const file = made.get(padding) ?? makePadded(padding)
  made.set(padding, file)
  copyFileSync(file, join(place, 'project.db'))
}

/** One database for all tests of a process. */
function makePadded(padding: number): string {
  const file = join(mkdtempSync(join(tmpdir(), 'coppice-e2e-padded-')), 'project.db')
  let at = longAgo
  const clock = { now: () => at++, sleep: async () => undefined }
  using database = openProjectDatabase({ file, clock, hashing: nodeHashing })
  const log = openProjectLog(database.journal, () => {}, { folds: database.folds })
  for (let count = 0; count < padding; count += entriesOfThread) {
    const drafts = threadOf(count)
    if (isNonEmpty(drafts)) appendTo(log, drafts)
  }
  return file
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
