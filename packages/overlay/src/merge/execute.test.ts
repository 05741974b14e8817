import { describe, expect, it } from 'vitest'
import { invertibleOn } from '../tree/applies-to.ts'
import { entriesWithin } from '../tree/tree.ts'
import { at, bytes, text } from '../tree/tree-fixtures.testkit.ts'
import { openBranches } from './merge-world.testkit.ts'
import { conflictSides, planResolve } from './resolve-conflict.ts'
import { reviewBranch } from './review.ts'

const lines = (...changed: string[]) =>
  `${['1', '2', '3', '4', '5', '6', '7'].map((line, i) => changed[i] || line).join('\n')}\n`
const nothing = { written: [], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] }

describe('merge', () => {
  it('takes what only the branch changed, and does nothing the second time, even after later parent work', async () => {
    const world = openBranches({ '/a': 'a', '/gone': 'g' })
    const branch = world.fork('child')
    await world.edit('child', async (draft) => {
      await draft.write(at('/a'), bytes('A'))
      await draft.write(at('/new/b'), bytes('b'))
      await draft.delete(at('/gone'))
    })
    expect((await world.merge(branch)).result).toEqual({ ...nothing, written: ['/a', '/new/b'], deleted: ['/gone'] })
    await world.expectFiles('main', { '/a': 'A', '/new/b': 'b' })
    const again = await world.merge(branch)
    expect([again.result, again.patch, again.bases]).toEqual([nothing, [], []])
    await world.edit('main', (draft) => draft.write(at('/a'), bytes('later')))
    expect((await world.merge(branch)).result).toEqual(nothing)
    await world.expectFiles('main', { '/a': 'later', '/new/b': 'b' })
  })

  it('does nothing for identical changes on both sides, now and after later edits of the parent', async () => {
    const world = openBranches({ '/a': 'a' })
    const branch = world.fork('child')
    for (const name of ['main', 'child']) await world.edit(name, (draft) => draft.write(at('/a'), bytes('same')))
    expect((await world.merge(branch)).result).toEqual(nothing)
    await world.edit('main', (draft) => draft.write(at('/a'), bytes('later')))
    expect((await world.merge(branch)).result).toEqual(nothing)
  })

  it('refuses texts that could be merged, and merges them on request', async () => {
    const world = openBranches({ '/a': lines() })
    const branch = world.fork('child')
    await world.edit('main', (draft) => draft.write(at('/a'), bytes(lines('one'))))
    await world.edit('child', (draft) => draft.write(at('/a'), bytes(lines('', '', '', '', '', '', 'seven'))))
    const refused = await world.merge(branch)
    expect(refused.result).toMatchObject({
      written: [],
      skipped: ['/a'],
      conflicts: [{ path: '/a', reason: 'content', mergeable: true }],
    })
    expect(refused.patch).toEqual([])
    const merged = await world.merge(branch, { strategy: 'three_way' })
    expect(merged.result).toEqual({ ...nothing, merged: ['/a'] })
    await world.expectFiles('main', { '/a': lines('one', '', '', '', '', '', 'seven') })
    expect((await world.merge(branch)).result).toEqual(nothing)
    await world.edit('child', (draft) => draft.write(at('/a'), bytes(lines('', '', '', '', '', '', '7'))))
    expect((await world.merge(branch, { strategy: 'three_way' })).result).toEqual({ ...nothing, merged: ['/a'] })
    await world.expectFiles('main', { '/a': lines('one', '', '', '', '', '', '7') })
  })

  it.each<
    [
      string,
      Record<string, string>,
      Parameters<typeof pair>[1],
      Parameters<typeof pair>[1],
      string,
      Record<string, string>,
    ]
  >([
    [
      'overlapping text',
      { '/a': lines() },
      (d) => d.write(at('/a'), bytes(lines('x'))),
      (d) => d.write(at('/a'), bytes(lines('y'))),
      'content',
      { '/a': lines('y') },
    ],
    [
      'binaries',
      { '/a': 'a\0' },
      (d) => d.write(at('/a'), bytes('b\0')),
      (d) => d.write(at('/a'), bytes('c\0')),
      'binary',
      { '/a': 'c\0' },
    ],
    [
      'delete and modify',
      { '/a': 'a' },
      (d) => d.delete(at('/a')),
      (d) => d.write(at('/a'), bytes('b')),
      'delete_modify',
      { '/a': 'b' },
    ],
    [
      'modify and delete',
      { '/a': 'a' },
      (d) => d.write(at('/a'), bytes('b')),
      (d) => d.delete(at('/a')),
      'delete_modify',
      {},
    ],
    [
      'add and add',
      {},
      (d) => d.write(at('/a'), bytes('x')),
      (d) => d.write(at('/a'), bytes('y')),
      'content',
      { '/a': 'y' },
    ],
    [
      'file and folder',
      {},
      (d) => d.write(at('/a/in'), bytes('x')),
      (d) => d.write(at('/a'), bytes('y')),
      'kind',
      { '/a': 'y' },
    ],
    [
      'folder and file',
      {},
      (d) => d.write(at('/a'), bytes('x')),
      (d) => d.write(at('/a/in'), bytes('y')),
      'kind',
      { '/a/in': 'y' },
    ],
    [
      'file and link',
      { '/a': 'a' },
      (d) => d.write(at('/a'), bytes('b')),
      (d) => d.makeSymlink(at('/a'), 'x'),
      'kind',
      { '/a': '-> x' },
    ],
    [
      'mode and content',
      { '/a': 'a' },
      (d) => d.setExecutable(at('/a'), true),
      (d) => d.write(at('/a'), bytes('b')),
      'mode',
      { '/a': 'b' },
    ],
    [
      'rename and rename',
      { '/a': 'a' },
      (d) => d.move(at('/a'), at('/x')),
      (d) => d.move(at('/a'), at('/y')),
      'rename',
      { '/x': 'a', '/y': 'a' },
    ],
    [
      'rename and delete',
      { '/a': 'a' },
      (d) => d.delete(at('/a')),
      (d) => d.move(at('/a'), at('/y')),
      'rename',
      { '/y': 'a' },
    ],
  ])(
    'refuses %s and names everything it left, and force takes the branch’s version',
    async (_, files, ours, theirs, reason, forced) => {
      const world = openBranches(files)
      const { branch, before } = await pair({ world }, ours, theirs)
      const refused = await world.merge(branch)
      expect(refused.patch).toEqual([])
      expect(refused.result.conflicts.map((conflict) => conflict.reason)).toEqual([reason])
      for (const { path } of refused.result.conflicts) expect(refused.result.skipped).toContain(path)
      expect(await world.files('main')).toEqual(before)
      const result = (await world.merge(branch, { force: true })).result
      expect([result.conflicts.length, result.skipped.length]).toEqual([1, 0])
      expect(result.written.length + result.deleted.length + result.renamed.length).toBeGreaterThan(0)
      await world.expectFiles('main', forced)
      expect((await world.merge(branch)).result).toEqual(nothing)
    },
  )

  it('takes both halves of a rename, whichever was chosen, and merges it with an edit on request', async () => {
    const world = openBranches({ '/a': lines(), '/b': 'b' })
    const branch = world.fork('child')
    await world.edit('child', async (draft) => {
      await draft.move(at('/a'), at('/deep/c'))
      await draft.write(at('/b'), bytes('B'))
    })
    await world.edit('main', (draft) => draft.write(at('/a'), bytes(lines('one'))))
    const refused = await world.merge(branch, { paths: [at('/a')] })
    expect(refused.result).toMatchObject({
      skipped: ['/a', '/deep/c'],
      conflicts: [{ path: '/deep/c', reason: 'rename', mergeable: true }],
    })
    const merged = await world.merge(branch, { paths: [at('/deep/c')], strategy: 'three_way' })
    expect(merged.result).toEqual({ ...nothing, renamed: [{ from: '/a', to: '/deep/c' }], merged: ['/deep/c'] })
    await world.expectFiles('main', { '/deep/c': lines('one'), '/b': 'b' })
    await world.edit('child', (draft) => draft.write(at('/deep/c'), bytes(lines('', '', '', '', '', '', 'end'))))
    expect((await world.merge(branch, { strategy: 'three_way' })).result).toEqual({
      ...nothing,
      written: ['/b'],
      merged: ['/deep/c'],
    })
    await world.expectFiles('main', { '/deep/c': lines('one', '', '', '', '', '', 'end'), '/b': 'B' })
  })

  it('merges an edit of the branch with a rename by the parent, on request, and later edits too', async () => {
    const world = openBranches({ '/a': lines() })
    const end = (text: string) => lines('', '', '', '', '', '', text)
    const { branch } = await pair(
      { world },
      (d) => d.move(at('/a'), at('/b')),
      (d) => d.write(at('/a'), bytes(end('seven'))),
    )
    const refused = await world.merge(branch)
    expect(refused.result).toMatchObject({
      skipped: ['/a'],
      conflicts: [{ path: '/a', reason: 'rename', mergeable: true }],
    })
    expect(refused.patch).toEqual([])
    const sides = await conflictSides({ ...world.sourcesOf(branch), path: at('/a') })
    expect([sides.base, sides.ours, sides.theirs].map((side) => side && text(side))).toEqual([
      lines(),
      lines(),
      end('seven'),
    ])
    const merged = await world.merge(branch, { strategy: 'three_way' })
    expect(merged.result).toEqual({ ...nothing, renamed: [{ from: '/a', to: '/b' }], merged: ['/b'] })
    await world.expectFiles('main', { '/b': end('seven') })
    expect((await world.merge(branch)).result).toEqual(nothing)
    const [kept] = [...entriesWithin(world.head('main'), at('/b'))]
    expect(kept?.[1].renamedFrom).toBe('/a')
    await world.edit('main', (draft) => draft.write(at('/b'), bytes(lines('one', '', '', '', '', '', 'seven'))))
    await world.edit('child', (draft) => draft.write(at('/a'), bytes(end('7'))))
    expect((await world.merge(branch, { strategy: 'three_way' })).result).toMatchObject({
      merged: ['/b'],
      conflicts: [],
    })
    await world.expectFiles('main', { '/b': lines('one', '', '', '', '', '', '7') })
  })

  it('with force puts the branch’s file beside the one that the parent renamed', async () => {
    const world = openBranches({ '/a': 'a' })
    const { branch } = await pair(
      { world },
      (d) => d.move(at('/a'), at('/b')),
      (d) => d.write(at('/a'), bytes('A')),
    )
    expect((await world.merge(branch, { force: true })).result).toMatchObject({ written: ['/a'], skipped: [] })
    await world.expectFiles('main', { '/a': 'A', '/b': 'a' })
  })

  it('treats the same rename on both sides as one, with the edits of both', async () => {
    const world = openBranches({ '/a': lines() })
    const move = (text: string) => async (draft: Parameters<Work>[0]) => {
      await draft.move(at('/a'), at('/b'))
      await draft.write(at('/b'), bytes(text))
    }
    const { branch } = await pair({ world }, move(lines('one')), move(lines('', '', '', '', '', '', 'seven')))
    expect((await world.merge(branch)).result.conflicts).toMatchObject([{ path: '/b', mergeable: true }])
    expect((await world.merge(branch, { strategy: 'three_way' })).result.conflicts).toEqual([])
    await world.expectFiles('main', { '/b': lines('one', '', '', '', '', '', 'seven') })
    expect((await world.merge(branch)).result).toEqual(nothing)
  })

  it('keeps what the parent put in the place of a file that both renamed', async () => {
    const world = openBranches({ '/a': 'a' })
    const { branch } = await pair(
      { world },
      async (d) => {
        await d.move(at('/a'), at('/b'))
        await d.write(at('/a'), bytes('new'))
      },
      async (d) => {
        await d.move(at('/a'), at('/b'))
        await d.write(at('/b'), bytes('B'))
      },
    )
    expect((await world.merge(branch, { strategy: 'three_way' })).result.skipped).toEqual(['/a', '/b'])
    await world.expectFiles('main', { '/a': 'new', '/b': 'a' })
  })

  it.each([1_000, 0])('deletes a folder but keeps what the parent added in it (%i pinned)', async (pinned) => {
    const world = openBranches({ '/s/a': 'a', '/s/d/b': 'b', '/t/c': 'c' }, pinned)
    const branch = world.fork('child')
    await world.edit('child', async (draft) => {
      await draft.delete(at('/s'))
      await draft.delete(at('/t'))
    })
    await world.edit('main', (draft) => draft.write(at('/s/new'), bytes('n')))
    expect((await world.merge(branch)).result).toEqual({ ...nothing, deleted: ['/s/a', '/s/d/b', '/t/c'] })
    expect(await world.files('main')).toEqual({ '/s/': '', '/s/new': 'n' })
  })

  it.each([1_000, 0])('lets a file replace a folder, but not what is still in it (%i pinned)', async (pinned) => {
    const world = openBranches({ '/s/a': 'a', '/s/b': 'b' }, pinned)
    const branch = world.fork('child')
    await world.edit('child', async (draft) => {
      await draft.delete(at('/s'))
      await draft.write(at('/s'), bytes('file'))
    })
    await world.edit('main', (draft) => draft.write(at('/s/b'), bytes('edited')))
    const refused = await world.merge(branch)
    expect(refused.result).toMatchObject({ deleted: ['/s/a'], written: [], skipped: ['/s/b', '/s'] })
    await world.expectFiles('main', { '/s/b': 'edited' })
    await world.edit('main', (draft) => draft.delete(at('/s/b')))
    expect((await world.merge(branch)).result).toEqual({ ...nothing, written: ['/s'] })
    await world.expectFiles('main', { '/s': 'file' })
  })

  it('is undone with its bases, so that the same merge can be repeated', async () => {
    const world = openBranches({ '/a': 'a' })
    const branch = world.fork('child')
    await world.edit('child', (draft) => draft.write(at('/a'), bytes('A')))
    const merged = await world.merge(branch)
    expect(invertibleOn(world.head('main'), merged.patch)).toBe(true)
    merged.undo()
    await world.expectFiles('main', { '/a': 'a' })
    expect((await world.merge(branch)).result).toEqual({ ...nothing, written: ['/a'] })
  })

  it('keeps the parent’s own pin, and compares with the disk when the parent shows it', async () => {
    const world = openBranches({ '/a': 'a', '/b': 'b' })
    await world.edit('main', (draft) => draft.write(at('/b'), bytes('B')))
    const branch = world.fork('child')
    await world.edit('child', async (draft) => {
      await draft.write(at('/a'), bytes('A'))
      await draft.write(at('/b'), bytes('BB'))
    })
    world.base.set('/a', 'outside')
    const { result } = await world.merge(branch)
    expect(result).toMatchObject({ written: ['/b'], conflicts: [{ path: '/a', reason: 'content' }] })
    const pin = world.head('main').root?.value.pin
    expect(pin).toMatchObject({ blob: world.hashing.hash(bytes('b')) })
  })

  it("takes a person's resolution, and reviews what is left", async () => {
    const world = openBranches({ '/a': 'a', '/b': 'b' })
    const { branch } = await pair(
      { world },
      (d) => d.write(at('/a'), bytes('ours')),
      async (d) => {
        await d.write(at('/a'), bytes('theirs'))
        await d.write(at('/b'), bytes('B'))
      },
    )
    const statuses = async () => {
      const { files, closed } = await reviewBranch(world.sourcesOf(branch))
      return [files.map(({ path, status }) => `${path} ${status}`), closed]
    }
    expect(await statuses()).toEqual([['/a conflict', '/b clean'], false])
    const sides = await conflictSides({ ...world.sourcesOf(branch), path: at('/a') })
    expect([sides.base, sides.ours, sides.theirs].map((side) => side && text(side))).toEqual(['a', 'ours', 'theirs'])
    const plan = await planResolve({ ...world.sourcesOf(branch), path: at('/a'), text: 'both' })
    if (!plan.ok) throw new Error(plan.error)
    world.settle(branch, plan.value)
    await world.expectFiles('main', { '/a': 'both', '/b': 'b' })
    expect(plan.value.result.merged).toEqual(['/a'])
    expect(await statuses()).toEqual([['/a identical', '/b clean'], false])
    await world.merge(branch)
    expect(await statuses()).toEqual([['/a identical', '/b identical'], true])
  })

  it('takes a person’s text in the form of the parent’s file', async () => {
    const world = openBranches({ '/a': '\ufeffa\r\n', '/latin': new Uint8Array([0xe9, 10]) })
    const write =
      (a: string, latin: number): Work =>
      async (draft) => {
        await draft.write(at('/a'), bytes(a))
        await draft.write(at('/latin'), new Uint8Array([0xe9, latin]))
      }
    const { branch } = await pair({ world }, write('\ufeffours\r\n', 1), write('\ufefftheirs\r\n', 2))
    const plan = await planResolve({ ...world.sourcesOf(branch), path: at('/a'), text: 'ours\ntheirs\n' })
    const after = plan.ok ? plan.value.patch.find(([path]) => path === '/a')?.[1][1]?.node : null
    expect(after?.kind === 'file' && text(world.blobs.get(after.blob))).toBe('\ufeffours\r\ntheirs\r\n')
    expect(await planResolve({ ...world.sourcesOf(branch), path: at('/latin'), text: 'é' })).toMatchObject({
      ok: false,
    })
  })

  it('leaves a file that the parent renamed unchanged when its next place is taken', async () => {
    const world = openBranches({ '/a': 'a' })
    await world.edit('main', (draft) => draft.move(at('/a'), at('/b')))
    const { branch } = await pair(
      { world },
      (draft) => draft.write(at('/c'), bytes('ours')),
      (draft) => draft.move(at('/b'), at('/c/b')),
    )
    const { result, patch } = await world.merge(branch)
    expect([result.skipped, patch]).toEqual([['/b', '/c/b'], []])
  })
})

type Work = Parameters<ReturnType<typeof openBranches>['edit']>[1]
async function pair({ world }: { world: ReturnType<typeof openBranches> }, ours: Work, theirs: Work) {
  const branch = world.fork('child')
  await world.edit('main', ours)
  await world.edit('child', theirs)
  return { branch, before: await world.files('main') }
}
