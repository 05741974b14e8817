import { readFamily } from '#core/journal/read-thread.ts'
import { describeChange, leafOf } from '#overlay'
import type { EntryOf } from '#shared/model/entry.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { Project } from '../project/project.ts'

/** Lines that an entry added and removed, over all its files; null when one of them was not compared. */
export async function countChangedLines(
  { services }: Project,
  { patch }: EntryOf<'tree.changed'>,
): Promise<{ readonly added: number | null; readonly removed: number | null } | null> {
  const changes = patch.map(([path, [before, after]]) => ({
    path,
    before: leafOf(before ? before.node : (after?.pin ?? null)),
    after: leafOf(after ? after.node : (before?.pin ?? null)),
  }))
  const files = changes.filter(({ before, after }) => before || after)
  const counted = await Promise.all(files.map((change) => describeChange(change, services)))
  if (counted.length === 0 || counted.some(({ added, removed }) => added === null || removed === null)) return null
  const sum = (of: 'added' | 'removed') => counted.reduce((all, change) => all + (change[of] ?? 0), 0)
  return { added: sum('added'), removed: sum('removed') }
}

/** Subagents of a thread that failed, with the reason. */
export function findFailures(
  { services }: Project,
  threadId: ThreadId,
): readonly { readonly agent: string; readonly message: string }[] {
  return readFamily(services.log, threadId).flatMap(({ agent, parent, end }) =>
    parent !== null && end?.status === 'failed' ? [{ agent, message: end.message }] : [],
  )
}
