import type { Sequence } from '#shared/model/ids.ts'
import { CommandError, type Stored } from './command.ts'

/** Branches that one commit merges. Nothing else runs during a commit, and its time grows with them. */
const mergedAtOnce = 25

/** What was stored of all groups, in order. */
interface MergedGroups<Left> {
  readonly sequences: readonly Sequence[]
  /** What the groups left untouched. */
  readonly left: readonly Left[]
}

/**
 * Merges many branches, a group after the other, with a `pause` between two in which other work runs. A group whose
 * branches changed while it was prepared is prepared once more. When it is refused again, the groups before it stay
 * merged: each merge has its own undo.
 */
export async function mergeInGroups<Id, Left>(
  ids: readonly Id[],
  merge: (group: readonly Id[]) => Promise<Stored<readonly Left[]>>,
  pause: () => Promise<void>,
): Promise<MergedGroups<Left>> {
  const sequences: Sequence[] = []
  const left: Left[] = []
  for (let from = 0; from < ids.length; from += mergedAtOnce) {
    const group = ids.slice(from, from + mergedAtOnce)
    const stored = await merge(group).catch((error: unknown) => {
      if (!(error instanceof CommandError && error.code === 'conflict')) throw error
      return merge(group)
    })
    sequences.push(...stored.sequences)
    left.push(...stored.answer)
    await pause()
  }
  return { sequences, left }
}
