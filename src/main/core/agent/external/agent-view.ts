import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { MountCapture, MountLook, NotKept } from '../../ports/branch-mounts.ts'
import type { RunningCommand, ShownChange } from '../../ports/shell.ts'
import type { FileAccess } from '../../secrets/file-access.ts'
import { type KeptOnto, keepOnto } from '../../trial/keep-onto.ts'
import { changeAt, headOf, type ProcessTrial, shownAt } from '../processes/process-trial.ts'
import type { AgentServices } from '../types/services.ts'
import { marksOf, pathsBack, sameContent, type ViewMarks, withMarksAt } from './view-marks.ts'

/** What an external agent changed in its view since that was last stored. */
export interface ViewChanges {
  readonly kept: KeptOnto
  /** Call it when the changes are in the branch, or will never be. */
  settle(): void
  readonly refusedLinks: MountLook['refusedLinks']
  /** What no branch can hold and was not told before. */
  readonly notKept: readonly NotKept[]
}

/**
 * The kept view in which an external agent works, beside a branch that others may change meanwhile. What the agent changed
 * there becomes a change of the branch step by step, and what others change on the branch is shown to it.
 */
export interface AgentView {
  /**
   * What the agent changed since the last time, over the branch as it is now, without the paths that are to wait. Null where
   * the system can tell only at the end.
   */
  look(waits?: (path: VirtualPath) => boolean): Promise<ViewChanges | null>
  /** Others changed these paths of the branch. */
  moved(paths: readonly VirtualPath[]): void
  /** Shows the agent what others changed on its branch, and waits until it is there. */
  follow(running: RunningCommand, signal: AbortSignal): Promise<void>
  /** What it left at its end, over the branch as it is now. Call once, after the program has ended. */
  end(isWhole: boolean): Promise<ViewChanges & { readonly captured: MountCapture }>
}

export interface AgentViewOptions {
  readonly services: AgentServices
  readonly branchId: BranchId
  readonly trial: ProcessTrial
  readonly access: FileAccess
}

/** Milliseconds to wait until what others changed is in the view, and between two looks. */
const [showMs, pollMs] = [3_000, 25]

function keyOf({ path, size, why }: NotKept): string {
  return `${path}\0${size}\0${why}`
}

export function createAgentView({ services, branchId, trial, access }: AgentViewOptions): AgentView {
  const { clock } = services
  /** What the view had when the branch had the same. */
  let agreed: ViewMarks = new Map()
  let moved = new Set<VirtualPath>()
  const told = new Set<string>()
  const opened = async (paths: readonly VirtualPath[]) =>
    (await Promise.all(paths.map((path) => changeAt(services, trial.tree, path)))).flatMap((change) => change ?? [])

  async function toldOf(
    { changes, refusedLinks, notKept }: MountLook,
    waits: (path: VirtualPath) => boolean = () => false,
  ): Promise<ViewChanges> {
    const now = marksOf(services, changes)
    const back = await opened(pathsBack(agreed, now))
    const since = [...back, ...changes.filter(({ path }) => agreed.get(path) !== now.get(path))]
    const own = since.filter(({ path }) => !waits(path)).sort((a, b) => (a.path < b.path ? -1 : 1))
    const head = headOf(services, branchId)
    const kept = await keepOnto(services, { tree: head, hidden: trial.hidden }, own, { now: head, moved })
    const untold = (notKept ?? []).filter((one) => !told.has(keyOf(one)))
    const settle = () => {
      for (const one of untold) told.add(keyOf(one))
      const taken = own.map(({ path }) => path)
      agreed = withMarksAt(agreed, taken, now)
    }
    return { kept, refusedLinks, notKept: untold, settle }
  }

  /** Waits until the view has what it was told to show. */
  async function untilShown(shown: readonly ShownChange[], signal: AbortSignal): Promise<void> {
    const wanted = marksOf(services, shown)
    const paths = [...wanted.keys()]
    const first = marksOf(services, await opened(paths))
    const until = clock.now() + showMs
    for (;;) {
      const seen = await trial.look()
      if (seen === null) return
      const now = marksOf(services, seen.changes)
      agreed = withMarksAt(agreed, paths, now)
      // What is as it was in the beginning is no change of the view.
      if (paths.every((path) => sameContent(now.get(path) ?? first.get(path), wanted.get(path)))) return
      if (clock.now() >= until) return
      await clock.sleep(pollMs, signal)
    }
  }
  return {
    async look(waits) {
      const seen = await trial.look()
      if (seen === null) return null
      // An agent tells of a call before it makes it. What was told while the look lasted may not be read yet.
      if (waits) await clock.sleep(1, new AbortController().signal)
      return toldOf(seen, waits)
    },
    moved(paths) {
      for (const path of paths) moved.add(path)
    },
    async follow(running, signal) {
      if (moved.size === 0) return
      const paths = [...moved].sort()
      moved = new Set()
      const shown = await shownAt(services, headOf(services, branchId), paths, { access, hidden: trial.hidden.paths })
      running.show(shown)
      await untilShown(shown, signal)
    },
    async end(isWhole) {
      const captured = await trial.capture(isWhole)
      return { ...(await toldOf(captured)), captured }
    },
  }
}
