import { describe, expect, it } from 'vitest'
import {
  conflictSides,
  createOverlayTransaction,
  emptyTree,
  entryAt,
  goBack,
  listChanges,
  planRevert,
  treeHash,
} from '#overlay'
import { at, bytes, openBranches, openWorld, testHashing, testTextMerge } from '#overlay/testkit'
import { entrySchema } from '#shared/model/entry.ts'
import { driftAt } from './drift.ts'

const big = 'more than ten bytes'
const size = big.length
const open = () => openWorld({ '/big': big, '/d/in': `${big}!`, '/small': 'small' }, undefined, 10)

describe('a large file of the base', () => {
  it('is moved and deleted, and its content is never stored', async () => {
    const world = open()
    const stored: number[] = []
    const put = (one: Uint8Array) => {
      stored.push(one.length)
      return world.blobs.put(one)
    }
    const blobs = { ...world.blobs, put }
    const draft = createOverlayTransaction({ ...world.sources, blobs, tree: emptyTree })
    await draft.move(at('/big'), at('/new/name'))
    await draft.delete(at('/d/in'))
    const gitId = testHashing.gitObjectId(bytes(big))
    const node = {
      kind: 'file',
      blob: testHashing.hash(bytes(big)),
      size,
      executable: false,
      large: { path: '/big', gitId },
    }
    expect(entryAt(draft.tree, at('/big'))).toMatchObject({ node: null, pin: node })
    expect(entryAt(draft.tree, at('/new/name'))).toMatchObject({ node, pin: null, renamedFrom: '/big' })
    expect(await draft.stat(at('/new/name'))).toMatchObject({ kind: 'file', size })
    expect(await draft.stat(at('/d/in'))).toBeUndefined()
    expect(stored).toEqual([])
    await draft.move(at('/new/name'), at('/big'))
    expect(entryAt(draft.tree, at('/big'))).toBeNull()
  })

  it('is read in parts under its new name, until the file on disk changes', async () => {
    const world = open()
    const tree = await world.change(emptyTree, (draft) => draft.move(at('/big'), at('/moved')))
    const draft = world.draft(tree)
    await expect(draft.read(at('/moved'))).rejects.toMatchObject({ code: 'too_large', path: '/moved' })
    expect(await draft.read(at('/moved'), { offset: 5, length: 4 })).toEqual(bytes('than'))
    world.base.set('/big', 'more than 10 bytes!')
    await expect(draft.read(at('/moved'), { offset: 5, length: 4 })).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining('/moved was moved from /big'),
    })
    world.base.set('/moved', big)
    expect(await draft.read(at('/moved'), { offset: 5, length: 4 })).toEqual(bytes('than'))
  })

  it('is replaced by small text, made executable, and moved with its folder', async () => {
    const world = open()
    const draft = world.draft()
    await draft.write(at('/big'), bytes('x'))
    expect(await draft.read(at('/big'))).toEqual(bytes('x'))
    await draft.setExecutable(at('/d/in'), true)
    await draft.move(at('/d'), at('/e'))
    expect(await draft.stat(at('/e/in'))).toMatchObject({ size: size + 1, executable: true })
    await draft.delete(at('/e'))
    expect(await draft.stat(at('/e'))).toBeUndefined()
  })

  it('is listed with its size instead of lines', async () => {
    const world = open()
    const tree = await world.change(emptyTree, async (draft) => {
      await draft.move(at('/big'), at('/moved'))
      await draft.delete(at('/d/in'))
      await draft.move(at('/small'), at('/large'))
    })
    const sources = { ...world.sources, textMerge: testTextMerge }
    const unknown = { added: null, removed: null, binary: false }
    expect(await listChanges({ ...sources, from: emptyTree, to: tree })).toEqual([
      { ...unknown, path: '/d/in', kind: 'delete', size: 0, large: size + 1 },
      expect.objectContaining({ path: '/large', from: '/small', binary: false, added: 0 }),
      { ...unknown, path: '/moved', from: '/big', kind: 'rename', size, large: size },
    ])
  })

  it('drifts when its content changes on disk, and not when only its time does', async () => {
    const world = open()
    const tree = await world.change(emptyTree, (draft) => draft.delete(at('/big')))
    const known = { tree, forkPoint: emptyTree, reads: new Map() }
    const drift = () => driftAt(world.sources, known, at('/big'))
    expect(await drift()).toBeNull()
    world.base.set('/big', big)
    expect(await drift()).toBeNull()
    world.base.set('/big', big.toUpperCase())
    expect(await drift()).toMatchObject({ kind: 'changed', since: 'changed' })
    world.base.set('/big', 'short')
    expect(await drift()).toMatchObject({ kind: 'changed' })
    world.base.remove('/big')
    expect(await drift()).toBeNull()
  })

  it('changes places with another one in one step', async () => {
    const world = open()
    const draft = world.draft()
    await draft.carryFiles([
      { from: at('/big'), to: at('/d/in'), executable: false },
      { from: at('/d/in'), to: at('/big'), executable: true },
    ])
    expect(await draft.stat(at('/big'))).toMatchObject({ size: size + 1, executable: true })
    expect(await draft.stat(at('/d/in'))).toMatchObject({ size, executable: false })
    await expect(draft.carryFiles([{ from: at('/none'), to: at('/x'), executable: false }])).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('is the same file wherever its content is said to be, and is kept by the journal', async () => {
    const patch = async (most: number) => {
      const draft = openWorld({ '/big': big }, undefined, most).draft()
      await draft.move(at('/big'), at('/moved'))
      return draft
    }
    const [large, whole] = [await patch(10), await patch(100)]
    expect(treeHash(large.tree, testHashing)).toBe(treeHash(whole.tree, testHashing))
    for (const draft of [large, whole]) {
      const body = { type: 'tree.changed', branchId: 'branch', patch: draft.patch(), callId: null }
      const entry = { ...body, threadId: 'thread', sequence: 1, at: 0 }
      expect(entrySchema.parse(entry)).toEqual(entry)
    }
  })
})

describe('a merge of a large file', () => {
  const openBoth = () => {
    const world = openBranches({ '/big': big, '/small': 'small' }, undefined, 10)
    return { world, branch: world.fork('child') }
  }

  it('takes a move and a deletion, is undone, and can be discarded by path', async () => {
    const { world, branch } = openBoth()
    await world.edit('child', (draft) => draft.move(at('/big'), at('/moved')))
    const merged = await world.merge(branch)
    expect(merged.result).toMatchObject({ renamed: [{ from: '/big', to: '/moved' }], conflicts: [] })
    await world.expectFiles('main', { '/moved': big, '/small': 'small' })
    merged.undo()
    await world.expectFiles('main', { '/big': big, '/small': 'small' })
    world.change('child', goBack(world.head('child'), world.forkPoint('child'), [at('/moved')]))
    await world.expectFiles('child', { '/big': big, '/small': 'small' })
    await world.edit('child', (draft) => draft.delete(at('/big')))
    world.change('child', planRevert(world.head('child'), [at('/big')]))
    await world.expectFiles('child', { '/big': big, '/small': 'small' })
  })

  it('is a conflict when one side deletes it and the other replaces it, and each side can be taken', async () => {
    for (const force of [false, true]) {
      const { world, branch } = openBoth()
      await world.edit('main', (draft) => draft.write(at('/big'), bytes('ours')))
      await world.edit('child', (draft) => draft.delete(at('/big')))
      const { result } = await world.merge(branch, { force })
      const [reason, sizes] = ['delete_modify', { base: { state: 'file', size }, theirs: { state: 'absent', size: 0 } }]
      if (!force) expect(result.conflicts).toMatchObject([{ path: '/big', reason, mergeable: false, ...sizes }])
      await world.expectFiles('main', force ? { '/small': 'small' } : { '/big': 'ours', '/small': 'small' })
    }
  })

  it('is a conflict of binary files when one side moves it to where the other made a file', async () => {
    const { world, branch } = openBoth()
    await world.edit('main', (draft) => draft.write(at('/moved'), bytes('ours')))
    await world.edit('child', (draft) => draft.move(at('/big'), at('/moved')))
    const { result } = await world.merge(branch, { strategy: 'three_way' })
    expect(result.conflicts).toMatchObject([{ path: '/moved', mergeable: false, theirs: { state: 'file', size } }])
    expect(await conflictSides({ ...world.sourcesOf(branch), path: at('/moved') })).toMatchObject({
      ours: bytes('ours'),
      theirs: null,
    })
  })
})
