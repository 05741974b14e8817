import { emptyTree } from '#overlay'
import type { Drift } from '#shared/model/drift.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { LiveEventBody } from '#shared/model/event.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { familyOf } from '#shared/model/project-state.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { patchesOf } from '../../branches/branch-trees.ts'
import { type DiskSources, driftAt, filesIn, type KnownFiles, touchedPaths } from '../../branches/drift.ts'
import type { LogReader } from '../../journal/project-log.ts'
import type { Watcher } from '../../ports/watcher.ts'
import { type Route, routeOf } from '../../tools/namespace/routes.ts'

/**
 * Knows which files changed on disk since an agent read or changed them. It keeps the lists of followed branches up to
 * date. Files of other branches are compared on request.
 */
export interface DriftWatch extends Disposable {
  /** Compares every file that the branch's agent holds with the disk, and follows the branch from now on. */
  follow(branchId: BranchId): Promise<readonly Drift[]>
  /** The list of a followed branch, or a fresh comparison with the disk. */
  of(branchId: BranchId): Promise<readonly Drift[]>
  /** Call for every stored entry, because the agent may hold other files now. */
  take(entry: Entry): void
}

export interface DriftWatchOptions extends DiskSources {
  /** Says which files each agent read or changed. */
  readonly log: LogReader
  /** Paths behind them are no files of the project and are left out. */
  readonly routes: readonly Route[]
  /** Null for a project without a folder on disk. */
  readonly watcher: Watcher | null
  /** Called with the whole list whenever the list of a followed branch changed. */
  readonly announce: (threadId: ThreadId, event: LiveEventBody) => void
  /** Called with the errors of comparisons that nobody waits for. */
  readonly onProblem: (error: unknown) => void
}

export function createDriftWatch(options: DriftWatchOptions): DriftWatch {
  const { log, routes, watcher, announce, onProblem } = options
  const followed = new Map<BranchId, DriftList>()
  /** Paths of followed branches that the entries of one commit touched. */
  let touched = new Map<BranchId, Set<VirtualPath>>()
  const held = (branchId: BranchId): KnownFiles => heldBy(log, branchId)
  const ofProject = (paths: Iterable<VirtualPath>): VirtualPath[] =>
    [...paths].filter((path) => routeOf(routes, path) === undefined)

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

  /** Entries that are stored together are watched together. What changed on disk before is found by the comparison. */
  function lookAtTouched(): void {
    const now = touched
    touched = new Map()
    for (const [branchId, paths] of now) {
      const list = followed.get(branchId)
      if (list) look(list, paths)
    }
  }

  function touch(branchId: BranchId, paths: readonly VirtualPath[]): void {
    if (!followed.has(branchId)) return
    if (touched.size === 0) Promise.resolve().then(lookAtTouched).catch(onProblem)
    const known = touched.get(branchId) ?? new Set()
    for (const path of paths) known.add(path)
    touched.set(branchId, known)
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
      lookAtTouched()
      const list = followed.get(branchId)
      if (list) return list.settled()
      const paths = ofProject(touchedPaths(held(branchId)))
      const found = await Promise.all(paths.map((path) => driftAt(options, held(branchId), path)))
      return found.filter((drift) => drift !== null)
    },
    take(entry) {
      for (const { branchId, paths } of touchedBy(entry, log)) touch(branchId, paths)
    },
    [Symbol.dispose]() {
      touched.clear()
      listening?.[Symbol.dispose]()
      watcher?.[Symbol.dispose]()
    },
  }
}

/** A followed branch is compared whenever its files change on disk, also when its thread was let go of meanwhile. */
function heldBy(log: LogReader, branchId: BranchId): KnownFiles {
  log.load([branchId])
  const { state, trees } = log
  const threadId = state.branches.get(branchId)?.threadId
  return {
    tree: trees.heads.get(branchId) ?? emptyTree,
    forkPoint: trees.forkPoints.get(branchId) ?? emptyTree,
    reads: (threadId && state.threads.get(threadId)?.contentHashes) ?? new Map(),
  }
}

interface Touched {
  readonly branchId: BranchId
  readonly paths: readonly VirtualPath[]
}

/** The files whose drift an entry may have changed. */
function touchedBy(entry: Entry, log: LogReader): readonly Touched[] {
  const patched = patchesOf(entry).map(({ branchId, patch }) => ({ branchId, paths: filesIn(patch) }))
  if (entry.type === 'rewound') return [...patched, ...rewoundIn(entry, log)]
  if (entry.type !== 'tool.finished') return patched
  const branchId = log.state.threads.get(entry.threadId)?.branchId
  return branchId ? [{ branchId, paths: entry.reads.map(([path]) => path) }] : []
}

/** After a rewind the agents know other versions of their files, so every path is compared again. */
function rewoundIn({ threadId }: Entry, log: LogReader): readonly Touched[] {
  return familyOf(log.state, threadId).map(({ branchId }) => ({
    branchId,
    paths: [...touchedPaths(heldBy(log, branchId))],
  }))
}

/** The drifted files of one branch, updated when paths are queued. */
export interface DriftList {
  /** True for every path that was ever queued. */
  holds(path: VirtualPath): boolean
  /** Queues paths for comparison. Paths queued during a pass are coalesced into the next. */
  look(paths: readonly VirtualPath[]): void
  /** Resolves with the list once no comparison is left. */
  settled(): Promise<readonly Drift[]>
}

export interface DriftListOptions {
  /** Null when the disk did not change at the path. */
  readonly compare: (path: VirtualPath) => Promise<Drift | null>
  /** Called with the whole list, and only when it differs from the last one. */
  readonly onChange: (files: readonly Drift[]) => void
  /** Called with the errors of comparisons that the watcher started, because nobody waits for those. */
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
