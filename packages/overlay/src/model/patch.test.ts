import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlobHash } from './blob-hash.ts'
import { compose, composeAll, emptyPatch, invert, type Patch, sameEntry, toPatch } from './patch.ts'
import type { OverlayEntry } from './tree-node.ts'
import type { VirtualPath } from './virtual-path.ts'

type State = ReadonlyMap<VirtualPath, OverlayEntry>

const path = fc.constantFrom('/a', '/b', '/c').map((text) => text as VirtualPath)
const entry = fc
  .constantFrom('1', '2', '3')
  .map(
    (blob): OverlayEntry => ({ node: { kind: 'file', blob: blob as BlobHash, size: 1, executable: false }, pin: null }),
  )
const state = fc.uniqueArray(fc.tuple(path, entry), { selector: ([key]) => key }).map((pairs): State => new Map(pairs))

const between = (from: State, to: State): Patch =>
  toPatch(
    [...new Set([...from.keys(), ...to.keys()])].map(
      (key) => [key, [from.get(key) ?? null, to.get(key) ?? null]] as const,
    ),
  )

const apply = (from: State, patch: Patch): State => {
  const next = new Map(from)
  for (const [key, [, after]] of patch) {
    if (after) next.set(key, after)
    else next.delete(key)
  }
  return next
}
const same = (a: State, b: State) =>
  a.size === b.size && [...a].every(([key, value]) => sameEntry(value, b.get(key) ?? null))

describe('patches', () => {
  it('inverted, undo themselves, and inverted twice, are unchanged', () => {
    fc.assert(
      fc.property(state, state, (a, b) => {
        const patch = between(a, b)
        expect(invert(invert(patch))).toEqual(patch)
        expect(same(apply(apply(a, patch), invert(patch)), a)).toBe(true)
      }),
    )
  })

  it('composed, do what both do one after the other', () => {
    fc.assert(
      fc.property(state, state, state, (a, b, c) => {
        const both = compose(between(a, b), between(b, c))
        expect(same(apply(a, both), c)).toBe(true)
        expect(both).toEqual(between(a, c))
      }),
    )
  })

  it('composed all at once, do the same as composed one after the other', () => {
    fc.assert(
      fc.property(fc.array(state, { minLength: 2, maxLength: 6 }), (states) => {
        const patches = states.slice(1).map((next, index) => between(states[index] ?? next, next))
        expect(composeAll(patches)).toEqual(patches.reduce(compose, emptyPatch))
      }),
    )
  })
})
