import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlobHash } from '../model/blob-hash.ts'
import { compose, invert } from '../model/patch.ts'
import type { OverlayEntry } from '../model/tree-node.ts'
import { exactText, isBinary } from './binary.ts'
import { refuseTooLong } from './path-guards.ts'
import {
  childEntries,
  diffTrees,
  emptyTree,
  entriesWithin,
  entryAt,
  hidesBase,
  hidesBelow,
  patchTree,
  type Tree,
  treeHash,
  withEntry,
} from './tree.ts'
import { at, openWorld, testHashing } from './tree-fixtures.testkit.ts'
import { rebase, walk } from './walk.ts'

const names = fc.constantFrom('a', 'a!', 'a0', 'ab', 'b', 'é', '\u{1f600}')
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => at(`/${parts.join('/')}`))
const file = (content: string): OverlayEntry => ({
  node: { kind: 'file', blob: content as BlobHash, size: content.length, executable: false },
  pin: null,
})
const entries = fc.constantFrom<OverlayEntry>(
  file('x'),
  file('y'),
  { node: null, pin: null },
  { node: { kind: 'directory' }, pin: null },
  { node: null, pin: { kind: 'directory' }, opaque: true },
)
const changes = fc.array(fc.tuple(paths, fc.option(entries, { nil: null })), { maxLength: 20 })
const treeOf = (list: readonly (readonly [ReturnType<typeof at>, OverlayEntry | null])[]): Tree =>
  list.reduce((tree, [path, entry]) => withEntry(tree, path, entry), emptyTree)
const within = (path: string, folder: string) => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

describe('the tree of a branch', () => {
  it('holds the latest entries, in order, and finds what is below any folder', () => {
    const property = fc.property(changes, paths, (list, folder) => {
      const plain = new Map<string, OverlayEntry>()
      for (const [path, entry] of list) entry ? plain.set(path, entry) : plain.delete(path)
      const tree = treeOf(list)
      const sorted = [...plain].sort(([a], [b]) => (a < b ? -1 : 1))
      expect([...entriesWithin(tree, at('/'))]).toEqual(sorted)
      for (const place of [folder, at('/')]) {
        const below = sorted.filter(([path]) => within(path, place))
        expect([...entriesWithin(tree, place)].map(([path]) => path).sort()).toEqual(below.map(([path]) => path).sort())
        const prefix = place === '/' ? '/' : `${place}/`
        const children = below.filter(([path]) => path !== place && !path.slice(prefix.length).includes('/'))
        expect([...childEntries(tree, place)].map(([name]) => prefix + name)).toEqual(children.map(([path]) => path))
      }
      expect(entryAt(tree, folder)).toEqual(plain.get(folder) ?? null)
      const above = sorted.some(([path, entry]) => path !== folder && within(folder, path) && hidesBelow(entry))
      expect(hidesBase(tree, folder)).toBe(above)
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('has equal hashes exactly for equal content, whatever the order of changes', () => {
    const property = fc.property(changes, changes, (first, second) => {
      const [a, b] = [treeOf(first), treeOf(second)]
      const rebuilt = treeOf([...entriesWithin(a, at('/'))].reverse())
      expect(treeHash(rebuilt, testHashing)).toBe(treeHash(a, testHashing))
      const isSame = diffTrees(a, b).length === 0
      expect(treeHash(a, testHashing) === treeHash(b, testHashing)).toBe(isSame)
    })
    fc.assert(property, { numRuns: 200 })
  })

  it('follows patches to another tree, back, and on', () => {
    const property = fc.property(changes, changes, changes, (first, second, third) => {
      const [a, b, c] = [treeOf(first), treeOf(second), treeOf(third)]
      const [ab, bc] = [diffTrees(a, b), diffTrees(b, c)]
      const same = (left: Tree, right: Tree) => expect(treeHash(left, testHashing)).toBe(treeHash(right, testHashing))
      same(patchTree(a, ab), b)
      same(patchTree(b, invert(ab)), a)
      same(patchTree(a, compose(ab, bc)), c)
      expect(invert(invert(ab))).toEqual(ab)
      expect(compose(ab, invert(ab))).toEqual([])
      expect(diffTrees(a, a)).toEqual([])
    })
    fc.assert(property, { numRuns: 200 })
  })
})

describe('a walk over a mount', () => {
  it('lists folders before their content, and links without following them', async () => {
    const world = openWorld({
      '/d/e/f': '1',
      '/d/a': '2',
      '/link': { kind: 'symlink', target: 'd' },
      '/pipe': { kind: 'special' },
    })
    const { entries: found, unreadable } = await walk(world.draft(), at('/'))
    const shown = found.map(({ path, node }) => `${path} ${node.kind}`)
    expect(shown.toSorted()).toEqual([
      '/d directory',
      '/d/a file',
      '/d/e directory',
      '/d/e/f file',
      '/link symlink',
      '/pipe special',
    ])
    expect(shown.indexOf('/d directory')).toBeLessThan(shown.indexOf('/d/a file'))
    expect(unreadable).toBe(0)
    expect(await walk(world.draft(), at('/none'))).toEqual({ entries: [], unreadable: 0 })
  })

  it('stops with the reason of the signal', async () => {
    const world = openWorld({ '/a': '1' })
    await expect(walk(world.draft(), at('/'), AbortSignal.abort('stopped'))).rejects.toBe('stopped')
  })

  it.each([
    ['/a', '/a', '/b', '/b'],
    ['/a/c/d', '/a', '/x/y', '/x/y/c/d'],
  ])('%s below %s, moved to %s, becomes %s', (path, from, to, expected) => {
    expect(rebase(at(path), at(from), at(to))).toBe(expected)
  })
})

describe('content', () => {
  it.each<[string, Uint8Array, boolean, string | undefined]>([
    ['nothing', new Uint8Array(), false, ''],
    ['a NUL', Uint8Array.of(97, 0), true, undefined],
    ['a mark of byte order', Uint8Array.of(0xef, 0xbb, 0xbf, 97), false, '\ufeffa'],
    ['half a character', Uint8Array.of(0xe6, 0x97), false, undefined],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 97, 0), true, undefined],
  ])('of %s is recognised as binary or text', (_, content, binary, text) => {
    expect([isBinary(content), exactText(content)]).toEqual([binary, text])
  })

  it('is binary by its first 8,000 bytes alone, as in git', () => {
    const late = new Uint8Array(8_001).fill(97)
    late[8_000] = 0
    expect(isBinary(late)).toBe(false)
    late[7_999] = 0
    expect(isBinary(late)).toBe(true)
  })

  it('keeps its bytes whenever it is text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), (content) => {
        const text = exactText(content)
        if (text !== undefined) expect([...new TextEncoder().encode(text)]).toEqual([...content])
      }),
      { numRuns: 500 },
    )
  })
})

describe('a path', () => {
  it.each([
    [`/${'n'.repeat(255)}`, false],
    [`/${'n'.repeat(256)}`, true],
    [`/${'é'.repeat(127)}`, false],
    [`/${'é'.repeat(128)}`, true],
    [`/${'d/'.repeat(1535)}f`, false],
    [`/${'d/'.repeat(1536)}f`, true],
  ])('of %s is refused if it is too long in bytes for a disk: %s', (path, refused) => {
    const check = () => refuseTooLong(at(path))
    if (refused) expect(check).toThrow(expect.objectContaining({ code: 'refused' }))
    else expect(check).not.toThrow()
  })
})
