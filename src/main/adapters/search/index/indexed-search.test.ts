import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scopeOf } from '#core/ports/search.contract.ts'
import { type GrepOutcome, type GrepQuery, type Search, SearchError } from '#core/ports/search.ts'
import { runs, timeLimit } from '#core/ports/test-size.testkit.ts'
import { createRipgrepSearch } from '../ripgrep-search.ts'
import { untilReady, workerPath } from './index-world.testkit.ts'
import {
  changeProject,
  createDraw,
  type Draw,
  makeProject,
  randomPath,
  randomQuery,
  randomText,
} from './random-project.testkit.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'

const signal = new AbortController().signal
const rounds = 10
const queriesOfRound = 5
const size = runs(2, 400)
const counts = { searches: 0, narrowed: 0, hits: 0 }

/**
 * Breaks that this test notices, each of them tried: signatures for UTF-16, a changed folder that counts as clean, an
 * optional part or one branch of a pattern that is required, and one of the breaks of `index-changes.test.ts`.
 */
it(`${size.numRuns * rounds * queriesOfRound} searches with an index find what ripgrep finds in a copy, while files change`, {
  timeout: timeLimit(120_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), async (seed) => compareRun(createDraw(seed))),
    { ...size, endOnFailure: true },
  )
  console.log(
    `${counts.searches} searches, ${counts.narrowed} with the index, ${counts.hits} files found, 0 differences`,
  )
  expect(counts.narrowed).toBeGreaterThan(process.platform === 'linux' ? counts.searches / 8 : -1)
})

async function compareRun(draw: Draw): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-indexed-')))
  const root = join(folder, 'root')
  mkdirSync(root)
  try {
    makeProject(root, draw)
    await using index = counted(
      createSearchIndex({ folder: join(folder, 'index'), rootFolder: root, hidden: null, workerPath, restMs: 20 }),
    )
    using search = createRipgrepSearch({ rootFolder: root, temporaryFolder: join(folder, 'temporary'), index })
    for (let round = 0; round < rounds; round += 1) {
      // Some searches come while the index is made, and some while it is complete but for the last changes.
      if (draw.below(3) > 0) await untilReady(index)
      for (let count = draw.below(4); count > 0; count -= 1) changeProject(root, draw)
      await compareRound(folder, search, draw)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function compareRound(folder: string, search: Search, draw: Draw): Promise<void> {
  const [root, copy] = [join(folder, 'root'), join(folder, 'copy')]
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true })
  const overlay: Record<string, Uint8Array> = {}
  for (let count = draw.below(4); count > 0; count -= 1) overlay[randomPath(draw)] = randomText(draw)
  const possible = Object.fromEntries(
    Object.entries(overlay).filter(([path, bytes]) => writeOver(join(copy, path), bytes)),
  )
  using plain = createRipgrepSearch({ rootFolder: copy, temporaryFolder: join(folder, 'plain') })
  for (let count = queriesOfRound; count > 0; count -= 1) {
    const query = randomQuery(draw)
    const path = draw.of(['/', '/', '/', '/src', '/nested', '/docs'])
    const scope = scopeOf({
      path,
      overlay: possible,
      hidden: Object.keys(possible),
      includeIgnored: draw.below(8) === 0,
    })
    const [found, wanted] = await Promise.all([
      outcomeOf(search, query, scope),
      outcomeOf(plain, query, { ...scopeOf({ path }), includeIgnored: scope.includeIgnored }),
    ])
    counts.searches += 1
    counts.hits += Array.isArray(wanted) ? wanted.length : 0
    expect([query, path, found]).toEqual([query, path, wanted])
  }
  rmSync(copy, { recursive: true })
}

/** False where the copy has no place for such a file, as beside a file in place of its folder. */
function writeOver(location: string, bytes: Uint8Array): boolean {
  try {
    mkdirSync(dirname(location), { recursive: true })
    rmSync(location, { force: true })
    writeFileSync(location, bytes)
    return true
  } catch {
    return false
  }
}

async function outcomeOf(search: Search, query: GrepQuery, scope: Parameters<Search['grep']>[1]) {
  try {
    const { files, binarySkipped }: GrepOutcome = await search.grep(query, scope, signal)
    return [...files, { binarySkipped }]
  } catch (error) {
    if (error instanceof SearchError) return error.message
    throw error
  }
}

function counted(index: SearchIndex): SearchIndex {
  const { candidates } = index
  index.candidates = async (query, path) => {
    const found = await candidates(query, path)
    if (found) counts.narrowed += 1
    return found
  }
  return index
}
