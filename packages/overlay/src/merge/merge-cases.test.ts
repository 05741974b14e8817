import { describe, expect, it } from 'vitest'
import type { BaseFixture } from '../tree/in-memory-base-tree.ts'
import type { OverlayTransaction } from '../tree/overlay-transaction.ts'
import { at, bytes } from '../tree/tree-fixtures.testkit.ts'
import { openBranches } from './merge-world.testkit.ts'

type Work = (draft: OverlayTransaction) => Promise<unknown>
type Files = Readonly<Record<string, string>>

/**
 * Two sides of one base. `conflicts` lists `path reason`, with ` +` when it can be merged. `refused`, `merged` and
 * `forced` are the parent's files afterwards.
 */
interface Case {
  readonly base: Readonly<Record<string, BaseFixture>>
  readonly ours: Work
  readonly theirs: Work
  readonly conflicts: readonly string[]
  readonly refused: Files
  /** Same as `refused` by default. */
  readonly merged?: Files
  /** Same as `refused` by default. */
  readonly forced?: Files
}

const write = (path: string, text: string) => (draft: OverlayTransaction) => draft.write(at(path), bytes(text))
const remove = (path: string) => (draft: OverlayTransaction) => draft.delete(at(path))
const move = (from: string, to: string) => (draft: OverlayTransaction) => draft.move(at(from), at(to))
const executable = (path: string) => (draft: OverlayTransaction) => draft.setExecutable(at(path), true)
const closed = (path: string, text: string) => (draft: OverlayTransaction) =>
  draft.write(at(path), bytes(text), { executable: false, mode: 0o600 })
const link = (path: string, target: string) => (draft: OverlayTransaction) => draft.makeSymlink(at(path), target)
const nothing: Work = async () => undefined
const all =
  (...works: readonly Work[]): Work =>
  async (draft) => {
    for (const work of works) await work(draft)
  }

const seven = (first: string, last: string) => [first, '2', '3', '4', '5', '6', last, ''].join('\n')
const markers = '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n'

const cases: Readonly<Record<string, Case>> = {
  'deleted and made again by the branch': {
    base: { '/d/a': 'a', '/d/b': 'b' },
    ours: nothing,
    theirs: all(remove('/d'), write('/d/a', 'new')),
    conflicts: [],
    refused: { '/d/a': 'new' },
  },
  'deleted and made again by the branch, edited by the parent': {
    base: { '/d/a': 'a', '/d/b': 'b' },
    ours: write('/d/b', 'B'),
    theirs: all(remove('/d'), write('/d/a', 'new')),
    conflicts: ['/d/b delete_modify'],
    refused: { '/d/a': 'new', '/d/b': 'B' },
    forced: { '/d/a': 'new' },
  },
  'a rename onto a name that the parent took': {
    base: { '/a': 'a' },
    ours: write('/b', 'ours'),
    theirs: move('/a', '/b'),
    conflicts: ['/b rename'],
    refused: { '/a': 'a', '/b': 'ours' },
    forced: { '/b': 'a' },
  },
  'a rename into a folder that is a file of the parent': {
    base: { '/a': 'a' },
    ours: write('/d', 'file'),
    theirs: move('/a', '/d/a'),
    conflicts: ['/d/a kind'],
    refused: { '/a': 'a', '/d': 'file' },
    forced: { '/d/a': 'a' },
  },
  'a rename over a file that the parent edited': {
    base: { '/a': 'a', '/b': 'b' },
    ours: write('/b', 'B'),
    theirs: all(remove('/b'), move('/a', '/b')),
    conflicts: ['/b content'],
    refused: { '/b': 'B' },
    forced: { '/b': 'a' },
  },
  'a case-only rename': {
    base: { '/Readme': seven('1', '7') },
    ours: write('/Readme', seven('one', '7')),
    theirs: move('/Readme', '/README'),
    conflicts: ['/README rename +'],
    refused: { '/Readme': seven('one', '7') },
    merged: { '/README': seven('one', '7') },
    forced: { '/README': seven('1', '7') },
  },
  'names that differ in case only, one of each side': {
    base: {},
    ours: write('/Name', 'ours'),
    theirs: write('/name', 'theirs'),
    conflicts: [],
    refused: { '/Name': 'ours', '/name': 'theirs' },
  },
  'renamed by the parent, edited by the branch': {
    base: { '/a': seven('1', '7') },
    ours: move('/a', '/b'),
    theirs: write('/a', seven('1', 'seven')),
    conflicts: ['/a rename +'],
    refused: { '/b': seven('1', '7') },
    merged: { '/b': seven('1', 'seven') },
    forced: { '/a': seven('1', 'seven'), '/b': seven('1', '7') },
  },
  'renamed and edited by the parent where the branch edits': {
    base: { '/a': seven('1', '7') },
    ours: all(move('/a', '/b'), write('/b', seven('ours', '7'))),
    theirs: write('/a', seven('theirs', '7')),
    conflicts: ['/a rename'],
    refused: { '/b': seven('ours', '7') },
    forced: { '/a': seven('theirs', '7'), '/b': seven('ours', '7') },
  },
  'renamed by both, to two names': {
    base: { '/a': 'a' },
    ours: move('/a', '/x'),
    theirs: move('/a', '/y'),
    conflicts: ['/y rename'],
    refused: { '/x': 'a' },
    forced: { '/x': 'a', '/y': 'a' },
  },
  'renamed by both, to one name': {
    base: { '/a': seven('1', '7') },
    ours: all(move('/a', '/b'), write('/b', seven('one', '7'))),
    theirs: all(move('/a', '/b'), write('/b', seven('1', 'seven'))),
    conflicts: ['/b content +'],
    refused: { '/b': seven('one', '7') },
    merged: { '/b': seven('one', 'seven') },
    forced: { '/b': seven('1', 'seven') },
  },
  'deleted by the parent, renamed by the branch': {
    base: { '/a': 'a' },
    ours: remove('/a'),
    theirs: move('/a', '/b'),
    conflicts: ['/b rename'],
    refused: {},
    forced: { '/b': 'a' },
  },
  'a folder deleted by the branch, a file added in it by the parent': {
    base: { '/d/a': 'a' },
    ours: write('/d/new', 'n'),
    theirs: remove('/d'),
    conflicts: [],
    refused: { '/d/new': 'n' },
  },
  'a folder deleted by the parent, a file added in it by the branch': {
    base: { '/d/a': 'a' },
    ours: remove('/d'),
    theirs: write('/d/new', 'n'),
    conflicts: [],
    refused: { '/d/new': 'n' },
  },
  'a file of the parent where the branch has a folder': {
    base: {},
    ours: write('/a', 'file'),
    theirs: write('/a/b', 'b'),
    conflicts: ['/a/b kind'],
    refused: { '/a': 'file' },
    forced: { '/a/b': 'b' },
  },
  'a link on the branch in place of a file that the parent edited': {
    base: { '/a': 'a' },
    ours: write('/a', 'A'),
    theirs: link('/a', 'b'),
    conflicts: ['/a kind'],
    refused: { '/a': 'A' },
    forced: { '/a': '-> b' },
  },
  'links to two targets': {
    base: { '/a': { kind: 'symlink', target: 'x' } },
    ours: link('/a', 'y'),
    theirs: link('/a', 'z'),
    conflicts: ['/a content'],
    refused: { '/a': '-> y' },
    forced: { '/a': '-> z' },
  },
  'binaries on both sides': {
    base: { '/a': 'a\0' },
    ours: write('/a', 'b\0'),
    theirs: write('/a', 'c\0'),
    conflicts: ['/a binary'],
    refused: { '/a': 'b\0' },
    forced: { '/a': 'c\0' },
  },
  'a text that one side made binary': {
    base: { '/a': seven('1', '7') },
    ours: write('/a', seven('one', '7')),
    theirs: write('/a', `${seven('1', '7')}\0`),
    conflicts: ['/a binary'],
    refused: { '/a': seven('one', '7') },
    forced: { '/a': `${seven('1', '7')}\0` },
  },
  'mode changed on one side, content on the other': {
    base: { '/a': 'a' },
    ours: executable('/a'),
    theirs: write('/a', 'A'),
    conflicts: ['/a mode'],
    refused: { '/a': '* a' },
    forced: { '/a': 'A' },
  },
  'permissions changed on one side, content on the other': {
    base: { '/a': 'a' },
    ours: closed('/a', 'a'),
    theirs: write('/a', 'A'),
    conflicts: ['/a mode'],
    refused: { '/a': 'a' },
    forced: { '/a': 'A' },
  },
  'the same mode and content on both sides': {
    base: { '/a': 'a' },
    ours: all(write('/a', 'A'), executable('/a')),
    theirs: all(write('/a', 'A'), executable('/a')),
    conflicts: [],
    refused: { '/a': '* A' },
  },
  'real conflict markers as content': {
    base: { '/a': `${markers}${seven('1', '7')}` },
    ours: write('/a', `${markers}${seven('1', 'ours')}`),
    theirs: write('/a', `theirs\n${markers}${seven('1', '7')}`),
    conflicts: ['/a content +'],
    refused: { '/a': `${markers}${seven('1', 'ours')}` },
    merged: { '/a': `theirs\n${markers}${seven('1', 'ours')}` },
    forced: { '/a': `theirs\n${markers}${seven('1', '7')}` },
  },
  'a conflict in the middle of a batch': {
    base: { '/a': 'a', '/b': 'b', '/c': 'c' },
    ours: write('/b', 'ours'),
    theirs: all(write('/a', 'A'), write('/b', 'B'), remove('/c')),
    conflicts: ['/b content'],
    refused: { '/a': 'A', '/b': 'ours' },
    forced: { '/a': 'A', '/b': 'B' },
  },
  'an emptied file and an edited one': {
    base: { '/a': 'a\n' },
    ours: write('/a', ''),
    theirs: write('/a', 'b\n'),
    conflicts: ['/a content'],
    refused: { '/a': '' },
    forced: { '/a': 'b\n' },
  },
  'different line ends and a different last line': {
    base: { '/a': seven('1', '7') },
    ours: write('/a', seven('1\r', '7')),
    theirs: write('/a', seven('1', '7').slice(0, -1)),
    conflicts: ['/a content +'],
    refused: { '/a': seven('1\r', '7') },
    merged: { '/a': seven('1\r', '7').slice(0, -1) },
    forced: { '/a': seven('1', '7').slice(0, -1) },
  },
}

describe.each([
  ['pinned file by file', 1_000],
  ['hidden as whole folders', 0],
])('what both sides did, folders %s:', (_, pinned) => {
  it.each(Object.entries(cases))('%s', async (_, { base, ours, theirs, conflicts, refused, merged, forced }) => {
    for (const [choice, expected] of [
      [{}, refused],
      [{ strategy: 'three_way' }, merged ?? refused],
      [{ force: true }, forced ?? refused],
    ] as const) {
      const world = openBranches(base, pinned)
      const branch = world.fork('child')
      await world.edit('main', ours)
      await world.edit('child', theirs)
      const before = world.head('main')
      const { result, undo } = await world.merge(branch, choice)
      await world.expectFiles('main', expected)
      const found = result.conflicts.map(({ path, reason, mergeable }) => `${path} ${reason}${mergeable ? ' +' : ''}`)
      const joins = 'strategy' in choice ? conflicts.filter((one) => !one.endsWith(' +')) : conflicts
      expect(found).toEqual(joins)
      const again = await world.merge(branch, choice)
      expect([again.patch, again.bases]).toEqual([[], []])
      undo()
      expect(world.head('main')).toEqual(before)
    }
  })
})

it('a base that was edited outside since the fork conflicts, and the edit stays', async () => {
  const world = openBranches({ '/a': 'a', '/d/b': 'b' })
  const branch = world.fork('child')
  await world.edit('child', all(write('/a', 'A'), remove('/d')))
  world.base.set('/a', 'outside')
  world.base.set('/d/new', 'new')
  const { result } = await world.merge(branch)
  expect(result).toMatchObject({ skipped: ['/a'], deleted: ['/d/b'], conflicts: [{ path: '/a', reason: 'content' }] })
  await world.expectFiles('main', { '/a': 'outside', '/d/new': 'new' })
})

it.each([0, 1_000])('a file does not replace a folder whose files could not be moved away (%i)', async (pinned) => {
  const base = { '/d/e': 'e', '/b': 'b' }
  const swapped = async (force: boolean) => {
    const world = openBranches(base, pinned)
    const branch = world.fork('child')
    await world.edit('main', write('/q', 'file'))
    await world.edit('child', all(move('/d', '/q'), move('/b', '/d')))
    return { world, result: (await world.merge(branch, { force })).result }
  }
  const refused = await swapped(false)
  await refused.world.expectFiles('main', { ...base, '/q': 'file' })
  expect(refused.result.conflicts.map(({ path, reason }) => `${path} ${reason}`)).toEqual(['/d kind', '/q/e kind'])
  expect(refused.result.skipped.toSorted()).toEqual(['/b', '/d', '/d/e', '/q/e'])
  const forced = await swapped(true)
  await forced.world.expectFiles('main', { '/q/e': 'e', '/d': 'b' })
  expect(forced.result.deleted).toEqual(['/q'])
})

it('a rename that the parent made too is merged once, and later changes by the parent stay', async () => {
  const world = openBranches({ '/a': 'a' })
  const branch = world.fork('child')
  await world.edit('main', all(move('/a', '/b'), write('/b', 'mine')))
  await world.edit('child', move('/a', '/b'))
  expect((await world.merge(branch)).patch).toEqual([])
  await world.edit('main', remove('/b'))
  const { patch, result } = await world.merge(branch, { force: true })
  expect([patch, result.conflicts]).toEqual([[], []])
})
