import { describe, expect, it } from 'vitest'
import { emptyTree } from '../tree/tree.ts'
import { at, bytes } from '../tree/tree-fixtures.testkit.ts'
import { openBranches } from './merge-world.testkit.ts'
import { changedFile } from './resolve-conflict.ts'

describe('the change of one file', () => {
  it('is found under either path of a rename, and is that of the trees that were asked about', async () => {
    const world = openBranches({ '/a': 'a\n', '/other': 'o\n' })
    await world.edit('main', (draft) => draft.move(at('/a'), at('/b')))
    const first = world.head('main')
    await world.edit('main', (draft) => draft.write(at('/other'), bytes('more\n')))
    const second = world.head('main')
    const ask = (from = emptyTree, to = first, path = '/b') => changedFile(world, from, to, at(path))
    for (const path of ['/a', '/b'])
      expect(await ask(emptyTree, first, path)).toMatchObject({ path: '/b', renamedFrom: '/a', before: { size: 2 } })
    expect(await ask(emptyTree, first, '/other')).toBeUndefined()
    expect(await ask(emptyTree, second, '/other')).toMatchObject({ before: { size: 2 }, after: { size: 5 } })
    expect(await ask(first, second)).toBeUndefined()
    expect(await ask(emptyTree, second)).toMatchObject({ renamedFrom: '/a' })
  })

  it('is read again where a whole folder was deleted and a file appears in it on disk', async () => {
    const world = openBranches({ '/many/one': '1\n', '/many/two': '2\n', '/many/three': '3\n' }, 1)
    await world.edit('main', (draft) => draft.delete(at('/many')))
    const ask = () => changedFile(world, emptyTree, world.head('main'), at('/many/late'))
    expect(await ask()).toBeUndefined()
    world.base.set('/many/late', 'late\n')
    expect(await ask()).toMatchObject({ before: { size: 5 }, after: null })
  })
})
