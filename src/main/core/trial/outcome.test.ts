import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOverlayTransaction, emptyTree, patchTree, type Tree, treeHash, wholeChanges } from '#overlay'
import { at, bytes, openWorld, testHashing } from '#overlay/testkit'
import type { Outcome } from '#shared/model/calls/outcome.ts'
import type { BlobHash, LayerId, ToolCallId } from '#shared/model/ids.ts'
import { FileTreeError } from '../ports/file-tree.ts'
import { runs } from '../ports/test-size.testkit.ts'
import { type Kept, keep, keepSome, type Now } from './outcome.ts'

const layer = 'layer' as LayerId
const world = openWorld({ '/a': 'a', '/b/c': 'c' })
const nowIn = (tree: Tree): Now => ({
  ...{ tree, hash: treeHash(tree, testHashing), environment: [layer] },
  changesBetween: (from, to) => wholeChanges({ base: world.base, from, to }),
  whyElse: async () => null,
})
const now = nowIn(emptyTree)

/** What a trial on the base alone did. */
const outcomeOf = (patch: Outcome['patch']): Outcome => ({
  ...{ input: {}, edited: false, tree: now.hash, environment: [layer], after: null, ranAgain: null, patch },
  ...{ layers: null, result: '' as BlobHash, exitCode: 0, refusedHosts: [], ignoredChanges: 0, reads: [] },
  ...{ places: [{ path: at('/inputs/x'), blob: null }], declares: [], durationMs: 0 },
})

describe('keep', () => {
  const outcome = outcomeOf([])

  it('keeps all of an outcome on what it ran on', async () => {
    expect(await keep(outcome, now)).toEqual({ kind: 'kept', patch: [], places: outcome.places, left: [] })
  })

  it.each<[string, Outcome, Now, string]>([
    ['another tree', outcome, { ...now, hash: 'other' }, 'the branch changed'],
    [
      'another tree, after one that is not kept',
      { ...outcome, after: 'one' as ToolCallId },
      { ...now, hash: 'other' },
      'what an earlier command changed was not kept',
    ],
    ['fewer layers', outcome, { ...now, environment: [] }, 'what commands find in ignored files changed'],
    ['other layers', outcome, { ...now, environment: ['b' as LayerId] }, 'what commands find in ignored files changed'],
    ['another disk', outcome, { ...now, whyElse: async () => 'It changed on disk.' }, 'changed on disk'],
  ])('refuses %s, in whole and in part', async (_, ran, there, reason) => {
    const stale = { kind: 'stale', reason: expect.stringContaining(reason) }
    expect([await keep(ran, there), await keepSome(ran, [at('/')], there)]).toEqual([stale, stale])
  })
})

describe('keepSome', () => {
  const paths = fc.constantFrom(...['/a', '/b', '/b/c', '/b/d', '/e', '/e/f'].map(at))
  const step = fc.oneof(
    fc.tuple(fc.constant('write' as const), paths),
    fc.tuple(fc.constant('delete' as const), paths),
    fc.tuple(fc.constant('move' as const), paths, paths),
  )
  type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

  /** The outcome of a run that took these steps, as far as they were possible. */
  async function ran(steps: readonly Step[]): Promise<Outcome> {
    const branch = createOverlayTransaction({ ...world, hashing: testHashing, tree: emptyTree, now: () => 0 })
    for (const [kind, path, to = path] of steps) {
      const taken =
        kind === 'write'
          ? branch.write(path, bytes('new'))
          : kind === 'delete'
            ? branch.delete(path)
            : branch.move(path, to)
      await taken.catch((error: unknown) => {
        if (!(error instanceof FileTreeError)) throw error
      })
    }
    return outcomeOf(branch.patch())
  }

  async function changedIn(kept: Kept): Promise<readonly string[]> {
    if (kept.kind === 'stale') throw new Error(kept.reason)
    const changes = await now.changesBetween(emptyTree, patchTree(emptyTree, kept.patch))
    return changes.flatMap(({ path, renamedFrom }) => (renamedFrom ? [renamedFrom, path] : [path]))
  }

  it('of every path keeps all, of no path no file, and says what it leaves', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const outcome = await ran(steps)
      const all = await changedIn(await keep(outcome, now))
      const [whole, none] = [await keepSome(outcome, [at('/')], now), await keepSome(outcome, [], now)]
      expect([await changedIn(whole), whole]).toMatchObject([all, { left: [], places: outcome.places }])
      expect(await changedIn(none)).toEqual([])
      expect(none).toMatchObject({ places: [], left: expect.arrayContaining([...all, '/inputs/x']) })
    })
    await fc.assert(property, runs(60))
  })

  it('loses no change: each one is kept or named as left', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 6 }), fc.array(paths), async (steps, chosen) => {
      const outcome = await ran(steps)
      const kept = await keepSome(outcome, chosen, now)
      const [all, some] = [await changedIn(await keep(outcome, now)), await changedIn(kept)]
      const left: readonly string[] = kept.kind === 'kept' ? kept.left : []
      expect(new Set([...some, ...left])).toEqual(new Set([...all, '/inputs/x']))
      expect(some.filter((path) => left.includes(path))).toEqual([])
    })
    await fc.assert(property, runs(60))
  })
})
