import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rankPaths } from '#core/paths/rank-paths.ts'
import { runs } from '#core/ports/test-size.testkit.ts'
import { joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { findNames } from './find-names.ts'
import { joinNames, namesOf } from './folder-table.ts'
import { foldersOf, foldersWith, joinFolders, type NamedFolder } from './names-list.ts'

const name = fc.string({
  unit: fc.constantFrom('a', 'A', 'b', '.', 'é', 'É', '\n', 'ß'),
  minLength: 1,
  maxLength: 3,
})
/** In lower case, one of these letters is two. */
const oddName = fc.oneof(name, fc.constant('İa'))
const text = fc.string({ unit: fc.constantFrom('a', 'B', '/', '.', 'é', 'i', '\0'), maxLength: 4 })

function folders(names: fc.Arbitrary<string>): fc.Arbitrary<readonly NamedFolder[]> {
  const path = fc
    .array(names, { maxLength: 3 })
    .map((above) => above.reduce<VirtualPath>((path, each) => joinPath(path, each), rootPath))
  const folder = fc.record({ path, names: fc.uniqueArray(names, { maxLength: 4 }).map(joinNames) })
  return fc.uniqueArray(folder, { maxLength: 8, selector: ({ path }) => path })
}

describe('a list of names', () => {
  it('holds every folder as it was', () => {
    fc.assert(
      fc.property(folders(oddName), (given) => {
        expect([...foldersOf(joinFolders(given))]).toEqual(given)
      }),
      runs(300),
    )
  })

  it.each([
    ['names', name],
    ['names whose lower case is longer', oddName],
  ])('finds among %s what a look at every path finds', (_, names) => {
    fc.assert(
      fc.property(folders(names), text, fc.integer({ min: 1, max: 10 }), (given, wanted, limit) => {
        const paths = given.flatMap((folder) => namesOf(folder).map((each) => joinPath(folder.path, each)))
        const found = findNames(foldersWith(joinFolders(given), wanted), wanted, limit)
        expect(found).toEqual(rankPaths(paths, wanted, limit))
      }),
      runs(500),
    )
  })

  it('looks at few folders for a rare name', () => {
    const given = Array.from({ length: 100 }, (_, at) => ({
      path: `/part-${at}` as VirtualPath,
      names: joinNames([`a-${at}.ts`, `b-${at}.ts`]),
    }))
    const paths = (wanted: string) => [...foldersWith(joinFolders(given), wanted)].map(({ path }) => path)
    expect(paths('A-77.ts')).toEqual(['/part-77'])
    expect(paths('part-77/a')).toHaveLength(100)
    expect(paths('none')).toEqual([])
  })
})
