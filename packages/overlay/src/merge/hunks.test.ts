import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitLines } from '../git-patch/patch-file.ts'
import { repeats, runs } from '../ports/test-size.testkit.ts'
import { emptyTree } from '../tree/tree.ts'
import { at, bytes, testTextMerge, text } from '../tree/tree-fixtures.testkit.ts'
import { fileHunks, planDiscardHunks, planMergeHunks, planRevertHunks } from './hunks.ts'
import { type Branches, openBranches, type TestBranch } from './merge-world.testkit.ts'
import { changedFile, unmergedFile } from './resolve-conflict.ts'

const file = at('/a')
const lines = (changed: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 30 }, (_, index) => `${changed[index] ?? index}\n`).join('')

describe('hunks of a branch', () => {
  it('are merged one by one, and each merge adds the taken hunks to the base of the next', async () => {
    const { world, branch } = await forked(lines(), lines({ 1: 'one', 15: 'mid', 28: 'end' }))
    await world.edit('main', (draft) => draft.write(file, bytes(lines({ 7: 'ours' }))))
    expect((await merge(world, branch, [1])).result).toMatchObject({ merged: ['/a'], conflicts: [] })
    await world.expectFiles('main', { '/a': lines({ 7: 'ours', 15: 'mid' }) })
    await world.edit('main', (draft) => draft.write(file, bytes(lines({ 7: 'ours', 15: 'later' }))))
    expect(await shownLines(world, branch)).toEqual(['-1', '+one', '-28', '+end'])
    expect((await merge(world, branch, [1])).result.conflicts).toEqual([])
    expect((await world.merge(branch, { strategy: 'three_way' })).result).toMatchObject({
      merged: ['/a'],
      conflicts: [],
    })
    await world.expectFiles('main', { '/a': lines({ 1: 'one', 7: 'ours', 15: 'later', 28: 'end' }) })
    expect(await unmergedFile(world.sourcesOf(branch), file)).toBeUndefined()
  })

  it('conflict when the parent changed the same lines, and nothing is merged', async () => {
    const { world, branch } = await forked(lines(), lines({ 1: 'theirs', 28: 'end' }))
    await world.edit('main', (draft) => draft.write(file, bytes(lines({ 1: 'ours' }))))
    const { result, patch, bases } = await merge(world, branch, [0])
    expect(result).toMatchObject({ skipped: ['/a'], conflicts: [{ path: '/a', reason: 'content' }] })
    expect([patch, bases]).toEqual([[], []])
  })

  it("keep the parent's mode, and bring a rename along", async () => {
    const world = openBranches({ '/a': lines() })
    const branch = world.fork('child')
    await world.edit('child', async (draft) => {
      await draft.move(file, at('/b'))
      await draft.write(at('/b'), bytes(lines({ 1: 'one', 28: 'end' })), { executable: true })
    })
    const { result } = await merge(world, branch, [0], '/b')
    expect(result).toMatchObject({ renamed: [{ from: '/a', to: '/b' }], conflicts: [] })
    await world.expectFiles('main', { '/b': lines({ 1: 'one' }) })
    await world.merge(branch)
    await world.expectFiles('main', { '/b': `* ${lines({ 1: 'one', 28: 'end' })}` })
  })

  it('are dropped from the branch or the workspace by one patch that can be undone', async () => {
    const { world, branch } = await forked(lines(), lines({ 1: 'one', 28: 'end' }))
    const dropped = await planDiscardHunks(await choice(world, branch, [0]))
    if (!dropped.ok) throw new Error(dropped.error)
    world.change('child', dropped.value)
    await world.expectFiles('child', { '/a': lines({ 28: 'end' }) })
    await world.merge(branch)
    expect(await revert(world, [0])).toHaveLength(1)
    await world.expectFiles('main', { '/a': lines() })
    expect(world.head('main').root).toBeNull()
  })

  it('bring each line with the line end and byte-order mark that a side gave it, and no other byte', async () => {
    const ends = fc.constantFrom('\n', '\r\n', '\r\r\n')
    const line = fc.tuple(fc.constantFrom('same', 'a', 'b', 'é', '\rx'), ends).map((parts) => parts.join(''))
    const side = fc
      .tuple(fc.constantFrom('', '\ufeff'), fc.array(line, { minLength: 1, maxLength: 25 }), fc.constantFrom('', 'end'))
      .map(([mark, lines, end]) => [mark, ...lines, end].join(''))
    const property = fc.asyncProperty(side, side, side, fc.nat(), async (base, theirs, ours, chosen) => {
      const { world, branch } = await forked(base, theirs)
      await world.edit('main', (draft) => draft.write(file, bytes(ours)))
      const count = (await shownHunks(world, branch)).length
      if (count === 0) return
      await merge(world, branch, [chosen % count])
      const known = new Set([base, theirs, ours].flatMap(splitLines))
      for (const one of splitLines(text(await world.draft(world.head('main')).read(file)))) expect(known).toContain(one)
    })
    await fc.assert(property, runs(100))
  })

  it('take a created or deleted file as a whole', async () => {
    const world = openBranches({ '/gone': 'g\n' })
    const branch = world.fork('child')
    await world.edit('child', async (draft) => {
      await draft.write(at('/d/new'), bytes('n\n'))
      await draft.delete(at('/gone'))
    })
    expect((await merge(world, branch, [0], '/d/new')).result.written).toEqual(['/d/new'])
    expect((await merge(world, branch, [0], '/gone')).result.deleted).toEqual(['/gone'])
    await revert(world, [0], '/d/new')
    await revert(world, [0], '/gone')
    expect(await world.files('main')).toEqual({ '/gone': 'g\n' })
  })

  it('are refused when the file is not as shown, or when the hunk does not exist', async () => {
    const { world, branch } = await forked(lines(), lines({ 1: 'one', 28: 'end' }))
    const seen = await choice(world, branch, [0])
    expect(await planMergeHunks({ ...seen, hunks: [2] })).toEqual({ ok: false, error: 'missing' })
    await world.edit('child', (draft) => draft.write(file, bytes(lines({ 0: 'zero', 28: 'end' }))))
    const later = { ...seen, ...world.sourcesOf(branch) }
    for (const plan of [planMergeHunks, planDiscardHunks])
      expect(await plan(later)).toEqual({ ok: false, error: 'changed' })
  })

  it.each([
    ['a link', (world: Branches) => world.edit('main', (draft) => draft.makeSymlink(file, 'target'))],
    [
      'other than UTF-8',
      (world: Branches) => world.edit('main', (draft) => draft.write(file, new Uint8Array([65, 255]))),
    ],
    ['binary', (world: Branches) => world.edit('main', (draft) => draft.write(file, new Uint8Array([65, 0])))],
  ])('cannot be chosen when the file is %s', async (_, edit) => {
    const world = openBranches({ '/a': 'a\n' })
    await edit(world)
    const change = await changedFile(world, emptyTree, world.head('main'), file)
    if (!change) throw new Error('no change')
    expect((await fileHunks(change, world.sourcesOf(world.fork('child')))).fingerprint).toBeNull()
  })

  it('add up to the branch’s file when taken, and to the base’s when dropped, byte by byte', async () => {
    const line = fc
      .tuple(fc.constantFrom('a', 'b', 'c', '\ufeffd'), fc.constantFrom('\n', '\r\n'))
      .map((all) => all.join(''))
    const spliced = (all: readonly string[], splices: readonly (readonly [number, number, readonly string[]])[]) =>
      splices.reduce<readonly string[]>((left, [start, gone, come]) => left.toSpliced(start, gone, ...come), all)
    const splice = fc.tuple(fc.nat(40), fc.nat(2), fc.array(line, { maxLength: 2 }))
    const texts = fc
      .tuple(
        fc.array(line, { minLength: 1, maxLength: 40, size: 'max' }),
        fc.array(splice, { maxLength: 5, size: 'max' }),
        fc.constantFrom('', 'end'),
        fc.constantFrom('', 'end'),
      )
      .map(([all, splices, ...ends]) => [all.join('') + ends[0], spliced(all, splices).join('') + ends[1]] as const)
    let several = 0
    await fc.assert(
      fc.asyncProperty(texts, fc.infiniteStream(fc.nat(9)), async ([base, theirs], picks) => {
        fc.pre(base !== theirs)
        const { world, branch } = await forked(base, theirs)
        let rounds = 0
        for (let left = await unmergedFile(world.sourcesOf(branch), file); left; rounds += 1) {
          const count = (await fileHunks(left, world.sourcesOf(branch))).hunks.length
          expect((await merge(world, branch, [picks.next().value % count])).result.conflicts).toEqual([])
          left = await unmergedFile(world.sourcesOf(branch), file)
        }
        if (rounds > 1) several += 1
        await world.expectFiles('main', { '/a': theirs })
        for (let count = await hunkCount(world); count > 0; count = await hunkCount(world)) {
          await revert(world, [picks.next().value % count])
        }
        expect(world.head('main').root).toBeNull()
      }),
      runs(150),
    )
    expect(several).toBeGreaterThan(repeats(20, 20))
  })
})

async function forked(base: string, theirs: string) {
  const world = openBranches({ '/a': base })
  const branch = world.fork('child')
  await world.edit('child', (draft) => draft.write(file, bytes(theirs)))
  return { world, branch }
}

async function choice(world: Branches, branch: TestBranch, hunks: readonly number[], path = '/a') {
  const sources = world.sourcesOf(branch)
  const change = await unmergedFile(sources, at(path))
  if (!change) throw new Error('nothing to merge')
  const { fingerprint } = await fileHunks(change, sources)
  return { ...sources, path: at(path), hunks, fingerprint: fingerprint ?? '' }
}

async function merge(world: Branches, branch: TestBranch, hunks: readonly number[], path = '/a') {
  const plan = await planMergeHunks(await choice(world, branch, hunks, path))
  if (!plan.ok) throw new Error(plan.error)
  world.settle(branch, plan.value)
  return plan.value
}

async function shownHunks(world: Branches, branch: TestBranch) {
  const change = await unmergedFile(world.sourcesOf(branch), file)
  return change ? (await fileHunks(change, world.sourcesOf(branch))).hunks : []
}

async function shownLines(world: Branches, branch: TestBranch): Promise<readonly string[]> {
  const hunks = await shownHunks(world, branch)
  return hunks.flatMap((hunk) => hunk.lines.filter((line) => !line.startsWith(' ')))
}

async function workspaceHunks(world: Branches, path = '/a') {
  const textMerge = testTextMerge
  const change = await changedFile(world, emptyTree, world.head('main'), at(path))
  const found = change ? await fileHunks(change, { ...world.sources, textMerge }) : { hunks: [], fingerprint: null }
  return { ...found, textMerge }
}

const hunkCount = async (world: Branches) => (await workspaceHunks(world)).hunks.length

async function revert(world: Branches, hunks: readonly number[], path = '/a') {
  const { fingerprint, textMerge } = await workspaceHunks(world, path)
  const shown = { path: at(path), hunks, fingerprint: fingerprint ?? '' }
  const patch = await planRevertHunks({ ...world.sources, textMerge, tree: world.head('main'), ...shown })
  if (!patch.ok) throw new Error(patch.error)
  world.change('main', patch.value)
  return patch.value
}
