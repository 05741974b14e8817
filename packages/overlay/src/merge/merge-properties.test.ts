import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rootPath } from '../model/virtual-path.ts'
import { repeats, runs } from '../ports/test-size.testkit.ts'
import { readNode } from '../tree/nodes.ts'
import type { OverlayTransaction } from '../tree/overlay-transaction.ts'
import { entriesWithin, entryAt } from '../tree/tree.ts'
import { at, bytes, text } from '../tree/tree-fixtures.testkit.ts'
import { type Branches, openBranches } from './merge-world.testkit.ts'

const folders = ['p', 'q', 'r']
const names = ['a', 'b', 'd/e', 'd']
const pathIn = (folder: fc.Arbitrary<string>) =>
  fc.tuple(folder, fc.constantFrom(...names)).map(([top, name]) => at(`/${top}/${name}`))
const anyPath = pathIn(fc.constantFrom(...folders))
const lines = fc.array(fc.constantFrom('1\n', '2\n', '3\n', '4\n'), { maxLength: 8 }).map((all) => all.join(''))
const base = fc
  .uniqueArray(fc.tuple(anyPath, lines), { maxLength: 8, size: 'medium', selector: ([path]) => path })
  .map((files) =>
    files.filter(([path]) => !files.some(([other]) => path.startsWith(`${other}/`) || other.startsWith(`${path}/`))),
  )
const pinned = fc.constantFrom(0, 1_000)

const editsOf = (path: fc.Arbitrary<ReturnType<typeof at>>) =>
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.tuple(fc.constant('write' as const), path, lines) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('delete' as const), path, fc.constant('')) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('move' as const), path, path) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('mode' as const), path, fc.constant('')) },
    ),
    { maxLength: 8, size: 'medium' },
  )
type Edits = ReturnType<typeof editsOf> extends fc.Arbitrary<infer All> ? All : never

async function edit(world: Branches, name: string, edits: Edits): Promise<void> {
  await world.edit(name, async (draft) => {
    for (const one of edits) await act(draft, one).catch(ignoreRefused)
  })
}

async function act(draft: OverlayTransaction, [kind, path, detail]: Edits[number]): Promise<unknown> {
  switch (kind) {
    case 'write':
      return draft.write(path, bytes(detail))
    case 'delete':
      return draft.delete(path)
    case 'move':
      return draft.move(path, at(detail))
    case 'mode':
      return draft.setExecutable(path, true)
  }
}

function ignoreRefused(error: unknown): void {
  if (!(error instanceof Error && ['FileTreeError', 'BaseTreeError'].includes(error.name))) throw error
}

const leaves = async (world: Branches, name: string) =>
  new Map(Object.entries(await world.files(name)).filter(([path]) => !path.endsWith('/')))

/** Bytes of the largest file that is not large; null when none is. */
const most = fc.constantFrom(null, null, 0, 2)

describe('merge, for any edits on both sides', () => {
  const scenario = fc.record({
    base,
    pinned,
    most,
    ours: editsOf(anyPath),
    theirs: editsOf(anyPath),
    strategy: fc.constantFrom('refuse' as const, 'three_way' as const),
    force: fc.boolean(),
  })

  it('loses nothing that it does not name, and can be undone exactly', async () => {
    let merges = 0
    await fc.assert(
      fc.asyncProperty(scenario, async ({ base: files, pinned: limit, most, ours, theirs, strategy, force }) => {
        const world = openBranches(Object.fromEntries(files), limit, most)
        const branch = world.fork('child')
        await edit(world, 'main', ours)
        await edit(world, 'child', theirs)
        const [fork, mine, yours] = [
          new Map(files.map(([path, text]) => [String(path), text])),
          await leaves(world, 'main'),
          await leaves(world, 'child'),
        ]
        const before = world.head('main')
        const { result, undo } = await world.merge(branch, { strategy, force })
        const merged = await leaves(world, 'main')
        merges += 1
        const named = new Set(
          [
            ...result.written,
            ...result.deleted,
            ...result.merged,
            ...result.renamed.flatMap(({ from, to }) => [from, to]),
          ].map(String),
        )
        const refused = new Set(result.skipped.map(String))
        for (const path of new Set([...mine.keys(), ...merged.keys()])) {
          if (mine.get(path) !== merged.get(path)) expect(named, `${path} changed unnamed`).toContain(path)
        }
        for (const path of new Set([...fork.keys(), ...yours.keys()])) {
          const changed = fork.get(path) !== yours.get(path)
          if (changed && merged.get(path) !== yours.get(path)) {
            expect(
              refused.has(path) ||
                result.merged.includes(at(path)) ||
                isJoined(result, path) ||
                isSameRename(world, fork, path) ||
                movedTo(world, path).some((to) => merged.get(to) === yours.get(path)),
              `${path} was left unnamed`,
            ).toBe(true)
          }
        }
        if (force) expect(result.skipped).toEqual([])
        else for (const path of [...refused]) expect(merged.get(path)).toBe(mine.get(path))
        undo()
        expect(world.head('main')).toEqual(before)
      }),
      runs(500, 100_000),
    )
    expect(merges).toBeGreaterThanOrEqual(repeats(500, 100_000))
  }, 600_000)

  it('does nothing the second time, even after later work of the parent', async () => {
    await fc.assert(
      fc.asyncProperty(
        scenario,
        editsOf(anyPath),
        async ({ base: files, pinned: limit, most, ours, theirs }, later) => {
          const world = openBranches(Object.fromEntries(files), limit, most)
          const branch = world.fork('child')
          await edit(world, 'main', ours)
          await edit(world, 'child', theirs)
          await world.merge(branch, { strategy: 'three_way', force: true })
          const again = await world.merge(branch)
          expect([again.patch, again.result.conflicts]).toEqual([[], []])
          await edit(world, 'main', later)
          const third = await world.merge(branch, { force: true })
          expect([third.patch, third.result.conflicts]).toEqual([[], []])
        },
      ),
      runs(300),
    )
  }, 600_000)

  it('gives the same tree in every order for branches that touch different folders', async () => {
    const orders = [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]
    const each = folders.map((folder) => editsOf(pathIn(fc.constant(folder))))
    await fc.assert(
      fc.asyncProperty(base, pinned, fc.tuple(...each), async (files, limit, edits) => {
        const ends: unknown[] = []
        for (const order of orders) {
          const world = openBranches(Object.fromEntries(files), limit)
          const branches = folders.map((folder) => world.fork(folder))
          for (const [index, folder] of folders.entries()) await edit(world, folder, edits[index] ?? [])
          for (const index of order) {
            const branch = branches[index]
            if (branch) expect((await world.merge(branch)).result.conflicts).toEqual([])
          }
          ends.push(await leaves(world, 'main'))
        }
        expect(ends[1]).toEqual(ends[0])
        expect(ends[2]).toEqual(ends[0])
      }),
      runs(150),
    )
  }, 600_000)

  it('path by path gives the same result as all at once, without conflicts', async () => {
    await fc.assert(
      fc.asyncProperty(base, pinned, editsOf(anyPath), async (files, limit, theirs) => {
        const all = openBranches(Object.fromEntries(files), limit)
        const single = openBranches(Object.fromEntries(files), limit)
        const branch = all.fork('child')
        single.fork('child')
        for (const world of [all, single]) await edit(world, 'child', theirs)
        const { result } = await all.merge(branch)
        expect(result.conflicts).toEqual([])
        expect(await leaves(all, 'main')).toEqual(await leaves(all, 'child'))
        const paths = [...new Set([...(await leaves(single, 'child')).keys(), ...files.map(([path]) => path)])]
        for (const path of paths) await single.merge(branch, { paths: [at(path)], force: true })
        expect(await leaves(single, 'main')).toEqual(await leaves(single, 'child'))
      }),
      runs(150),
    )
  }, 600_000)
})

/** True when both sides renamed the file to this path, and the branch changed nothing else. */
function isSameRename(world: Branches, fork: ReadonlyMap<string, string>, path: string): boolean {
  const [ours, theirs] = ['main', 'child'].map((name) => entryAt(world.head(name), at(path)))
  const from = theirs?.renamedFrom
  if (!from || ours?.renamedFrom !== from || theirs.node?.kind !== 'file' || theirs.node.executable) return false
  if (theirs.node.large) return theirs.node.large.path === from
  return text(readNode(world.blobs, theirs.node)) === fork.get(from)
}

/** The places to which the parent moved a path. */
function movedTo(world: Branches, path: string): readonly string[] {
  const entries = [...entriesWithin(world.head('main'), rootPath)]
  return entries.flatMap(([to, { node, renamedFrom }]) => (node && renamedFrom === path ? [to] : []))
}

/** True for half of a rename whose other half was merged with the parent's text. */
function isJoined(result: Awaited<ReturnType<Branches['merge']>>['result'], path: string): boolean {
  return result.renamed.some(({ from, to }) => (from === path || to === path) && result.merged.includes(to))
}
