import type { Drift } from '#shared/model/drift.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

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
