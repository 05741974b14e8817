import type {
  UsageBatch,
  UsagePurpose,
  UsageReport,
  UsageRow,
  UsageThread,
} from '#shared/model/derived/usage-report.ts'
import type { Entry, EntryOf, EntryType } from '#shared/model/entry.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { addUsage } from '#shared/model/models/usage.ts'

/** The entries that a report is made of. */
export const usageReportTypes = [
  'thread.created',
  'thread.titled',
  'branch.forked',
  'batch.started',
  'run.started',
  'usage',
] as const satisfies readonly EntryType[]

/** Grows with a journal, so that a report after more entries costs only those. */
export interface UsageFold {
  /** Give it every entry once, in order. Types that it does not need change nothing. */
  take(entry: Entry): void
  report(): UsageReport
}

interface ThreadFacts {
  readonly created: EntryOf<'thread.created'>
  readonly root: ThreadId
  readonly batch: string | null
  /** Names the task of the thread. A batch that is retried gives it to another thread. */
  readonly task: string
  title: string
}

/**
 * Sums the requests of all threads, deleted threads and rewound requests included, because they were paid for. `starts`
 * are the beginnings of days, ascending. Requests before the first one are left out.
 */
export function createUsageFold(starts: readonly number[]): UsageFold {
  const threads = new Map<ThreadId, ThreadFacts>()
  const branches = new Map<BranchId, string>()
  const batches = new Map<string, { readonly root: ThreadId; readonly startedAt: number; tasks: Set<number> }>()
  const runs = new Map<string, number>()
  const rows = new Map<string, UsageRow>()

  function create(entry: EntryOf<'thread.created'>): void {
    const { threadId, parent, title } = entry
    const above = parent && threads.get(parent.threadId)
    const call = parent && `${parent.threadId} ${parent.callId}`
    const own = call === null ? undefined : batches.get(call)
    if (parent) own?.tasks.add(parent.index)
    threads.set(threadId, {
      created: entry,
      title,
      root: above?.root ?? parent?.threadId ?? threadId,
      batch: own ? call : (above?.batch ?? null),
      task: parent ? `${call} ${parent.index}` : threadId,
    })
  }

  function count(entry: EntryOf<'usage'>): void {
    const { at, threadId, model, usage } = entry
    const purpose: UsagePurpose = entry.for ?? 'reply'
    const day = dayOf(starts, at)
    if (day === null) return
    const run = runs.get(threads.get(threadId)?.task ?? threadId) ?? 0
    const key = `${day} ${threadId} ${run} ${purpose} ${model}`
    const known = rows.get(key)
    rows.set(key, { day, threadId, run, model, purpose, usage: known ? addUsage(known.usage, usage) : usage })
  }

  return {
    take(entry) {
      switch (entry.type) {
        case 'thread.created':
          return create(entry)
        case 'thread.titled': {
          const thread = threads.get(entry.threadId)
          if (thread) thread.title = entry.title
          return
        }
        case 'branch.forked':
          branches.set(entry.branchId, entry.name)
          return
        case 'batch.started': {
          const root = threads.get(entry.threadId)?.root ?? entry.threadId
          batches.set(`${entry.threadId} ${entry.callId}`, { root, startedAt: entry.at, tasks: new Set() })
          return
        }
        case 'run.started': {
          const task = threads.get(entry.threadId)?.task ?? entry.threadId
          runs.set(task, (runs.get(task) ?? 0) + 1)
          return
        }
        case 'usage':
          return count(entry)
      }
    },
    report() {
      const used = new Set<ThreadId>()
      for (const { threadId } of rows.values()) used.add(threadId).add(threads.get(threadId)?.root ?? threadId)
      const named = [...used].map((id) => nameThread(id, threads.get(id), branches))
      const inUse = new Set(named.map(({ batch }) => batch))
      return {
        rows: [...rows.values()],
        threads: named,
        batches: [...batches].flatMap(([id, { root, startedAt, tasks }]): readonly UsageBatch[] =>
          inUse.has(id) ? [{ id, root, startedAt, tasks: tasks.size }] : [],
        ),
      }
    },
  }
}

/** A thread whose beginning the journal has lost has its id as its name. */
function nameThread(
  id: ThreadId,
  facts: ThreadFacts | undefined,
  branches: ReadonlyMap<BranchId, string>,
): UsageThread {
  if (!facts) return { ...lost, id, root: id, title: id, agent: id }
  const { created, root, title, batch } = facts
  const { agent, agentType, depth, branchId } = created
  return { id, root, title, agent, agentType, depth, branchId, branch: branches.get(branchId) ?? agent, batch }
}

const lost = { agentType: '', depth: 0, branchId: '' as BranchId, branch: '', batch: null }

/** The last of the ascending starts that is not after the moment; null for a moment before all of them. */
export function dayOf(starts: readonly number[], at: number): number | null {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low === 0 ? null : (starts[low - 1] ?? null)
}
