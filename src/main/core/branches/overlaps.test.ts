import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planMerge } from '#overlay'
import { at, bytes, openBranches, runs } from '#overlay/testkit'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { createOverlaps, type OverlapSources } from './overlaps.ts'

const lines = (...changed: string[]) => `${['1', '2', '3', '4', '5'].map((line, i) => changed[i] || line).join('\n')}\n`

function openGroup(names: readonly string[], fixtures = { '/bill': lines(), '/tax': lines() }) {
  const world = openBranches(fixtures)
  const parent = { id: 'main' as BranchId, parentId: null }
  const children = names.map((name) => world.fork(name) as Branch)
  const sources = { ...world.sourcesOf({ id: 'main', parentId: null }), sidesOf: world.sourcesOf } as OverlapSources
  const group = { parent, children }
  const overlaps = createOverlaps(sources)
  const of = async (name: string, made = overlaps) =>
    (await made.of(name as BranchId, group)).map(({ branchId, path }) => `${branchId} ${path}`)
  const write = (name: string, path: string, text: string) =>
    world.edit(name, (draft) => draft.write(at(path), bytes(text)))
  return { world, sources, children, of, write }
}

describe('files that two branches of a family changed', () => {
  it('are an overlap for both while their lines do not join, and none when one of them gives way', async () => {
    const { of, write } = openGroup(['one', 'two', 'three'])
    await write('one', '/bill', lines('one'))
    expect(await of('one')).toEqual([])
    await write('two', '/bill', lines('two'))
    await write('three', '/bill', lines('', '', '', '', 'three'))
    expect([await of('one'), await of('two'), await of('three')]).toEqual([['two /bill'], ['one /bill'], []])
    await write('two', '/bill', lines('', '', '', 'two'))
    expect(await of('one')).toEqual([])
    expect(await of('two')).toEqual(['three /bill'])
  })

  it('are an overlap with the parent once one of them is merged, or the parent changes the same', async () => {
    const { world, children, of, write } = openGroup(['one', 'two'])
    await write('one', '/bill', lines('one'))
    await write('two', '/bill', lines('two'))
    await world.merge(children[0] as Branch)
    expect([await of('one'), await of('two'), await of('main')]).toEqual([[], ['main /bill'], ['two /bill']])
    await write('main', '/bill', lines())
    expect(await of('two')).toEqual([])
  })

  it('count when one deletes or moves what another one changes', async () => {
    const { world, of, write } = openGroup(['one', 'two', 'three'])
    await write('one', '/bill', lines('one'))
    await world.edit('two', (draft) => draft.delete(at('/bill')))
    await world.edit('three', (draft) => draft.move(at('/tax'), at('/levy')))
    await write('one', '/tax', lines('one'))
    expect(await of('one')).toEqual(['two /bill'])
    expect(await of('two')).toEqual(['one /bill'])
  })

  // Mutation: compare all files of a branch at each look, or forget what a comparison said.
  it('cost nothing where nobody touched the same, and one comparison where somebody did', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `branch${String(at).padStart(2, '0')}`)
    const { sources, of, write } = openGroup(names)
    const counted = { reads: 0 }
    const count =
      <Args extends readonly unknown[], Result>(call: (...args: Args) => Result) =>
      (...args: Args) => {
        counted.reads += 1
        return call(...args)
      }
    const { base, blobs } = sources
    const watched = createOverlaps({
      ...sources,
      base: { ...base, read: count(base.read), stat: count(base.stat), list: count(base.list) },
      blobs: { get: count(blobs.get), put: blobs.put },
    })
    for (const name of names) await write(name, `/own-${name}`, 'x\n')
    for (const name of names) expect(await of(name, watched)).toEqual([])
    expect(counted.reads).toBe(0)
    await write('branch00', '/bill', lines('one'))
    await write('branch01', '/bill', lines('two'))
    expect(await of('branch00', watched)).toEqual(['branch01 /bill'])
    const once = counted.reads
    expect(once).toBeGreaterThan(0)
    for (let step = 0; step < 5; step += 1) {
      await write('branch00', `/step-${step}`, 'x\n')
      expect(await of('branch00', watched)).toEqual(['branch01 /bill'])
      expect(await of('branch01', watched)).toEqual(['branch00 /bill'])
    }
    expect(counted.reads).toBe(once)
  })

  it('are exactly those that a merge of the one after the other would leave in conflict', async () => {
    const place = fc.record({
      who: fc.constantFrom('one', 'two', 'main'),
      path: fc.constantFrom('/bill', '/tax', '/new'),
      change: fc.oneof(
        fc.record({ line: fc.integer({ min: 0, max: 4 }), text: fc.constantFrom('a', 'b') }),
        fc.constant(null),
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(place, { maxLength: 8 }), async (steps) => {
        const { world, children, of, write } = openGroup(['one', 'two'])
        for (const { who, path, change } of steps) {
          const now = (await world.files(who))[path]
          if (change === null) {
            if (now !== undefined) await world.edit(who, (draft) => draft.delete(at(path)))
          } else {
            const text = (now ?? lines()).split('\n').map((line, i) => (i === change.line ? change.text : line))
            await write(who, path, text.join('\n'))
          }
          await of(who)
        }
        const [one, two] = children as [Branch, Branch]
        const conflicts = async (branch: Branch, ours: typeof two | null) => {
          const sides = world.sourcesOf(branch)
          const options = { paths: null, force: false, strategy: 'three_way' } as const
          const into = ours === null ? sides.ours : world.head(ours.id)
          const { result } = await planMerge({ ...sides, ours: into, ...options })
          return result.conflicts.filter(({ mergeable }) => !mergeable).map(({ path }) => path)
        }
        const withMain = [await conflicts(one, null), await conflicts(two, null)] as const
        const changedByTwo = await planMerge({
          ...world.sourcesOf(two),
          ours: world.forkPoint('two'),
          ...({ paths: null, force: false, strategy: 'three_way' } as const),
        })
        const open = new Set(changedByTwo.patch.map(([path]) => path))
        const beside = (await conflicts(one, two)).filter((path) => open.has(path))
        const expected = (own: readonly string[], rival: string) =>
          [...own.map((path) => `main ${path}`), ...beside.map((path) => `${rival} ${path}`)].sort()
        expect((await of('one')).toSorted()).toEqual(expected(withMain[0], 'two'))
        expect((await of('two')).toSorted()).toEqual(expected(withMain[1], 'one'))
      }),
      runs(100),
    )
  })
})
