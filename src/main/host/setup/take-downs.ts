import type { AgentRuntime } from '#core/agent/runtime/runtime.ts'
import type { AgentServices } from '#core/agent/types/services.ts'
import { environmentOf } from '#core/branches/branch-trees.ts'
import { readBranch, readFamily, readThread } from '#core/journal/read-thread.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'

export interface TakeDownSources {
  readonly services: Pick<AgentServices, 'log' | 'clock'>
  readonly runtime: Pick<AgentRuntime, 'processes'>
  /** The command that the person accepted for this project. Null for none, and while the folder is not trusted. */
  readonly command: () => string | null
  /** Milliseconds that closing waits for commands that run. */
  readonly closingMs: number
  readonly report: (problem: string, error: unknown) => void
}

/** Takes down what branches set up, once each is put away. Disposing it waits a little for what runs. */
export interface TakeDowns extends AsyncDisposable {
  /** An entry was stored. Nothing waits for what follows from it. */
  take(entry: Entry): void
}

/** Milliseconds that the command of one branch has. */
const mostMs = 30_000

/** One branch after the other, so that a family that is archived does not start a hundred commands. */
export function createTakeDowns({ services, runtime, command, closingMs, report }: TakeDownSources): TakeDowns {
  const { log, clock } = services
  let last: Promise<void> = Promise.resolve()
  let isClosing = false

  async function takeDown(branchId: BranchId, at: Entry['sequence'], line: string): Promise<void> {
    if (isClosing) return
    try {
      await runtime.processes.takeDown({ branchId, at, command: line, timeoutMs: mostMs })
    } catch (error) {
      report('What a branch set up could not be taken down', error)
    }
  }

  return {
    take(entry) {
      const line = command()
      if (line === null) return
      const at = (entry.sequence - 1) as Entry['sequence']
      const used = putAwayBy(log, entry).filter((branch) => wasUsed(log, branch))
      for (const { id } of used) last = last.then(() => takeDown(id, at, line))
    },
    async [Symbol.asyncDispose]() {
      const over = new AbortController()
      const bound = clock.sleep(closingMs, over.signal).catch(() => undefined)
      await Promise.race([last, bound])
      isClosing = true
      over.abort()
    },
  }
}

/** The branches that an entry puts away. */
function putAwayBy(log: AgentServices['log'], entry: Entry): readonly Branch[] {
  switch (entry.type) {
    case 'branch.discarded': {
      const branch = entry.whole ? readBranch(log, entry.branchId) : undefined
      return branch ? [branch] : []
    }
    case 'thread.archived':
      return entry.archived ? branchesIn(log, entry.threadId) : []
    case 'thread.deleted':
      // What was archived before is taken down already.
      return readThread(log, entry.threadId)?.archived ? [] : branchesIn(log, entry.threadId)
    default:
      return []
  }
}

/** Those of a family that were not put away before: what a merged one has set up is still there. */
function branchesIn(log: AgentServices['log'], threadId: ThreadId): readonly Branch[] {
  return readFamily(log, threadId)
    .flatMap(({ branchId }) => readBranch(log, branchId) ?? [])
    .filter(({ status }) => status !== 'discarded')
}

/** A branch in which nothing ran has nothing to take down. */
function wasUsed({ state, trees }: AgentServices['log'], { id, threadId }: Branch): boolean {
  const calls = state.threads.get(threadId)?.calls.size ?? 0
  return calls > 0 || (state.processes.get(threadId) ?? []).length > 0 || environmentOf(trees, id).length > 0
}
