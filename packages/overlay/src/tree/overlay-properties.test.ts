import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compose, invert } from '../model/patch.ts'
import { rootPath, type VirtualPath } from '../model/virtual-path.ts'
import { createMemoryTree } from '../ports/file-tree.testkit.ts'
import type { FileTree, WritableTree } from '../ports/file-tree.ts'
import { runs } from '../ports/test-size.testkit.ts'
import { mountEntries } from './mount-entries.ts'
import { createOverlayTree } from './overlay-tree.ts'
import { diffTrees, emptyTree, entriesWithin, hidesBase, patchTree, type Tree, treeHash } from './tree.ts'
import { at, bytes, openWorld, testHashing } from './tree-fixtures.testkit.ts'
import { walk } from './walk.ts'

const paths = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 3 })
  .map((names) => at(`/${names.join('/')}`))
const contents = fc.constantFrom('', 'x', 'y', 'line\n')
const operations = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constant('write' as const), paths, contents) },
    { weight: 3, arbitrary: fc.tuple(fc.constant('delete' as const), paths) },
    { weight: 3, arbitrary: fc.tuple(fc.constant('move' as const), paths, paths) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('folder' as const), paths) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('mode' as const), paths, fc.boolean()) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('link' as const), paths, fc.constantFrom('a', '../b', 'c/d', '/x')) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('fork' as const)) },
  ),
  { minLength: 1, maxLength: 40, size: 'medium' },
)
/** Small enough that some folders are deleted as a whole, unlisted. */
const pinnedFiles = fc.constantFrom(0, 1, 1_000)
/** Bytes of the largest file that is not large. */
const limits = fc.constantFrom(null, 0, 3)
type Operation = typeof operations extends fc.Arbitrary<(infer One)[]> ? One : never
/** Files that a base begins with; their folders are implied. */
const bases = fc
  .uniqueArray(fc.tuple(paths, contents), { maxLength: 8, selector: ([path]) => path })
  .map((files) =>
    files.filter(([path]) => !files.some(([other]) => path.startsWith(`${other}/`) || other.startsWith(`${path}/`))),
  )

async function run(tree: WritableTree, operation: Operation): Promise<string> {
  try {
    return JSON.stringify((await act(tree, operation)) ?? 'done')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    throw error
  }
}

function act(tree: WritableTree, operation: Operation): Promise<unknown> | undefined {
  switch (operation[0]) {
    case 'write':
      return tree.write(operation[1], bytes(operation[2]))
    case 'delete':
      return tree.delete(operation[1])
    case 'move':
      return tree.move(operation[1], operation[2])
    case 'folder':
      return tree.makeDirectory(operation[1])
    case 'mode':
      return tree.setExecutable(operation[1], operation[2])
    case 'link':
      return tree.makeSymlink(operation[1], operation[2])
    case 'fork':
      return undefined
  }
}

async function snapshot(tree: FileTree): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { path, node } of (await walk(tree, rootPath)).entries) {
    if (node.kind === 'symlink') found[path] = `-> ${node.target}`
    else if (node.kind === 'directory') found[path] = '/'
    else if (node.kind === 'file')
      found[path] =
        `${node.executable} ${node.size} ${Buffer.from(await tree.read(path, { offset: 0, length: node.size }))}`
    expect(await tree.stat(path)).toMatchObject({ kind: node.kind })
  }
  return found
}

function checkShape(tree: Tree): void {
  for (const [path, entry] of entriesWithin(tree, rootPath)) {
    if (entry.opaque || hidesBase(tree, path)) continue
    expect(entry.node === null && entry.pin === null, `${path} says nothing`).toBe(false)
  }
}

describe('overlay', () => {
  it('behaves exactly like a plain file tree after any sequence of operations and forks', async () => {
    let operationsRun = 0
    await fc.assert(
      fc.asyncProperty(bases, operations, pinnedFiles, limits, async (base, steps, pinned, most) => {
        const world = openWorld(Object.fromEntries(base), pinned, most)
        const model = createMemoryTree()
        for (const [path, content] of base) await model.write(path, bytes(content))
        let draft = world.draft()
        let forked: { tree: Tree; seen: Record<string, string> } | undefined
        for (const step of steps) {
          if (step[0] === 'fork') {
            forked = { tree: draft.tree, seen: await snapshot(model) }
            draft = world.draft(draft.tree)
            continue
          }
          operationsRun += 1
          expect([step, await run(draft, step)]).toEqual([step, await run(model, step)])
          expect(await snapshot(draft)).toEqual(await snapshot(model))
        }
        checkShape(draft.tree)
        expect(await snapshot(createOverlayTree({ ...world.sources, tree: draft.tree }))).toEqual(await snapshot(model))
        if (forked)
          expect(await snapshot(createOverlayTree({ ...world.sources, tree: forked.tree }))).toEqual(forked.seen)
      }),
      runs(300),
    )
    expect(operationsRun).toBeGreaterThan(1_000)
  }, 600_000)

  it('turns a copy of the base into the branch, entry by entry', async () => {
    await fc.assert(
      fc.asyncProperty(bases, operations, pinnedFiles, limits, async (base, steps, pinned, most) => {
        const world = openWorld(Object.fromEntries(base), pinned, most)
        const draft = world.draft()
        for (const step of steps) await run(draft, step)
        const copy = createMemoryTree()
        for (const [path, content] of base) await copy.write(path, bytes(content))
        for (const entry of mountEntries(draft.tree, world.blobs)) {
          if (await copy.stat(entry.path)) await copy.delete(entry.path)
          if (entry.kind === 'file') await copy.write(entry.path, entry.read(), { executable: entry.executable })
          if (entry.kind === 'large') {
            const content = await world.base.read(entry.from, { offset: 0, length: entry.size })
            await copy.write(entry.path, content, { executable: entry.executable })
          }
          if (entry.kind === 'symlink') await copy.makeSymlink(entry.path, entry.target)
          if (entry.kind === 'directory') await copy.makeDirectory(entry.path)
        }
        expect(await snapshot(copy)).toEqual(await snapshot(draft))
      }),
      runs(150),
    )
  }, 600_000)

  it('is empty again after every change was reversed by hand', async () => {
    await fc.assert(
      fc.asyncProperty(bases, operations, limits, async (base, steps, most) => {
        const world = openWorld(Object.fromEntries(base), undefined, most)
        const draft = world.draft()
        for (const step of steps) await run(draft, step)
        const entries = (await draft.list(rootPath))?.entries ?? []
        for (const { name } of entries) await draft.delete(at(`/${name}`))
        for (const [path, content] of base) await draft.write(path, bytes(content), { executable: false })
        expect([...entriesWithin(draft.tree, rootPath)]).toEqual([])
      }),
      runs(150),
    )
  }, 600_000)
})

describe('patches of trees', () => {
  const pairOf = async (
    base: readonly (readonly [VirtualPath, string])[],
    most: number | null,
    ...parts: Operation[][]
  ) => {
    const world = openWorld(Object.fromEntries(base), undefined, most)
    const trees = [emptyTree as Tree]
    for (const part of parts) {
      const draft = world.draft(trees.at(-1))
      for (const step of part) await run(draft, step)
      trees.push(draft.tree)
    }
    return trees
  }
  const same = (a: Tree, b: Tree) => expect([...entriesWithin(a, rootPath)]).toEqual([...entriesWithin(b, rootPath)])

  it('lead from one to the other and back, and compose', async () => {
    await fc.assert(
      fc.asyncProperty(bases, operations, operations, limits, async (base, first, second, most) => {
        const [start, middle, end] = (await pairOf(base, most, first, second)) as [Tree, Tree, Tree]
        const [p, q] = [diffTrees(start, middle), diffTrees(middle, end)]
        expect(invert(invert(p))).toEqual(p)
        same(patchTree(start, p), middle)
        same(patchTree(middle, invert(p)), start)
        same(patchTree(start, compose(p, q)), end)
        expect(compose(q, invert(q))).toEqual([])
        expect(treeHash(patchTree(end, invert(q)), testHashing)).toBe(treeHash(middle, testHashing))
        expect(treeHash(start, testHashing) === treeHash(end, testHashing)).toBe(diffTrees(start, end).length === 0)
      }),
      runs(150),
    )
  }, 600_000)
})
