import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  emptyTree,
  entriesWithin,
  goBack,
  invertibleOn,
  listChanges,
  patchTree,
  planRevert,
  readNode,
  type Tree,
} from '#overlay'
import { at, bytes, openBranches, openWorld } from '#overlay/testkit'
import { invert } from '#shared/model/patch.ts'
import { isLarge } from '#shared/model/tree-node.ts'
import { rootPath } from '#shared/model/virtual-path.ts'
import type { ApplyStep } from '../ports/disk-apply.ts'
import { repeats, runs } from '../ports/test-size.testkit.ts'
import { companionOf, companionsOf, isFileStep } from './apply-companions.ts'
import { patchAfterApply, planApply } from './apply-plan.ts'

describe('going back', () => {
  it('resets chosen paths to the base: renames as a whole, folders with their content', async () => {
    const world = openBranches({ '/a': 'a', '/s/x': 'x', '/s/d/y': 'y', '/k': 'k' })
    await world.edit('main', async (draft) => {
      await draft.move(at('/a'), at('/new/b'))
      await draft.delete(at('/s'))
      await draft.write(at('/k'), bytes('K'))
    })
    const revert = (...paths: string[]) => world.change('main', planRevert(world.head('main'), paths.map(at)))
    revert('/s/x')
    await world.expectFiles('main', { '/new/b': 'a', '/s/x': 'x', '/k': 'K' })
    revert('/s')
    await world.expectFiles('main', { '/new/b': 'a', '/s/x': 'x', '/s/d/y': 'y', '/k': 'K' })
    revert('/a')
    expect(await world.files('main')).toMatchObject({ '/a': 'a', '/s/x': 'x', '/k': 'K' })
    expect([...entriesWithin(world.head('main'), rootPath)].map(([path]) => path)).toEqual(['/k'])
    revert('/')
    expect(world.head('main').root).toBeNull()
  })

  it('moves a folder back as a whole, however many files it held', async () => {
    const files = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`/old/${index}`, `${index}`]))
    const world = openBranches(files, 10_000)
    await world.edit('main', (draft) => draft.move(at('/old'), at('/new')))
    world.change('main', planRevert(world.head('main'), [at('/new')]))
    expect(world.head('main').root).toBeNull()
  })

  it.each([1_000, 0])('treats half of a moved folder as all of it, with up to %i files pinned', async (pinned) => {
    const world = openBranches({ '/s/x': 'x', '/s/y': 'y' }, pinned)
    await world.edit('main', (draft) => draft.move(at('/s'), at('/t')))
    const moved = world.head('main')
    const { base, blobs, hashing } = world
    const steps = await planApply({ base, blobs, hashing, tree: moved, paths: [at('/t')] })
    expect(steps.filter(({ after }) => !after).map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/s/x', '/s/y']),
    )
    world.change('main', planRevert(moved, [at('/t')]))
    await world.expectFiles('main', { '/s/x': 'x', '/s/y': 'y' })
  })

  it('restores a folder that was deleted as a whole', async () => {
    const world = openBranches({ '/s/x': 'x', '/s/d/y': 'y' }, 0)
    await world.edit('main', async (draft) => {
      await draft.delete(at('/s'))
      await draft.write(at('/s/new'), bytes('n'))
    })
    await world.expectFiles('main', { '/s/new': 'n' })
    world.change('main', planRevert(world.head('main'), [at('/s/x')]))
    await world.expectFiles('main', { '/s/x': 'x', '/s/d/y': 'y' })
  })

  it('resets paths of a branch to its fork point', async () => {
    const world = openBranches({ '/a': 'a', '/b': 'b' })
    await world.edit('main', (draft) => draft.write(at('/a'), bytes('parent')))
    world.fork('child')
    await world.edit('child', async (draft) => {
      await draft.write(at('/a'), bytes('child'))
      await draft.move(at('/b'), at('/c'))
    })
    const patch = goBack(world.head('child'), world.forkPoint('child'), [at('/a')])
    world.change('child', patch)
    await world.expectFiles('child', { '/a': 'parent', '/c': 'b' })
    expect(invertibleOn(world.head('child'), patch)).toBe(true)
    world.change('child', invert(patch))
    await world.expectFiles('child', { '/a': 'child', '/c': 'b' })
    expect(invertibleOn(world.head('child'), patch)).toBe(false)
  })

  it('with all paths restores the base after any edits, and its inverse restores the tree', async () => {
    await fc.assert(
      fc.asyncProperty(edits, pinned, most, async (steps, limit, largest) => {
        const { tree } = await edited(steps, limit, largest)
        const patch = planRevert(tree, [rootPath])
        expect(patchTree(tree, patch).root).toBeNull()
        expect([...entriesWithin(patchTree(emptyTree, invert(patch)), rootPath)]).toEqual([
          ...entriesWithin(tree, rootPath),
        ])
      }),
      runs(150),
    )
  })
})

describe('apply', () => {
  it('removes no folder whose place a moved file had taken', async () => {
    const steps = [
      ['delete', at('/q/d'), ''],
      ['write', at('/q/d'), 'x'],
      ['move', at('/q'), '/p/d/e'],
    ] as const
    const { world, tree } = await edited([...steps].map((step) => [...step]) as Parameters<typeof edited>[0], 0)
    const plan = await planApply({ ...world.sources, tree, paths: [at('/p')] })
    expect(plan.filter(({ after }) => after === null).map(({ path }) => path)).not.toContain('/q/d')
  })

  it('takes a large file along that lies in the way of a chosen one', async () => {
    const steps = [
      ['move', at('/p/b'), '/p/d'],
      ['move', at('/q/d'), '/p/b'],
      ['move', at('/p'), '/q/d/e'],
    ] as const
    const { world, tree } = await edited([...steps].map((step) => [...step]) as Parameters<typeof edited>[0], 1000, 2)
    const plan = await planApply({ ...world.sources, tree, paths: [at('/p/a')] })
    const written = plan.map(({ path }) => path)
    expect(written).toContain('/q/d/e')
    expect(written).toContain('/q/d/e/b/e')
  })

  it('names beforehand every file that an apply of some files takes along', async () => {
    let along = 0
    await fc.assert(
      fc.asyncProperty(edits, pinned, most, fc.nat(), async (steps, limit, largest, seed) => {
        const { world, tree } = await edited(steps, limit, largest)
        const listed = (await listChanges({ ...world.sources, from: emptyTree, to: tree })).map(({ path }) => path)
        const chosen = listed.filter((_, index) => (seed >> (index % 16)) % 2 === 1)
        const plan = await planApply({ ...world.sources, tree, paths: null })
        const named = companionsOf(tree, plan, listed)
        const seen = new Map(chosen.flatMap((path) => (named.get(path) ?? []).map((one) => [one.path, one])))
        const planned = await planApply({ ...world.sources, tree, paths: chosen })
        for (const step of planned) {
          if (chosen.includes(step.path) || !isFileStep(step)) continue
          expect(seen.get(step.path)).toEqual(companionOf(step))
          along += 1
        }
      }),
      runs(300),
    )
    expect(along).toBeGreaterThan(repeats(10, 20))
  }, 600_000)

  it('writes what the overlay shows, empties the overlay, and is undone by the inverse of its patch', async () => {
    let applied = 0
    await fc.assert(
      fc.asyncProperty(
        edits,
        pinned,
        most,
        fc.option(fc.subarray(['/p', '/q', '/p/a', '/q/d'])),
        async (steps, limit, largest, chosen) => {
          const { world, tree } = await edited(steps, limit, largest)
          const write = createWriter(world)
          const shown = await filesOf(world, tree)
          const base = await filesOf(world, emptyTree)
          const plan = await planApply({ ...world.sources, tree, paths: chosen?.map(at) ?? null })
          for (const { path, before } of plan)
            expect(await stateOf(world, path)).toBe(await describeNode(world, before))
          await write(plan)
          applied += plan.length
          const patch = patchAfterApply(tree, plan)
          const after = patchTree(tree, patch)
          expect(await filesOf(world, after)).toEqual(shown)
          if (chosen === null) expect([...entriesWithin(after, rootPath)]).toEqual([])
          expect(invertibleOn(after, patch)).toBe(true)
          await write(
            patch.flatMap(([path, [entry]]) => (entry ? [{ path, before: entry.node, after: entry.pin }] : [])),
          )
          expect(await filesOf(world, emptyTree)).toEqual(base)
          expect(await filesOf(world, patchTree(after, invert(patch)))).toEqual(shown)
        },
      ),
      runs(300),
    )
    expect(applied).toBeGreaterThan(repeats(300, 300))
  }, 600_000)
})

const paths = fc
  .tuple(fc.constantFrom('p', 'q'), fc.constantFrom('a', 'b', 'd', 'd/e'))
  .map(([top, name]) => at(`/${top}/${name}`))
const folders = fc.constantFrom('/p', '/q', '/q/d').map(at)
const pinned = fc.constantFrom(0, 1_000)
/** Bytes of the largest file that is not large; null when none is. */
const most = fc.constantFrom(null, 0, 2)
const edits = fc.array(
  fc.oneof(
    fc.tuple(fc.constant('write' as const), paths, fc.constantFrom('x', 'y', '')),
    fc.tuple(fc.constant('delete' as const), fc.oneof(paths, folders), fc.constant('')),
    fc.tuple(fc.constant('move' as const), fc.oneof(paths, folders), paths),
  ),
  { maxLength: 8, size: 'medium' },
)

async function edited(
  steps: typeof edits extends fc.Arbitrary<infer All> ? All : never,
  limit: number,
  most: number | null = null,
) {
  const world = openWorld({ '/p/a': 'pa', '/p/b': 'pb', '/q/d/e': 'qde', '/q/a': 'qa' }, limit, most)
  const tree = await world.change(emptyTree, async (draft) => {
    for (const [kind, path, detail] of steps) {
      const done =
        kind === 'write'
          ? draft.write(path, bytes(detail))
          : kind === 'delete'
            ? draft.delete(path)
            : draft.move(path, at(detail))
      await Promise.resolve(done).catch((error: Error) => {
        if (error.name !== 'FileTreeError') throw error
      })
    }
  })
  return { world, tree }
}

type World = ReturnType<typeof openWorld>

async function filesOf(world: World, tree: Tree): Promise<Record<string, string>> {
  const branches = world.draft(tree)
  const found: Record<string, string> = {}
  const visit = async (folder: string): Promise<void> => {
    for (const { name, node } of (await branches.list(at(folder || '/')))?.entries ?? []) {
      if (node.kind === 'directory') await visit(`${folder}/${name}`)
      else found[`${folder}/${name}`] = new TextDecoder().decode(await branches.read(at(`${folder}/${name}`), all))
    }
  }
  await visit('')
  return found
}

/** A range that holds all of a file, even of a large one. */
const all = { offset: 0, length: 1_000 }

/**
 * Does what a writer of the disk does, in its order: deletions, then new content, then folders left empty. Keeps the
 * large files that it deletes.
 */
function createWriter(world: World) {
  const kept = new Map<string, Uint8Array>()
  return async (steps: readonly Pick<ApplyStep, 'path' | 'before' | 'after'>[]): Promise<void> => {
    for (const { path, before } of steps) if (isLarge(before)) kept.set(before.blob, await world.base.read(path, all))
    write(world, steps, kept)
  }
}

function write(
  world: World,
  steps: readonly Pick<ApplyStep, 'path' | 'before' | 'after'>[],
  kept: ReadonlyMap<string, Uint8Array>,
): void {
  for (const { path, before, after } of steps)
    if (before && (!after || before.kind !== after.kind)) world.base.remove(path)
  for (const { path, after } of steps) {
    if (after?.kind === 'file')
      world.base.set(path, {
        kind: 'file',
        content: kept.get(after.blob) ?? readNode(world.blobs, after),
        executable: after.executable,
      })
    else if (after?.kind === 'directory') world.base.set(path, { kind: 'directory' })
  }
}

async function stateOf(world: World, path: ReturnType<typeof at>): Promise<string> {
  const node = await world.base.stat(path)
  if (node?.kind !== 'file') return node?.kind ?? 'absent'
  return new TextDecoder().decode(await world.base.read(path, all))
}

async function describeNode(world: World, node: ApplyStep['before']): Promise<string> {
  if (node?.kind !== 'file') return node?.kind ?? 'absent'
  const bytes = isLarge(node) ? await world.base.read(node.large.path, all) : readNode(world.blobs, node)
  return new TextDecoder().decode(bytes)
}
