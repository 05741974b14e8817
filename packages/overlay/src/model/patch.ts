import { type OverlayEntry, samePermissions } from './tree-node.ts'
import type { VirtualPath } from './virtual-path.ts'

/** Before and after of one path. Null means that the overlay has no entry there and the base shows through. */
export type PatchStep = readonly [before: OverlayEntry | null, after: OverlayEntry | null]

/**
 * A reversible change of an overlay: plain data with laws, as `[path, step]` pairs sorted by path.
 * `invert(invert(p)) = p`; applying `compose(p, q)` equals applying `p`, then `q`.
 */
export type Patch = readonly (readonly [path: VirtualPath, step: PatchStep])[]

export const emptyPatch: Patch = []

export function invert(patch: Patch): Patch {
  return patch.map(([path, [before, after]]) => [path, [after, before]] as const)
}

/** One patch that does what `first` and then `second` do. Steps that cancel out are dropped. */
export function compose(first: Patch, second: Patch): Patch {
  return composeAll([first, second])
}

/** Composes many patches in their order. The cost grows with the total number of steps only. */
export function composeAll(patches: readonly Patch[]): Patch {
  const steps = new Map<VirtualPath, PatchStep>()
  for (const patch of patches) {
    for (const [path, [before, after]] of patch) {
      const earlier = steps.get(path)
      steps.set(path, [earlier ? earlier[0] : before, after])
    }
  }
  return toPatch(steps)
}

/** Sorts the steps and drops those without an effect. */
export function toPatch(steps: Iterable<readonly [VirtualPath, PatchStep]>): Patch {
  return [...steps]
    .filter(([, [before, after]]) => !sameEntry(before, after))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

export function sameEntry(a: OverlayEntry | null, b: OverlayEntry | null): boolean {
  if (a === b) return true
  if (!a || !b) return false
  return sameNode(a.node, b.node) && sameNode(a.pin, b.pin) && a.opaque === b.opaque && a.renamedFrom === b.renamedFrom
}

/** True when two nodes have the same kind, content and mode. */
export function sameNode(a: OverlayEntry['node'], b: OverlayEntry['node']): boolean {
  if (a === b) return true
  if (!a || !b || a.kind !== b.kind) return false
  if (a.kind === 'file') return b.kind === 'file' && a.blob === b.blob && samePermissions(a, b)
  if (a.kind === 'symlink') return b.kind === 'symlink' && a.target === b.target
  return true
}
