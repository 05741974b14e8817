import { entriesWithin, type Tree } from '#overlay'
import { type Chain, latestFirst } from '#shared/base/chain.ts'
import type { JsonValue } from '#shared/base/json.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ThreadSnapshot } from '#shared/model/snapshots.ts'
import { canBeRestored } from '#shared/model/thread.ts'
import { rootPath } from '#shared/model/virtual-path.ts'
import type { LogReader } from './project-log.ts'

/**
 * Every hash that a rewind, a redo or an undo may still need. All of them are written in entries, so any text in an
 * entry that looks like a hash counts, even in entries of an unknown kind. Threads that were deleted for good are left
 * out. `pause` lets other work run between two pieces.
 */
export async function blobsInUse(
  log: LogReader,
  now: number,
  pause: () => Promise<void>,
): Promise<ReadonlySet<string>> {
  const used = new Set<string>()
  const gone = deletedForGood(log, now)
  for (const entries of log.pages(entriesAtOnce)) {
    for (const entry of entries) if (!isOf(gone, log, entry)) markHashes(entry as unknown as JsonValue, used)
    await pause()
  }
  for (const { state, trees } of log.visitFamilies()) {
    const threads = [...state.threads.values()]
    if (threads.some(({ id, parent }) => parent === null && gone.has(id))) continue
    for (const { id } of threads) markPast(state.past.threads.get(id) ?? null, used)
    // A thread that was copied from a deleted one still needs its files.
    for (const { id } of state.branches.values())
      for (const tree of [trees.forkPoints.get(id), trees.heads.get(id)]) if (tree) await markTree(tree, used, pause)
    await pause()
  }
  return used
}

/** Marks the prompt and the Python state of a thread at any time. Of a copied thread, no entry of its own names the first. */
function markPast(past: Chain<ThreadSnapshot> | null, used: Set<string>): void {
  for (const { thread } of latestFirst(past))
    if (thread) markHashes({ prompt: thread.prompt, python: thread.python?.state ?? null }, used)
}

/** Few enough that reading and scanning them causes no noticeable delay. */
const entriesAtOnce = 50
const pathsAtOnce = 1_000
const hashLength = 64

/** Root threads that cannot be restored any more. */
function deletedForGood(log: LogReader, now: number): ReadonlySet<ThreadId> {
  const roots = [...log.families().values()].map(({ root }) => root)
  return new Set(
    roots.flatMap(({ id, deletedAt }) => (deletedAt !== null && !canBeRestored(deletedAt, now) ? [id] : [])),
  )
}

/** True for entries of deleted threads and their subagents. Memory entries belong to the project, whoever wrote them. */
function isOf(gone: ReadonlySet<ThreadId>, log: LogReader, { threadId, type }: Entry): boolean {
  return gone.size > 0 && gone.has(log.rootOf(threadId) ?? threadId) && type !== 'memory.written'
}

function markHashes(value: JsonValue | undefined, used: Set<string>): void {
  if (typeof value === 'string') {
    if (value.length === hashLength) used.add(value)
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Array.isArray(value) ? value : Object.values(value)) markHashes(part, used)
  }
}

async function markTree(tree: Tree, used: Set<string>, pause: () => Promise<void>): Promise<void> {
  let marked = 0
  for (const [, { node, pin }] of entriesWithin(tree, rootPath)) {
    if (node?.kind === 'file') used.add(node.blob)
    if (pin?.kind === 'file') used.add(pin.blob)
    marked += 1
    if (marked % pathsAtOnce === 0) await pause()
  }
}
