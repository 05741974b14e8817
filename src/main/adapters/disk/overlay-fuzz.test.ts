import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scopeOf } from '#core/ports/search.contract.ts'
import { runs, timeLimit } from '#core/ports/test-size.testkit.ts'
import { branchScope, type Tree } from '#overlay'
import { createMemoryTree } from '#overlay/testkit'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createRipgrepSearch } from '../search/ripgrep-search.ts'
import { beginning, type Operation, operate, operation } from './overlay-operations.testkit.ts'
import { createOverlayWorld, outcomeOf } from './overlay-world.testkit.ts'
import { changeFolder, fileIn, snapshotFolder } from './real-folder.testkit.ts'
import { plainDiff, type Snapshot, snapshotOf } from './tree-snapshot.testkit.ts'

/**
 * Compares the overlay over a real folder with two witnesses: a plain map in memory, and a copy of the folder changed
 * by system calls. List, stat, read and diff are compared after every operation, grep and glob after every hundredth.
 */
const stepsOfRun = 100
const size = runs(80, 10_000)
const { numRuns } = size
const searchEvery = 100
const globs = ['**', '**/*.ts', 'a/**', '[!b]*', '**/*']
const signal = new AbortController().signal
const modelPlace = '/model'
const counts = { operations: 0, searches: 0, found: 0 }

it(`${numRuns * stepsOfRun} operations on the overlay have the same result as on a model and on a real folder`, {
  timeout: timeLimit(600_000),
}, async () => {
  const steps = fc.array(operation, { minLength: stepsOfRun, maxLength: stepsOfRun })
  const pinnedFiles = fc.constantFrom(0, 1, 1_000)
  // With a limit of a few bytes, large files take part in everything except a search for text.
  const limits = fc.constantFrom(undefined, undefined, 0, 3)
  await fc.assert(
    fc.asyncProperty(beginning, steps, pinnedFiles, limits, async (start, run, pinned, most) => {
      const folder = mkdtempSync(join(tmpdir(), 'coppice-fuzz-'))
      try {
        await compareRun(folder, start, run, pinned, most)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }),
    size,
  )
  console.log(`${counts.operations} operations, ${counts.searches} searches with ${counts.found} hits, 0 differences`)
  expect(counts.operations).toBeGreaterThanOrEqual(numRuns * stepsOfRun)
  expect(counts.found).toBeGreaterThan(counts.searches)
})

async function compareRun(
  folder: string,
  start: readonly Operation[],
  run: readonly Operation[],
  pinned: number,
  most: number | undefined,
) {
  const [place, copy] = [join(folder, 'base'), join(folder, 'copy')]
  const model = createMemoryTree(modelPlace)
  for (const root of [place, copy]) mkdirSync(root)
  for (const step of start) {
    if (step.do === 'fork' || !(await outcomeOf(() => operate(model, step, modelPlace, undefined))).ok) continue
    for (const root of [place, copy]) changeFolder(root, step, undefined)
  }
  const world = createOverlayWorld(place, pinned, most)
  const base = await world.snapshot()
  using searches = openSearches(place, copy)
  const visible = new Set(await searches.visible())
  /** Of a folder that was removed or moved as a whole, ignored files of the person may stay. */
  const withoutIgnored = (said: Snapshot): Snapshot =>
    new Map([...said].filter(([path, change]) => !change.endsWith('=> nothing') || visible.has(path)))
  let forked: { readonly tree: Tree; readonly seen: Snapshot } = { tree: world.tree, seen: base }
  let copied = snapshotFolder(copy)
  for (const [index, step] of run.entries()) {
    counts.operations += 1
    if (step.do === 'fork') {
      expectSame(await world.snapshot(forked.tree), forked.seen, 'an earlier fork')
      forked = { tree: world.tree, seen: await world.snapshot() }
      continue
    }
    const before = step.do === 'restore' ? fileIn(place, step.path) : undefined
    const { tree } = world
    const outcome = await outcomeOf(() => operate(model, step, modelPlace, before))
    const done = await world.change(step, before)
    if (done !== outcome.said) expect([step, done]).toEqual([step, outcome.said])
    // A refused operation leaves the tree that the last comparison saw.
    if (outcome.ok || world.tree !== tree) {
      changeFolder(copy, step, before)
      copied = snapshotFolder(copy)
      const [seen, wanted] = [await world.snapshot(), await snapshotOf(model, modelPlace)]
      expectSame(seen, wanted, step)
      expectSame(copied, wanted, step)
      const { said, strays } = await world.diff()
      expectSame(withoutIgnored(said), withoutIgnored(plainDiff(base, seen)), step)
      if (strays.length > 0) expect([step, strays]).toEqual([step, []])
    }
    if ((index + 1) % searchEvery === 0 && most === undefined) await searches.compare(world)
  }
  expectSame(await world.snapshot(forked.tree), forked.seen, 'an earlier fork')
  expectSame(snapshotFolder(copy), copied, 'the copy')
  expectSame(snapshotFolder(place), base, 'the real folder')
}

type World = Pick<ReturnType<typeof createOverlayWorld>, 'tree' | 'blobs'>

/** Runs the same searches through the branch and on the copy, which has no overlay. */
function openSearches(place: string, copy: string) {
  const [branch, plain] = [place, copy].map((rootFolder) =>
    createRipgrepSearch({ rootFolder, temporaryFolder: `${rootFolder}-temporary` }),
  ) as [ReturnType<typeof createRipgrepSearch>, ReturnType<typeof createRipgrepSearch>]
  const query = { pattern: 'needle|x$', context: 1, caseInsensitive: false, literal: false, multiline: false }
  return {
    /** What no rule of the folder ignores, before anything changed. */
    visible: (): Promise<readonly string[]> => plain.files([], scopeOf({ path: '/' as VirtualPath }), signal),
    async compare({ tree, blobs }: World): Promise<void> {
      counts.searches += 1
      const path = (counts.searches % 2 === 0 ? '/' : '/a') as VirtualPath
      const [scope, whole] = [branchScope(tree, blobs, path, false), scopeOf({ path })]
      const everything = scopeOf({ path, includeIgnored: true })
      const changed = new Set(scope.overlay.map((one) => one.path))
      const [found, wanted, all] = await Promise.all([
        branch.grep(query, scope, signal),
        plain.grep(query, whole, signal),
        plain.grep(query, everything, signal),
      ])
      // What the branch changed is found, whatever a rule of the copy says.
      const seen = new Set(wanted.files.map((one) => one.path))
      const files = all.files.filter((one) => seen.has(one.path) || changed.has(one.path))
      expect(found.files).toEqual(files)
      counts.found += files.length
      // Every search is programs to start, so each comparison takes the next of the patterns.
      const glob = globs[counts.searches % globs.length] ?? '**'
      const [names, visible, every] = await Promise.all([
        branch.files([glob], scope, signal),
        plain.files([glob], whole, signal),
        plain.files([glob], everything, signal),
      ])
      const shown = every.filter((one) => visible.includes(one) || changed.has(one))
      expect([glob, names]).toEqual([glob, shown])
    },
    [Symbol.dispose]: () => [branch, plain].forEach((search) => void search[Symbol.dispose]()),
  }
}

function expectSame(found: Snapshot, wanted: Snapshot, about: unknown): void {
  const flat = (seen: Snapshot) => [...seen].join('\n')
  if (flat(found) !== flat(wanted)) expect([about, ...found]).toEqual([about, ...wanted])
}
