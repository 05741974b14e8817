import fc from 'fast-check'
import { expect, it } from 'vitest'
import { rankPaths } from '#core/paths/rank-paths.ts'
import { runs } from '#core/ports/test-size.testkit.ts'
import { joinPath, nameOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { findNames } from './find-names.ts'
import { joinNames } from './folder-table.ts'

const name = fc.string({
  unit: fc.constantFrom('a', 'A', 'b', '.', 'é', 'É', 'İ', 'ß', '\n'),
  minLength: 1,
  maxLength: 4,
})
const path = fc
  .array(name, { minLength: 1, maxLength: 4 })
  .map((names) => names.reduce<VirtualPath>((above, each) => joinPath(above, each), rootPath))
const text = fc.string({ unit: fc.constantFrom('a', 'B', '/', '.', 'é', 'i', '\0'), maxLength: 4 })

it('finds what a look at every path finds, in the same order', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(path, { maxLength: 40 }),
      text,
      fc.integer({ min: 1, max: 10 }),
      (paths, wanted, limit) => {
        const folders = Map.groupBy(paths, parentOf)
        const tables = [...folders].map(([folder, held]) => ({ path: folder, names: joinNames(held.map(nameOf)) }))
        expect(findNames(tables, wanted, limit)).toEqual(rankPaths(paths, wanted, limit))
      },
    ),
    runs(300),
  )
})
