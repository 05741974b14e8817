import { describe, expect, it } from 'vitest'
import type { BaseFixture } from '#overlay'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { BaseTree } from './base-tree.ts'

export interface BaseTreeUnderTest extends AsyncDisposable {
  readonly tree: BaseTree
}
type Create = (fixtures: Readonly<Record<string, BaseFixture>>) => Promise<BaseTreeUnderTest>

const at = (path: string): VirtualPath => path as VirtualPath
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const failing = (code: string, path: string) => expect.objectContaining({ name: 'BaseTreeError', code, path })

export function describeBaseTree(name: string, create: Create): void {
  describe(`BaseTree: ${name}`, () => {
    describeReading(create)
    describeLinks(create)
  })
}

function describeReading(create: Create): void {
  it('reports files, folders, links and missing paths', async () => {
    await using open = await create({
      '/src/a.ts': 'hello',
      '/run.sh': { kind: 'file', content: '#!', executable: true },
      '/link': { kind: 'symlink', target: 'src/a.ts' },
    })
    expect(await open.tree.stat(at('/'))).toMatchObject({ kind: 'directory' })
    expect(await open.tree.stat(at('/src'))).toMatchObject({ kind: 'directory' })
    expect(await open.tree.stat(at('/src/a.ts'))).toMatchObject({ kind: 'file', size: 5, executable: false })
    expect(await open.tree.stat(at('/run.sh'))).toMatchObject({ kind: 'file', executable: true })
    expect(await open.tree.stat(at('/link'))).toMatchObject({ kind: 'symlink', target: 'src/a.ts' })
    expect(await open.tree.stat(at('/none'))).toBeUndefined()
    expect(await open.tree.stat(at('/src/a.ts/below'))).toBeUndefined()
  })

  it('lists sorted by code unit, and returns undefined when there is no folder', async () => {
    await using open = await create({ '/b': '', '/B': '', '/a/x': '', '/é': '' })
    const listing = await open.tree.list(at('/'))
    expect(listing?.entries.map((entry) => entry.name)).toEqual(['B', 'a', 'b', 'é'])
    expect(listing?.entries[1]?.node.kind).toBe('directory')
    expect(listing?.unreadable).toBe(0)
    expect(await open.tree.list(at('/b'))).toBeUndefined()
    expect(await open.tree.list(at('/none'))).toBeUndefined()
  })

  it('reads whole files and ranges, cut at the end of the file', async () => {
    await using open = await create({ '/a': '0123456789', '/empty': '' })
    expect(text(await open.tree.read(at('/a')))).toBe('0123456789')
    expect(text(await open.tree.read(at('/a'), { offset: 3, length: 4 }))).toBe('3456')
    expect(text(await open.tree.read(at('/a'), { offset: 8, length: 100 }))).toBe('89')
    expect(text(await open.tree.read(at('/a'), { offset: 50, length: 1 }))).toBe('')
    expect(await open.tree.read(at('/empty'))).toHaveLength(0)
  })

  it('refuses a missing file, a folder, a special file and a name that is too long', async () => {
    await using open = await create({ '/d/x': '', '/fifo': { kind: 'special' } })
    await expect(open.tree.read(at('/none'))).rejects.toEqual(failing('not_found', '/none'))
    await expect(open.tree.read(at('/d'))).rejects.toEqual(failing('not_a_file', '/d'))
    await expect(open.tree.read(at('/fifo'))).rejects.toEqual(failing('not_a_file', '/fifo'))
    expect(await open.tree.stat(at('/fifo'))).toMatchObject({ kind: 'special' })
    const long = at(`/${'n'.repeat(300)}`)
    await expect(open.tree.read(long)).rejects.toEqual(failing('name_too_long', long))
    await expect(open.tree.stat(long)).rejects.toEqual(failing('name_too_long', long))
  })
}

function describeLinks(create: Create): void {
  it('follows links inside the root: at the end, in the middle, through one another', async () => {
    await using open = await create({
      '/real/deep/a': 'content',
      '/alias': { kind: 'symlink', target: 'real' },
      '/real/up': { kind: 'symlink', target: '../alias/deep' },
      '/chain': { kind: 'symlink', target: './real/up/a' },
    })
    for (const path of ['/alias/deep/a', '/real/up/a', '/alias/up/a', '/chain']) {
      expect(text(await open.tree.read(at(path)))).toBe('content')
    }
    expect(await open.tree.stat(at('/alias/deep'))).toMatchObject({ kind: 'directory' })
    expect((await open.tree.list(at('/alias')))?.entries.map((entry) => entry.name)).toEqual(['deep', 'up'])
  })

  it('reads in one step only without a link on the way', async () => {
    await using open = await create({
      '/real/a': '0123456789',
      '/alias': { kind: 'symlink', target: 'real' },
      '/link': { kind: 'symlink', target: 'real/a' },
      '/out': { kind: 'symlink', target: '/etc' },
    })
    const read = async (path: string) => {
      const file = await open.tree.readUnlinked(at(path), { offset: 2, length: 3 })
      return file && text(file.bytes)
    }
    expect(await read('/real/a')).toBe('234')
    for (const path of ['/alias/a', '/link', '/out/hostname', '/real', '/none', '/none/below', '/real/a/below']) {
      expect(await read(path), path).toBeUndefined()
    }
    for (const path of ['/', '/real', '/real/a', '/link', '/out'])
      expect(await open.tree.statUnlinked(at(path)), path).toEqual(await open.tree.stat(at(path)))
    for (const path of ['/alias/a', '/out/hostname', '/none', '/none/below', '/real/a/below'])
      expect(await open.tree.statUnlinked(at(path)), path).toBeUndefined()
  })

  it.each([
    ['a file outside', '/etc/hostname', '/link'],
    ['a path that climbs out', '../../../etc/hostname', '/link'],
    ['a dangling target outside', '../nothing-here', '/link'],
  ])('never follows %s', async (_, target, path) => {
    await using open = await create({ '/a': 'x', '/link': { kind: 'symlink', target } })
    await expect(open.tree.read(at(path))).rejects.toEqual(failing('link_leaves_root', path))
    await expect(open.tree.read(at(path))).rejects.toThrow('/link')
    expect(await open.tree.stat(at(path))).toMatchObject({ kind: 'symlink', target })
  })

  it('never goes below a link that leaves the root, and names that link of a chain', async () => {
    await using open = await create({
      '/out': { kind: 'symlink', target: '/etc' },
      '/chain': { kind: 'symlink', target: 'out' },
    })
    const path = at('/chain/hostname')
    await expect(open.tree.read(path)).rejects.toEqual(failing('link_leaves_root', path))
    await expect(open.tree.read(path)).rejects.toThrow('/out')
    await expect(open.tree.stat(path)).rejects.toEqual(failing('link_leaves_root', path))
    await expect(open.tree.list(at('/out'))).rejects.toEqual(failing('link_leaves_root', '/out'))
  })

  it('stops at a dangling link inside the root and at a loop', async () => {
    await using open = await create({
      '/dangling': { kind: 'symlink', target: 'nowhere/x' },
      '/loop': { kind: 'symlink', target: 'loop2' },
      '/loop2': { kind: 'symlink', target: 'loop' },
    })
    await expect(open.tree.read(at('/dangling'))).rejects.toEqual(failing('not_found', '/dangling'))
    await expect(open.tree.read(at('/loop'))).rejects.toEqual(failing('link_loop', '/loop'))
    expect(await open.tree.stat(at('/loop'))).toMatchObject({ kind: 'symlink' })
  })
}
