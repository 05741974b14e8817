import type { LayeredMap } from '#shared/base/layered-map.ts'
import { familiesIn, withFamilies, withoutFamilies } from '#shared/model/fold/family.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import type { EventFolds } from './app-state.ts'
import type { Timeline } from './timeline.ts'

/**
 * Puts a family that was read whole in the place of what is known of it. Its entries were folded by themselves.
 * Everything else, and what belongs to the project as a whole, stays.
 */
export function joinFamily(folds: EventFolds, root: ThreadId, family: EventFolds): EventFolds {
  const others = withoutFamilies(folds.project, [root])
  const project = withFamilies(others, onlyFamily(family.project, root))
  return {
    project,
    live: folds.live,
    timeline: joinTimelines(folds.timeline, family.timeline),
    history: inOrder(folds.history, family.history),
  }
}

/** Without the families of which threads of this one began as copies. Most have none, so that nothing is copied. */
function onlyFamily(project: ProjectState, root: ThreadId): ProjectState {
  const isAlone = [...project.threads.values()].every(({ id, parent }) => parent !== null || id === root)
  return isAlone ? project : familiesIn(project, [root], emptyProject)
}

function joinTimelines(known: Timeline, read: Timeline): Timeline {
  return {
    branches: joined(known.branches, read.branches),
    versions: joined(known.versions, read.versions),
    messageTimes: joined(known.messageTimes, read.messageTimes),
    ends: joined(known.ends, read.ends),
    runs: joined(known.runs, read.runs),
    activities: joined(known.activities, read.activities),
    applies: inOrder(known.applies, read.applies),
    authors: joined(known.authors, read.authors),
    replaced: joined(known.replaced, read.replaced),
  }
}

function joined<Key, Value>(known: LayeredMap<Key, Value>, read: LayeredMap<Key, Value>): LayeredMap<Key, Value> {
  return known.withAll(read)
}

/** What was read replaces what is known of the same entry. */
function inOrder<Item extends { readonly sequence: Sequence }>(
  known: readonly Item[],
  read: readonly Item[],
): readonly Item[] {
  const bySequence = new Map([...known, ...read].map((item) => [item.sequence, item]))
  return [...bySequence.values()].sort((a, b) => a.sequence - b.sequence)
}
