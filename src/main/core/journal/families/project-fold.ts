import { type ProjectPart, projectPartOf, projectWith } from '#shared/model/derived/project-part.ts'
import type { Entry, EntryType } from '#shared/model/entry.ts'
import { foldChecks } from '#shared/model/fold/checks.ts'
import { foldMemories } from '#shared/model/fold/memories.ts'
import { projectThread, type Sequence, type ThreadId } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import type { Journal } from '../../ports/journal.ts'
import type { FoldStore } from '../../ports/stores/fold-store.ts'
import type { FamilySummary } from './family-summary.ts'

/**
 * Raise this whenever the same entries give another fold, or the fold is written in another form. Folds of versions that
 * are not in `readVersions` are made again from the entries.
 */
export const foldVersion = '3'

/** Version 2 knew no queue of merges. Version 1 told of each thread also what most threads have in common. */
const readVersions: readonly string[] = [foldVersion, '2', '1']

/** The small fold of a project: what belongs to all of it, and a summary of each family. */
export interface ProjectFold {
  /** Everything up to this entry is in the fold. */
  readonly sequence: Sequence
  /** Memories, the results of checks and the queue of merges *when green*. It has no threads. */
  readonly state: ProjectState
  readonly families: ReadonlyMap<ThreadId, FamilySummary>
}

export const emptyFold: ProjectFold = { sequence: 0, state: emptyProject, families: new Map() }

/** The entries that change what belongs to the whole project, whoever's thread they are in. */
const projectTypes: readonly EntryType[] = [
  'memory.written',
  'memory.deleted',
  'memory.recalled',
  'user_memory.written',
  'user_memory.deleted',
  'check.finished',
]

/** Those that are always in the thread of the project. What they change depends on no other entry. */
const queueTypes: readonly EntryType[] = ['merge.queued', 'merge.ended']

/** Folds the entries after the state's that change what belongs to the whole project. */
export function readProjectPart(journal: Pick<Journal, 'read'>, { sequence: after, state }: ProjectFold): ProjectState {
  const entries = [
    ...journal.read({ after, types: projectTypes }),
    ...journal.read({ after, threadId: projectThread, types: queueTypes }),
  ]
  return entries.reduce(foldProjectPart, state)
}

/** One entry's effect on what belongs to the whole project. Entries of other types change nothing. */
function foldProjectPart(state: ProjectState, entry: Entry): ProjectState {
  const folded = foldChecks(foldMemories(state, entry), entry)
  return { ...folded, sequence: entry.sequence, checks: { ...folded.checks, byBranch: state.checks.byBranch } }
}

/** The form in which the fold is stored. */
interface WrittenFold {
  readonly project: ProjectPart
  readonly families: readonly FamilySummary[]
}

export function writeFold(store: FoldStore, { sequence, state, families }: ProjectFold): void {
  const written: WrittenFold = { project: projectPartOf(state), families: [...families.values()] }
  store.write({ version: foldVersion, sequence, body: JSON.stringify(written) })
}

/** Reads the stored fold. Null when there is none that these entries, up to `last`, can be trusted with. */
export function readFold(store: FoldStore, last: Sequence): ProjectFold | null {
  const stored = store.read()
  if (stored === null || !readVersions.includes(stored.version) || stored.sequence > last) return null
  try {
    const { project, families } = JSON.parse(stored.body) as WrittenFold
    return {
      sequence: stored.sequence,
      state: { ...projectWith(project), sequence: stored.sequence },
      families: new Map(families.map((family) => [family.root.id, family])),
    }
  } catch {
    return null
  }
}
