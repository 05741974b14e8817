import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deleteFrom, differences, emptyMap, getFrom, type PersistentMap, pairsFrom, setIn } from './persistent-map.ts'

const keys = fc.string({ unit: fc.constantFrom('a', 'b', '/', '-', '0'), maxLength: 5 })
const operations = fc.array(fc.tuple(keys, fc.option(fc.integer())), { maxLength: 60 })

function build(steps: readonly (readonly [string, number | null])[], from: PersistentMap<number> = emptyMap) {
  return steps.reduce((map, [key, value]) => (value === null ? deleteFrom(map, key) : setIn(map, key, value)), from)
}
function plain(steps: readonly (readonly [string, number | null])[], from = new Map<string, number>()) {
  const map = new Map(from)
  for (const [key, value] of steps) value === null ? map.delete(key) : map.set(key, value)
  return map
}
const sorted = (map: Map<string, number>) => [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

describe('persistent map', () => {
  it('holds the same as a plain map, in order, from any key', () => {
    fc.assert(
      fc.property(operations, keys, (steps, from) => {
        const map = build(steps)
        const expected = sorted(plain(steps))
        expect([...pairsFrom(map)]).toEqual(expected)
        expect([...pairsFrom(map, from)]).toEqual(expected.filter(([key]) => key >= from))
        for (const [key] of steps) expect(getFrom(map, key)).toBe(plain(steps).get(key))
      }),
    )
  })

  it('has the same shape for the same content, whatever the order of insertion', () => {
    fc.assert(
      fc.property(fc.uniqueArray(keys), fc.array(fc.nat()), (unique, order) => {
        const steps = unique.map((key, index) => [key, index] as const)
        const shuffled = steps.map((step, index) => [order[index] ?? 0, step] as const).sort(([a], [b]) => a - b)
        expect(build(shuffled.map(([, step]) => step))).toEqual(build(steps))
      }),
    )
  })

  it('differs exactly where plain maps differ', () => {
    fc.assert(
      fc.property(operations, operations, operations, (common, one, other) => {
        const [shared, sharedPlain] = [build(common), plain(common)]
        const [before, after] = [build(one, shared), build(other, shared)]
        const [a, b] = [plain(one, sharedPlain), plain(other, sharedPlain)]
        const expected = sorted(new Map([...a, ...b])).map(([key]) => [key, a.get(key), b.get(key)] as const)
        expect(differences(before, after)).toEqual(expected.filter(([, x, y]) => x !== y))
      }),
    )
  })

  it('keeps a hundred thousand keys shallow, and shares everything except the path to a change', () => {
    let map: PersistentMap<number> = emptyMap
    for (let index = 0; index < 100_000; index += 1) map = setIn(map, `/src/folder/file-${index}.ts`, index)
    const depth = (node: PersistentMap<number>['root']): number =>
      node ? 1 + Math.max(depth(node.left), depth(node.right)) : 0
    expect(depth(map.root)).toBeLessThan(60)
    const changed = setIn(map, '/src/folder/file-5000.ts', -1)
    const nodes = new Set<unknown>()
    const collect = (node: PersistentMap<number>['root']): void => {
      if (!node) return
      nodes.add(node)
      collect(node.left)
      collect(node.right)
    }
    collect(map.root)
    const before = nodes.size
    collect(changed.root)
    expect(nodes.size - before).toBeLessThan(60)
  })
})
