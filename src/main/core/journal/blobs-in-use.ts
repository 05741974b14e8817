import type { JsonValue } from '#shared/base/json.ts'
import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { checkpointOf, everInFamily } from '#shared/model/project-state.ts'
import { canBeRestored } from '#shared/model/thread.ts'
import { rootPath } from '#shared/model/virtual-path.ts'
import { entriesWithin, type Tree } from '../overlay/tree.ts'
import type { LogReader } from './project-log.ts'

/**
 * Every hash that a rewind, a redo or an undo may still need. All of them are written in entries, so any text in an
 * entry that looks like a hash counts, even in entries of an unknown kind. Threads that were deleted for good are left
 * out. `pause` lets other work run between two pieces.
 */
export async function blobsInUse(
  { state, trees, pages }: LogReader,
  now: number,
  pause: () => Promise<void>,
): Promise<ReadonlySet<string>> {
  const used = new Set<string>()
  const gone = deletedForGood(state, now)
  for (const entries of pages(entriesAtOnce)) {
    for (const entry of entries) {
      if (isOf(gone, entry)) continue
      markHashes(entry as unknown as JsonValue, used)
      if (entry.type === 'thread.copied') markHashes(copiedContent(state, entry), used)
    }
    await pause()
  }
  // A thread that was copied from a deleted one still needs its files.
  for (const branch of state.branches.values()) {
    if (gone.has(branch.threadId)) continue
    for (const tree of [trees.forkPoints.get(branch.id), trees.heads.get(branch.id)])
      if (tree) await markTree(tree, used, pause)
  }
  return used
}

/**
 * The prompt and the Python state of the thread that a copy was made from. The copy keeps using them, but none of its
 * own entries names them.
 */
function copiedContent(state: ProjectState, { from, to }: EntryOf<'thread.copied'>): JsonValue {
  const thread = checkpointOf(state, from, to)?.thread
  return thread ? { prompt: thread.prompt, python: thread.python?.state ?? null } : null
}

/** Few enough that reading and scanning them causes no noticeable delay. */
const entriesAtOnce = 50
const pathsAtOnce = 1_000
const hashLength = 64

function deletedForGood(state: ProjectState, now: number): ReadonlySet<ThreadId> {
  const deleted = [...state.threads.values()].filter(
    ({ deletedAt }) => deletedAt !== null && !canBeRestored(deletedAt, now),
  )
  return new Set(deleted.flatMap(({ id }) => [...everInFamily(state, id)]))
}

/** True for entries of deleted threads. Memory entries belong to the project, whoever wrote them. */
function isOf(gone: ReadonlySet<ThreadId>, { threadId, type }: Entry): boolean {
  return gone.has(threadId) && type !== 'memory.written'
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
