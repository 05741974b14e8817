import type { Entry, EntryOf } from '#shared/model/entry.ts'
import { withFamilies } from '#shared/model/fold/family.ts'
import type { Sequence } from '#shared/model/ids.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { createEventFold, type EventFolds, emptyFolds } from '../store/app-state.ts'

interface FoldOptions {
  /** Folds up to this entry. Later ones wait, because the window has not folded them either. */
  readonly upTo: () => Sequence
  /** Reads the family of which a thread of this one begins as a copy. */
  readonly readSource: (copied: EntryOf<'thread.copied'>) => Promise<void>
  /** That family as the window knows it. */
  readonly sourceOf: (copied: EntryOf<'thread.copied'>) => ProjectState
  /** Resolves when the page had time for something else. */
  readonly pause: () => Promise<void>
  /** Aborted when nobody needs the family any more. */
  readonly signal: AbortSignal
}

/** The fold of one family, made of one piece of its entries after the other. */
export interface FamilyFold {
  /** The last entry that it was given; 0 before the first. */
  last(): Sequence
  /** Folds later entries, in slices. */
  add(entries: readonly Entry[]): Promise<void>
  /** Folds what waits and some later entries at once. Nothing can be added afterwards. */
  end(later: readonly Entry[]): EventFolds
}

/** Milliseconds for which the page does nothing else. A frame takes 16. */
const slice = 10

/** Entries between two looks at the clock. */
const between = 50

export function createFamilyFold({ upTo, readSource, sourceOf, pause, signal }: FoldOptions): FamilyFold {
  const fold = createEventFold()
  let folds: EventFolds = emptyFolds
  let waiting: readonly Entry[] = []
  let last: Sequence = 0

  function foldAtOnce(entries: readonly Entry[]): void {
    for (const entry of entries)
      if (entry.type === 'thread.copied') folds = { ...folds, project: withFamilies(folds.project, sourceOf(entry)) }
    folds = fold(folds, entries)
  }

  /** Those that the window has folded. The others wait. */
  function takeKnown(entries: readonly Entry[]): readonly Entry[] {
    const all = waiting.concat(entries)
    const known = all.filter(({ sequence }) => sequence <= upTo())
    waiting = all.slice(known.length)
    return known
  }

  return {
    last: () => last,
    async add(entries) {
      last = entries.at(-1)?.sequence ?? last
      for (const entry of entries) if (entry.type === 'thread.copied') await readSource(entry)
      const known = takeKnown(entries)
      let until = performance.now() + slice
      for (let at = 0; at < known.length && !signal.aborted; at += between) {
        foldAtOnce(known.slice(at, at + between))
        if (performance.now() < until) continue
        await pause()
        until = performance.now() + slice
      }
    },
    end(later) {
      foldAtOnce(takeKnown(later))
      return folds
    },
  }
}

/** Resolves in a later turn of the page's loop, after what waits for it. Timers would be delayed. */
export function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
