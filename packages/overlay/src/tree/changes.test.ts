import { describe, expect, it } from 'vitest'
import { rootPath } from '../model/virtual-path.ts'
import { branchDiff, listChanges } from './changes.ts'
import { branchScope } from './search-scope.ts'
import { emptyTree, type Tree } from './tree.ts'
import { at, bytes, openWorld, testTextMerge, type World } from './tree-fixtures.testkit.ts'

const changesOf = (world: World, to: Tree, from: Tree = emptyTree) =>
  listChanges({ ...world.sources, from, to, textMerge: testTextMerge })

describe('changes', () => {
  it('have a kind, sizes and line counts, and a rename is one record', async () => {
    const world = openWorld({
      '/a': '1\n2\n',
      '/b': 'b',
      '/d/x': 'x\n',
      '/d/y': 'y',
      '/m': 'm',
      '/z': 'z\0',
      '/old': 'o\n',
    })
    const tree = await world.change(emptyTree, async (draft) => {
      await draft.write(at('/a'), bytes('1\ntwo\n3\n'))
      await draft.write(at('/new/n'), bytes('n'))
      await draft.delete(at('/d'))
      await draft.setExecutable(at('/m'), true)
      await draft.makeSymlink(at('/link'), 'a')
      await draft.write(at('/z'), bytes('\0zz'))
      await draft.move(at('/old'), at('/moved'))
      await draft.write(at('/b'), bytes('b'))
    })
    const changes = await changesOf(world, tree)
    expect(changes.map(({ path, kind, size, added, removed }) => [path, kind, size, added, removed])).toEqual([
      ['/a', 'modify', 8, 2, 1],
      ['/d/x', 'delete', 0, 0, 1],
      ['/d/y', 'delete', 0, 0, 1],
      ['/link', 'symlink', 1, 1, 0],
      ['/m', 'mode', 1, 0, 0],
      ['/moved', 'rename', 2, 0, 0],
      ['/new/n', 'create', 1, 1, 0],
      ['/z', 'modify', 3, null, null],
    ])
    expect(changes.find(({ path }) => path === '/z')?.binary).toBe(true)
    expect(branchDiff(changes)).toMatchObject({
      deleted: ['/d/x', '/d/y'],
      renamed: [{ from: '/old', to: '/moved' }],
      written: [{ path: '/a' }, { path: '/link' }, { path: '/m' }, { path: '/new/n' }, { path: '/z' }],
    })
  })

  it('of a branch are relative to its fork point, even for files that the parent made or moved', async () => {
    const world = openWorld({ '/a': 'a' })
    const fork = await world.change(emptyTree, async (draft) => {
      await draft.move(at('/a'), at('/b'))
      await draft.write(at('/n'), bytes('n'))
    })
    const tree = await world.change(fork, async (draft) => {
      await draft.move(at('/b'), at('/c'))
      await draft.move(at('/n'), at('/o'))
    })
    const changes = await changesOf(world, tree, fork)
    expect(changes.map(({ from, path, kind }) => [from, path, kind])).toEqual([
      ['/b', '/c', 'rename'],
      ['/n', '/o', 'rename'],
    ])
    const back = await world.change(tree, (draft) => draft.move(at('/c'), at('/a')))
    expect((await changesOf(world, back)).map(({ path, kind }) => [path, kind])).toEqual([['/o', 'create']])
  })

  it('name every file of a folder too large to be pinned', async () => {
    const world = openWorld({ '/d/x': 'x', '/d/e/y': 'y' }, 0)
    const tree = await world.change(emptyTree, (draft) => draft.delete(at('/d')))
    expect((await changesOf(world, tree)).map(({ path, kind }) => [path, kind])).toEqual([
      ['/d/e/y', 'delete'],
      ['/d/x', 'delete'],
    ])
  })
})

describe('what a search looks at', () => {
  it('is the base without what the overlay hides, plus the overlay’s own files', async () => {
    const world = openWorld({ '/a': 'a', '/d/x': 'x' })
    const tree = await world.change(emptyTree, async (draft) => {
      await draft.delete(at('/d'))
      await draft.write(at('/new/n'), bytes('n'))
    })
    const scope = branchScope(tree, world.blobs, rootPath, false)
    expect(scope.hidden).toEqual(['/d', '/d/x', '/new/n'])
    expect(scope.overlay.map(({ path, bytes: content }) => [path, content])).toEqual([['/new/n', bytes('n')]])
    expect(scope.made).toEqual(['/new'])
  })

  it('includes the changed ignore files above the folder', async () => {
    const world = openWorld({ '/s/d/x': 'x', '/s/.gitignore': 'x' })
    const tree = await world.change(emptyTree, async (draft) => {
      await draft.write(at('/.gitignore'), bytes('y'))
      await draft.delete(at('/s/.gitignore'))
    })
    const scope = branchScope(tree, world.blobs, at('/s/d'), false)
    expect(scope.hidden).toEqual(['/s/.gitignore', '/.gitignore'])
    expect(scope.overlay.map(({ path }) => path)).toEqual(['/.gitignore'])
  })
})
