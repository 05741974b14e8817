import type { Drift } from '#shared/model/drift.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { LiveEventBody } from '#shared/model/event.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { familyOf } from '#shared/model/project-state.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { patchesOf } from '../../branches/branch-trees.ts'
import { type DiskSources, driftAt, filesIn, type Held, touchedPaths } from '../../branches/drift.ts'
import type { LogReader } from '../../journal/project-log.ts'
import { emptyTree } from '../../overlay/tree.ts'
import type { Watcher } from '../../ports/watcher.ts'
import { type Prefixes, prefixOf } from '../../tools/namespace/prefixes.ts'

/**
 * Which files moved on disk since an agent read or changed them. A branch that is followed is watched and its list kept,
 * so that asking costs nothing; the files of any other are compared when somebody asks.
 */
export interface DriftWatch extends Disposable {
  /** Compares all the branch's agent holds with the disk, and follows it from here on. */
  follow(branchId: BranchId): Promise<readonly Drift[]>
  of(branchId: BranchId): Promise<readonly Drift[]>
  /** Tells it what was stored: other files may be held now. */
  take(entry: Entry): void
}

export interface DriftWatchOptions extends DiskSources {
  readonly log: LogReader
  readonly prefixes: Prefixes
  /** Null where there is no disk. */
  readonly watcher: Watcher | null
  readonly announce: (threadId: ThreadId, event: LiveEventBody) => void
  readonly onProblem: (error: unknown) => void
}

export function createDriftWatch(options: DriftWatchOptions): DriftWatch {
  const { log, prefixes, watcher, announce, onProblem } = options
  const followed = new Map<BranchId, DriftList>()
  const held = (branchId: BranchId): Held => heldBy(log, branchId)
  const ofProject = (paths: Iterable<VirtualPath>): VirtualPath[] =>
    [...paths].filter((path) => prefixOf(prefixes, path) === undefined)

  function open(branchId: BranchId): DriftList {
    return createDriftList({
      compare: (path) => driftAt(options, held(branchId), path),
      onProblem,
      onChange(files) {
        const threadId = log.state.branches.get(branchId)?.threadId
        if (threadId) announce(threadId, { type: 'drift.changed', branchId, files })
      },
    })
  }

  function look(list: DriftList, paths: Iterable<VirtualPath>): void {
    const own = ofProject(paths)
    watcher?.watch(own)
    list.look(own)
  }

  const listening = watcher?.onChange((path) => {
    for (const list of followed.values()) if (list.holds(path)) list.look([path])
  })

  return {
    follow(branchId) {
      const list = followed.get(branchId) ?? open(branchId)
      followed.set(branchId, list)
      look(list, touchedPaths(held(branchId)))
      return list.settled()
    },
    async of(branchId) {
      const list = followed.get(branchId)
      if (list) return list.settled()
      const paths = ofProject(touchedPaths(held(branchId)))
      const found = await Promise.all(paths.map((path) => driftAt(options, held(branchId), path)))
      return found.filter((drift) => drift !== null)
    },
    take(entry) {
      for (const { branchId, paths } of touchedBy(entry, log)) {
        const list = followed.get(branchId)
        if (list) look(list, paths)
      }
    },
    [Symbol.dispose]() {
      listening?.[Symbol.dispose]()
      watcher?.[Symbol.dispose]()
    },
  }
}

function heldBy({ state, trees }: LogReader, branchId: BranchId): Held {
  const threadId = state.branches.get(branchId)?.threadId
  return {
    tree: trees.heads.get(branchId) ?? emptyTree,
    forkPoint: trees.forkPoints.get(branchId) ?? emptyTree,
    reads: (threadId && state.threads.get(threadId)?.reads) ?? new Map(),
  }
}

interface Touched {
  readonly branchId: BranchId
  readonly paths: readonly VirtualPath[]
}

/** The files whose standing against the disk an entry may have changed. */
function touchedBy(entry: Entry, log: LogReader): readonly Touched[] {
  const patched = patchesOf(entry).map(({ branchId, patch }) => ({ branchId, paths: filesIn(patch) }))
  if (entry.type === 'rewound') return [...patched, ...rewoundIn(entry, log)]
  if (entry.type !== 'tool.finished') return patched
  const branchId = log.state.threads.get(entry.threadId)?.branchId
  return branchId ? [{ branchId, paths: entry.reads.map(([path]) => path) }] : []
}

/** What its agents know of files is another thing now. */
function rewoundIn({ threadId }: Entry, log: LogReader): readonly Touched[] {
  return familyOf(log.state, threadId).map(({ branchId }) => ({
    branchId,
    paths: [...touchedPaths(heldBy(log, branchId))],
  }))
}

/** The drifted files of one branch, kept up as paths are looked at. */
export interface DriftList {
  /** True for paths that were ever looked at. */
  holds(path: VirtualPath): boolean
  /** Has the paths compared; those that come while others are being compared are compared together after them. */
  look(paths: readonly VirtualPath[]): void
  /** The list, once nothing is left to compare. */
  settled(): Promise<readonly Drift[]>
}

export interface DriftListOptions {
  readonly compare: (path: VirtualPath) => Promise<Drift | null>
  readonly onChange: (files: readonly Drift[]) => void
  /** Nobody waits for what the watcher set off, so what goes wrong in it is told here. */
  readonly onProblem: (error: unknown) => void
}

export function createDriftList({ compare, onChange, onProblem }: DriftListOptions): DriftList {
  const known = new Set<VirtualPath>()
  let drifted: ReadonlyMap<VirtualPath, Drift> = new Map()
  let waiting = new Set<VirtualPath>()
  let working: Promise<void> | undefined

  async function compareWaiting(): Promise<void> {
    const paths = waiting
    waiting = new Set()
    const next = new Map(drifted)
    for (const path of paths) {
      const found = await compare(path)
      if (found) next.set(path, found)
      else next.delete(path)
    }
    if (sameDrifts(drifted, next)) return
    drifted = next
    onChange(inOrder(next))
  }

  async function work(): Promise<void> {
    try {
      while (waiting.size > 0) await compareWaiting()
    } catch (error) {
      onProblem(error)
    } finally {
      working = undefined
    }
  }

  return {
    holds: (path) => known.has(path),
    look(paths) {
      for (const path of paths) {
        known.add(path)
        waiting.add(path)
      }
      if (waiting.size > 0) working ??= work()
    },
    async settled() {
      await working
      return inOrder(drifted)
    },
  }
}

function inOrder(drifts: ReadonlyMap<VirtualPath, Drift>): readonly Drift[] {
  return [...drifts.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

function sameDrifts(a: ReadonlyMap<VirtualPath, Drift>, b: ReadonlyMap<VirtualPath, Drift>): boolean {
  if (a.size !== b.size) return false
  return [...a].every(([path, drift]) => b.get(path)?.disk === drift.disk && b.get(path)?.since === drift.since)
}
