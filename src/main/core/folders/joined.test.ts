import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BaseFixture,
  createMemoryBaseTree,
  createMemoryBlobStore,
  createOverlayTransaction,
  emptyTree,
} from '#overlay'
import type { BlobHash } from '#shared/model/ids.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { ApplyStep, DiskApply } from '../ports/disk-apply.ts'
import { scopeOf } from '../ports/search.contract.ts'
import { createMemorySearch } from '../ports/search.testkit.ts'
import type { Search } from '../ports/search.ts'
import type { Watcher } from '../ports/watcher.ts'
import { contentGlobBelow, globsBelow } from './globs-below.ts'
import { joinApplies } from './join-applies.ts'
import { joinBases } from './join-bases.ts'
import { joinSearches } from './join-searches.ts'
import { joinWatchers } from './join-watchers.ts'

const at = (path: string) => path as VirtualPath
const never = new AbortController().signal
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const hashing = {
  hash: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash,
  gitObjectId: () => '',
}

function openBoth(own: Record<string, BaseFixture>, library: Record<string, BaseFixture>) {
  const [first, second] = [createMemoryBaseTree(own), createMemoryBaseTree(library)]
  const lib = at('/lib')
  const base = joinBases([
    { root: rootPath, path: '/home/me/app', base: first },
    { root: lib, path: '/home/me/lib', base: second },
  ])
  const search = joinSearches([
    { root: rootPath, search: createMemorySearch(first) },
    { root: lib, search: createMemorySearch(second) },
  ])
  return { base, search, first, second }
}

describe('two folders as one', () => {
  it('have one tree, in which each path is that of its folder', async () => {
    const { base } = openBoth({ '/a': 'own', '/z/b': 'own too' }, { '/a': 'library', '/deep/b': 'its own' })
    expect((await base.list(rootPath))?.entries.map(({ name }) => name)).toEqual(['a', 'lib', 'z'])
    expect((await base.list(at('/lib')))?.entries.map(({ name }) => name)).toEqual(['a', 'deep'])
    expect(text(await base.read(at('/a')))).toBe('own')
    expect(text(await base.read(at('/lib/a')))).toBe('library')
    expect(await base.stat(at('/lib'))).toMatchObject({ kind: 'directory' })
    expect(await base.stat(at('/deep'))).toBeUndefined()
    await expect(base.read(at('/lib/none'))).rejects.toMatchObject({ path: '/lib/none', code: 'not_found' })
  })

  // Mutation: give the globs to each folder as they are in `joinSearches`, and `lib/*.x` finds nothing.
  it('find files by globs as one folder with the same files does', async () => {
    const own = { '/a': 'w', '/a.x': 'w', '/d/a': 'w', '/d/lib/a.x': 'w' }
    const library = { '/a': 'w', '/a.x': 'w', '/d/a': 'w', '/d/e/a.x': 'w', '/lib/a': 'w' }
    const { search } = openBoth(own, library)
    const below = Object.entries(library).map(([path, content]) => [`/lib${path}`, content])
    const one = createMemorySearch(createMemoryBaseTree({ ...own, ...Object.fromEntries(below) }))
    const segment = fc.constantFrom(...['**', '*', 'lib', 'l?b', '{lib,d}', '{lib,{a,d}}', 'a', '*.x', 'd', '[l]ib'])
    const glob = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))
    const query = { pattern: 'w', context: 0, caseInsensitive: false, literal: true, multiline: false }
    await fc.assert(
      fc.asyncProperty(fc.array(glob, { maxLength: 2 }), glob, async (globs, inContents) => {
        expect(await search.files(globs, scopeOf({}), never)).toEqual(await one.files(globs, scopeOf({}), never))
        // The search in memory takes no slash in braces, as of two globs in one. The one on disk does.
        if (/\{[^}]*\//.test(`${inContents} ${contentGlobBelow(inContents, 'lib')}`)) return
        const grep = async (where: Search) =>
          (await where.grep({ ...query, glob: inContents }, scopeOf({}), never)).files.map(({ path }) => path)
        expect(await grep(search)).toEqual(await grep(one))
      }),
      { numRuns: 300 },
    )
    expect(globsBelow('{lib/{a,d},{**/d,x}}/*', 'lib')).toEqual(['{a,d}/*', '**/d/*'])
    expect(globsBelow('{lib/a', 'lib')).toEqual([])
    expect(contentGlobBelow('**/lib/*.x', 'lib')).toBe('/{**/lib/*.x,*.x}')
  })

  // Mutation: leave out `roots` in `locate`, `move` or `delete` of the overlay.
  it('are not left by a link with "..", and none of them is moved or deleted', async () => {
    const { base } = openBoth({ '/secret': 'own' }, { '/out': { kind: 'symlink', target: '../secret' }, '/in': 'x' })
    const blobs = createMemoryBlobStore(hashing)
    const draft = createOverlayTransaction({ base, blobs, hashing, tree: emptyTree })
    await expect(draft.read(at('/lib/out'))).rejects.toMatchObject({ code: 'link_leaves_root' })
    await expect(draft.delete(at('/lib'))).rejects.toMatchObject({ code: 'refused' })
    await expect(draft.move(at('/lib'), at('/elsewhere'))).rejects.toMatchObject({ code: 'refused' })
    await draft.move(at('/lib/in'), at('/in'))
    expect(text(await draft.read(at('/in')))).toBe('x')
  })

  // Mutation: leave out `refuseOtherFolder` in `carry` of the overlay.
  it('do not take a large file from each other, since only the disk has its content', async () => {
    const small = { most: 3, hashing }
    const base = joinBases([
      { root: rootPath, path: '/home/me/app', base: createMemoryBaseTree({ '/own': 'content' }, small) },
      { root: at('/lib'), path: '/home/me/lib', base: createMemoryBaseTree({ '/d/big': 'content', '/s': 'x' }, small) },
    ])
    const blobs = createMemoryBlobStore(hashing)
    const draft = createOverlayTransaction({ base, blobs, hashing, tree: emptyTree })
    const refused = { code: 'refused', message: expect.stringContaining('too many for another folder') }
    await expect(draft.move(at('/lib/d'), at('/d'))).rejects.toMatchObject(refused)
    await expect(draft.move(at('/own'), at('/lib/own'))).rejects.toMatchObject(refused)
    expect(draft.patch()).toEqual([])
    await draft.move(at('/lib/d'), at('/lib/e'))
    await draft.move(at('/lib/s'), at('/s'))
    expect(await draft.stat(at('/lib/e/big'))).toMatchObject({ kind: 'file', size: 7 })
  })

  it('are searched as one from the top, and alone from their own place', async () => {
    const { search } = openBoth({ '/a.ts': 'word' }, { '/a.ts': 'word', '/b.ts': 'other' })
    const query = { pattern: 'word', context: 0, caseInsensitive: false, literal: true, multiline: false }
    const paths = async (path: string, overlay = {}) =>
      (await search.grep(query, scopeOf({ path, overlay }), never)).files.map((file) => file.path)
    expect(await paths('/')).toEqual(['/a.ts', '/lib/a.ts'])
    expect(await paths('/lib')).toEqual(['/lib/a.ts'])
    expect(await paths('/lib/b.ts')).toEqual([])
    expect(await paths('/', { '/lib/new.ts': 'word', '/own.ts': 'word' })).toEqual([
      ...['/a.ts', '/lib/a.ts', '/lib/new.ts', '/own.ts'],
    ])
    expect(await search.files([], scopeOf({ hidden: ['/lib/b.ts'] }), never)).toEqual(['/a.ts', '/lib/a.ts'])
    expect(await search.find('a.ts', 1, scopeOf({}), never)).toEqual(['/a.ts'])
  })

  // Mutation: leave out `covered` in `scopeIn`, the filter in `scan`, or the one in `joinWatchers`.
  it('are never taken for each other when the first one gets a folder of that name', async () => {
    const { search } = openBoth({ '/lib/a.ts': 'word', '/lib/b.ts': 'word', '/c.ts': 'word' }, { '/a.ts': 'word' })
    const query = { pattern: 'word', context: 0, caseInsensitive: false, literal: true, multiline: false }
    const found = await search.grep(query, scopeOf({}), never)
    expect(found.files.map(({ path }) => path)).toEqual(['/c.ts', '/lib/a.ts'])
    expect(await search.files([], scopeOf({}), never)).toEqual(['/c.ts', '/lib/a.ts'])
    expect(await search.find('ts', 9, scopeOf({}), never)).toEqual(['/c.ts', '/lib/a.ts'])
    const all = { pattern: '', startBytes: 1, holds: () => true, skippedFolders: [] }
    expect((await search.scan(all)).all).toEqual(['/c.ts', '/lib/a.ts'])

    const told: ((path: VirtualPath) => void)[] = []
    const watcher = (): Watcher => ({
      watch: () => {},
      onChange(listener) {
        told.push(listener)
        return { [Symbol.dispose]: () => {} }
      },
      [Symbol.dispose]: () => {},
    })
    const seen: string[] = []
    const both = joinWatchers([
      { root: rootPath, watcher: watcher() },
      { root: at('/lib'), watcher: watcher() },
    ])
    using _ = both.onChange((path) => seen.push(path))
    told[0]?.(at('/lib/b.ts'))
    told[1]?.(at('/a.ts'))
    told[0]?.(at('/c.ts'))
    expect(seen).toEqual(['/lib/a.ts', '/c.ts'])
  })
})

/** A folder in memory that is written as a disk is. */
function writable(files: Map<string, string>, fails: (path: string) => boolean): DiskApply {
  return {
    check: async (steps) =>
      steps.map(({ path }) =>
        fails(`check ${path}`) ? { path, state: 'changed', why: 'It moved on.' } : { path, state: 'ready' },
      ),
    async apply(steps, content, { onProgress, whenWritten } = {}) {
      for (const [at, step] of steps.entries()) {
        onProgress?.(at + 1, steps.length)
        if (step.after === null) files.delete(step.path)
        else files.set(step.path, text(content(step)))
      }
      await whenWritten?.()
    },
  }
}

describe('an apply to two folders', () => {
  const node = (content: string) =>
    ({ kind: 'file', blob: hashing.hash(Buffer.from(content)), size: content.length, executable: false }) as const
  const steps: readonly ApplyStep[] = [
    { path: at('/a'), before: node('old'), after: node('new') },
    { path: at('/made'), before: null, after: node('new') },
    { path: at('/lib/a'), before: node('old'), after: node('new') },
  ]

  async function apply(fails: (path: string) => boolean) {
    const [own, library] = [new Map([['/a', 'old']]), new Map([['/a', 'old']])]
    const progress: string[] = []
    const disk = joinApplies([
      { root: rootPath, disk: writable(own, () => false) },
      { root: at('/lib'), disk: writable(library, fails) },
    ])
    const error = await disk
      .apply(steps, () => Buffer.from('new'), { onProgress: (done, total) => progress.push(`${done}/${total}`) })
      .then(
        () => null,
        (reason: unknown) => reason,
      )
    return {
      error,
      own: Object.fromEntries(own),
      library: Object.fromEntries(library),
      checked: await disk.check(steps),
    }
  }

  it('writes each file into its own folder', async () => {
    const { error, own, library } = await apply(() => false)
    expect([error, own, library]).toEqual([null, { '/a': 'new', '/made': 'new' }, { '/a': 'new' }])
  })

  it('writes nothing when something of it cannot be written', async () => {
    const { error, own, checked } = await apply((path) => path === 'check /a')
    expect(error).toMatchObject({ code: 'changed', message: '/lib/a: It moved on.' })
    expect(own).toEqual({ '/a': 'old' })
    expect(checked.map(({ path, state }) => `${path} ${state}`)).toEqual(['/a ready', '/made ready', '/lib/a changed'])
  })
})
