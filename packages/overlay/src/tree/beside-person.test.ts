import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ancestorsOf, isWithin, joinPath, nameOf, parentOf, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import { createMemoryTree } from '../ports/file-tree.testkit.ts'
import type { FileTree } from '../ports/file-tree.ts'
import { runs } from '../ports/test-size.testkit.ts'
import { mountEntries } from './mount-entries.ts'
import type { OverlayTransaction } from './overlay-transaction.ts'
import { createOverlayTree } from './overlay-tree.ts'
import { branchScope } from './search-scope.ts'
import { emptyTree, entriesWithin, entryAt, type Tree } from './tree.ts'
import { at, bytes, openWorld, text, type World } from './tree-fixtures.testkit.ts'
import { walk } from './walk.ts'

/** Every file and link by its path. */
async function leaves(tree: FileTree): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const { path, node } of (await walk(tree, rootPath)).entries) {
    if (node.kind === 'symlink') found[path] = `-> ${node.target}`
    if (node.kind === 'file') found[path] = text(await tree.read(path))
  }
  return found
}

/** What a copy of the folder shows after the changes of the branch were written over it. */
async function copied(world: World, draft: OverlayTransaction): Promise<Record<string, string>> {
  const copy = createMemoryTree()
  for (const { path, node } of (await walk(world.base, rootPath)).entries) {
    if (node.kind === 'directory') await copy.makeDirectory(path)
    if (node.kind === 'symlink') await copy.makeSymlink(path, node.target)
    if (node.kind === 'file') await copy.write(path, await world.base.read(path))
  }
  for (const entry of mountEntries(draft.tree, world.blobs)) {
    const { kind, path } = entry
    const there = await copy.stat(path)
    if (there && !(kind === 'directory' && !entry.opaque && there.kind === 'directory')) await copy.delete(path)
    if (kind === 'directory') await copy.makeDirectory(path)
    if (kind === 'file') await copy.write(path, entry.read())
    if (kind === 'symlink') await copy.makeSymlink(path, entry.target)
  }
  return leaves(copy)
}

/** The files that a search of the branch looks at. */
function searched(world: World, draft: OverlayTransaction, onDisk: readonly string[]): readonly string[] {
  const { hidden, made = [], overlay } = branchScope(draft.tree, world.blobs, rootPath, true)
  const ofBase = onDisk.filter((path) => !made.includes(at(path)) && !hidden.some((one) => isWithin(at(path), one)))
  return [...ofBase, ...overlay.map(({ path }) => path)].sort()
}

const put = (world: World, path: string) => world.base.set(path, 'person')

describe('a folder of the branch and what the person puts there later', () => {
  const cases: readonly (readonly [
    what: string,
    base: Readonly<Record<string, string>>,
    branch: (draft: OverlayTransaction, world: World) => Promise<unknown>,
    person: (world: World) => void,
    shown: Readonly<Record<string, string>>,
  ])[] = [
    [
      'made, and a file in it',
      {},
      (draft) => draft.write(at('/docs/own'), bytes('branch')),
      (world) => put(world, '/docs/mine'),
      { '/docs/mine': 'person', '/docs/own': 'branch' },
    ],
    [
      'made empty, and a folder in it',
      {},
      (draft) => draft.makeDirectory(at('/docs')),
      (world) => put(world, '/docs/deep/mine'),
      { '/docs/deep/mine': 'person' },
    ],
    [
      'made, and the same file in it',
      {},
      (draft) => draft.write(at('/docs/own'), bytes('branch')),
      (world) => put(world, '/docs/own'),
      { '/docs/own': 'branch' },
    ],
    [
      'made, and a file in its place',
      {},
      (draft) => draft.write(at('/docs/own'), bytes('branch')),
      (world) => put(world, '/docs'),
      { '/docs/own': 'branch' },
    ],
    [
      'made, and a link to another folder in its place',
      { '/other/x': 'base' },
      (draft) => draft.write(at('/docs/own'), bytes('branch')),
      (world) => world.base.set('/docs', { kind: 'symlink', target: 'other' }),
      { '/docs/own': 'branch', '/other/x': 'base' },
    ],
    [
      'made in place of a file, and a folder there too',
      { '/docs': 'base' },
      (draft) => draft.delete(at('/docs')).then(() => draft.write(at('/docs/own'), bytes('branch'))),
      (world) => {
        world.base.remove('/docs')
        put(world, '/docs/mine')
      },
      { '/docs/mine': 'person', '/docs/own': 'branch' },
    ],
    [
      'a file of the branch, and a folder in its place',
      {},
      (draft) => draft.write(at('/docs'), bytes('branch')),
      (world) => put(world, '/docs/mine'),
      { '/docs': 'branch' },
    ],
    [
      'of the project, a file removed in it, and a file in the place of the folder',
      { '/docs/old': 'base', '/docs/x': 'base' },
      (draft) => draft.delete(at('/docs/old')),
      (world) => {
        world.base.remove('/docs')
        put(world, '/docs')
      },
      { '/docs': 'person' },
    ],
    [
      'removed, and a new file in it',
      { '/docs/old': 'base' },
      (draft) => draft.delete(at('/docs')),
      (world) => put(world, '/docs/mine'),
      {},
    ],
    [
      'removed, a file in the place of the folder, and then made again',
      { '/docs/old': 'base' },
      async (draft, world) => {
        await draft.delete(at('/docs'))
        world.base.remove('/docs')
        put(world, '/docs')
        await draft.write(at('/docs/own'), bytes('branch'))
      },
      () => undefined,
      { '/docs/own': 'branch' },
    ],
    [
      'removed and made again, and a new file and the old one in it',
      { '/docs/old': 'base' },
      (draft) => draft.delete(at('/docs')).then(() => draft.write(at('/docs/own'), bytes('branch'))),
      (world) => {
        put(world, '/docs/mine')
        put(world, '/docs/old')
      },
      { '/docs/mine': 'person', '/docs/own': 'branch' },
    ],
  ]

  it.each(cases)('%s', async (_what, base, branch, person, expected) => {
    const world = openWorld(base)
    const draft = world.draft()
    await branch(draft, world)
    person(world)
    expect(await leaves(draft)).toEqual(expected)
    expect(await leaves(createOverlayTree({ ...world.sources, tree: draft.tree }))).toEqual(expected)
    expect(await copied(world, draft)).toEqual(expected)
    for (const [path, content] of Object.entries(expected)) expect(text(await draft.read(at(path)))).toBe(content)
  })

  it('that the branch removed and made again is shown without it when it was too large to be listed', async () => {
    const world = openWorld({ '/docs/old': 'base' }, 0)
    const draft = world.draft()
    await draft.delete(at('/docs'))
    await draft.write(at('/docs/own'), bytes('branch'))
    put(world, '/docs/mine')
    expect(await leaves(draft)).toEqual({ '/docs/own': 'branch' })
    expect(await copied(world, draft)).toEqual({ '/docs/own': 'branch' })
  })

  it('is gone with it when the branch then removes the folder, and an apply would remove it as it was seen', async () => {
    const world = openWorld()
    const draft = world.draft()
    await draft.write(at('/docs/own'), bytes('branch'))
    put(world, '/docs/mine')
    await draft.delete(at('/docs'))
    expect(await leaves(draft)).toEqual({})
    expect(await draft.stat(at('/docs'))).toBeUndefined()
    expect(draft.patch().map(([path]) => path)).toEqual(['/docs', '/docs/mine'])
  })
})

const paths = fc
  .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
  .map((names) => at(`/${names.join('/')}`))
const steps = fc.array(
  fc.tuple(fc.constantFrom('branch', 'person'), fc.constantFrom('write', 'write', 'delete', 'folder', 'link'), paths),
  { minLength: 2, maxLength: 25, size: 'medium' },
)

async function byBranch(draft: OverlayTransaction, what: string, path: VirtualPath): Promise<boolean> {
  try {
    if (what === 'write') await draft.write(path, bytes('branch'))
    else if (what === 'delete') await draft.delete(path)
    else if (what === 'folder') await draft.makeDirectory(path)
    else await draft.makeSymlink(path, 'nowhere')
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

async function byPerson({ base }: World, what: string, path: VirtualPath): Promise<void> {
  // Nothing lies below a file or a link on a real disk.
  for (let above = parentOf(path); above !== rootPath; above = parentOf(above)) {
    const there = await base.statUnlinked(above)
    if (there && there.kind !== 'directory') base.remove(above)
  }
  base.remove(path)
  if (what === 'write') base.set(path, 'person')
  else if (what === 'folder') base.set(path, { kind: 'directory' })
  else if (what === 'link') base.set(path, { kind: 'symlink', target: 'nowhere' })
}

it('shows everything that the branch wrote, and everything of the person that it never had a say in', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(0, 1_000), async (story, pinnedFiles) => {
      const world = openWorld({}, pinnedFiles)
      let tree: Tree = emptyTree
      const written = new Map<VirtualPath, string>()
      const touched = new Set<VirtualPath>()
      for (const [who, what, path] of story) {
        if (who === 'person') {
          // The tools show what the person has in the place of a folder in which the branch only changed files.
          const changed = [...entriesWithin(tree, rootPath)].flatMap(([own, { node }]) => (node ? [own] : []))
          const replaces = [path, ...ancestorsOf(path)].some(
            (one) => entryAt(tree, one) === null && changed.some((own) => isWithin(own, one)),
          )
          if (!replaces) await byPerson(world, what, path)
          continue
        }
        // One draft is one call, which may remember folders. Links are followed.
        const draft = world.draft(tree)
        const follows = what === 'write' || what === 'folder'
        const real = follows ? await draft.leadsTo(path) : joinPath(await draft.leadsTo(parentOf(path)), nameOf(path))
        if (await byBranch(draft, what, path)) {
          for (const known of [...written.keys()]) if (isWithin(known, real)) written.delete(known)
          // What is as the person had it is no change any more.
          const isChange = entryAt(draft.tree, real) !== null
          if (isChange && (what === 'write' || what === 'link'))
            written.set(real, what === 'write' ? 'branch' : '-> nowhere')
          if (what !== 'folder') touched.add(real)
        }
        tree = draft.tree
        const seen = await leaves(draft)
        for (const [own, content] of written) expect([own, seen[own]]).toEqual([own, content])
        const onDisk = await leaves(world.base)
        const isFolderOfBranch = async (one: VirtualPath) => (await draft.stat(one))?.kind === 'directory'
        for (const [mine, content] of Object.entries(onDisk)) {
          const hasNoSay = ![...touched].some((one) => isWithin(at(mine), one)) && !(await isFolderOfBranch(at(mine)))
          if (hasNoSay) expect([mine, seen[mine]]).toEqual([mine, content])
        }
        expect(await copied(world, draft)).toEqual(seen)
        const files = Object.keys(seen).filter((one) => !seen[one]?.startsWith('->'))
        const plain = Object.keys(onDisk).filter((one) => !onDisk[one]?.startsWith('->'))
        expect(searched(world, draft, plain)).toEqual(files.sort())
      }
    }),
    runs(150),
  )
}, 600_000)
