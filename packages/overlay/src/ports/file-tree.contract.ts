import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '../model/virtual-path.ts'
import type { WritableTree } from './file-tree.ts'

const at = (path: string): VirtualPath => path as VirtualPath
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = async (tree: WritableTree, path: string) => new TextDecoder().decode(await tree.read(at(path)))
const names = async (tree: WritableTree, path: string) =>
  (await tree.list(at(path)))?.entries.map(({ name, node }) => (node.kind === 'directory' ? `${name}/` : name))
const failing = (code: string) => expect.objectContaining({ code })

/** What every tree of files must do. `create` makes one with exactly these files. */
export function describeFileTree(
  name: string,
  create: (files: Readonly<Record<string, string>>) => Promise<WritableTree>,
): void {
  describe(`FileTree: ${name}`, () => {
    describeWriting(create)
    describeDeleting(create)
    describeMoving(create)
    describeLinks(create)
  })
}

type Create = Parameters<typeof describeFileTree>[1]

function describeWriting(create: Create): void {
  it('creates files with the folders above, replaces them, and reads them whole and in ranges', async () => {
    const tree = await create({ '/a': 'old' })
    expect(await tree.write(at('/x/y/z'), bytes('0123'))).toBe('created')
    expect(await tree.write(at('/a'), bytes('new'))).toBe('replaced')
    expect([await text(tree, '/x/y/z'), await text(tree, '/a')]).toEqual(['0123', 'new'])
    expect(await tree.read(at('/x/y/z'), { offset: 1, length: 2 })).toEqual(bytes('12'))
    expect(await names(tree, '/')).toEqual(['a', 'x/'])
    expect(await tree.stat(at('/x/y'))).toMatchObject({ kind: 'directory' })
    expect(await tree.stat(at('/a'))).toMatchObject({ kind: 'file', size: 3, executable: false })
  })

  it('distinguishes names that only look alike', async () => {
    const names = [
      '/caf\u00e9',
      '/cafe\u0301',
      '/readme',
      '/README',
      '/a\u200bb',
      '/ab',
      '/\u202etxt.exe',
      '/CON',
      '/nul.txt',
    ]
    const tree = await create({})
    for (const name of names) await tree.write(at(name), bytes(name))
    expect((await tree.list(at('/')))?.entries.map((entry) => `/${entry.name}`)).toEqual([...names].sort())
    for (const name of names) expect(await text(tree, name)).toBe(name)
    await tree.delete(at('/README'))
    expect(await text(tree, '/readme')).toBe('/readme')
  })

  it('keeps every byte of invalid text', async () => {
    const odd = new Uint8Array([0xff, 0xfe, 0x41, 0, 0x0d, 0x0a, 0x0d, 0xc3, 0x28, 0xef, 0xbb, 0xbf])
    const tree = await create({})
    await tree.write(at('/odd'), odd)
    expect(await tree.read(at('/odd'))).toEqual(odd)
    expect(await tree.read(at('/odd'), { offset: 10, length: 100 })).toEqual(odd.slice(10))
    expect(await tree.read(at('/odd'), { offset: 100, length: 1 })).toHaveLength(0)
  })

  it('keeps the mode of a replaced file unless told otherwise', async () => {
    const tree = await create({ '/run': 'x' })
    await tree.setExecutable(at('/run'), true)
    await tree.write(at('/run'), bytes('y'))
    expect(await tree.stat(at('/run'))).toMatchObject({ executable: true })
    await tree.write(at('/run'), bytes('z'), { executable: false })
    expect(await tree.stat(at('/run'))).toMatchObject({ executable: false })
    await expect(tree.setExecutable(at('/none'), true)).rejects.toEqual(failing('not_found'))
  })

  it('refuses to write to a folder, and to anything below a file', async () => {
    const tree = await create({ '/d/a': '', '/f': '' })
    await expect(tree.write(at('/d'), bytes(''))).rejects.toEqual(failing('is_a_directory'))
    await expect(tree.write(at('/'), bytes(''))).rejects.toEqual(failing('is_a_directory'))
    await expect(tree.write(at('/f/x/y'), bytes(''))).rejects.toEqual(failing('not_a_directory'))
    await expect(tree.makeDirectory(at('/f'))).rejects.toEqual(failing('already_exists'))
    await expect(tree.makeDirectory(at('/f/x'))).rejects.toEqual(failing('not_a_directory'))
    await tree.makeDirectory(at('/d'))
    await tree.makeDirectory(at('/new/deep'))
    expect(await names(tree, '/new')).toEqual(['deep/'])
  })
}

function describeDeleting(create: Create): void {
  it('deletes files and folders with their content, and counts them', async () => {
    const tree = await create({ '/s/a': '', '/s/d/b': '', '/t': '' })
    expect(await tree.delete(at('/t'))).toEqual({ files: 1, folders: 0 })
    expect(await tree.delete(at('/s'))).toEqual({ files: 2, folders: 2 })
    expect(await names(tree, '/')).toEqual([])
    expect(await tree.stat(at('/s/d/b'))).toBeUndefined()
    await expect(tree.read(at('/s/a'))).rejects.toEqual(failing('not_found'))
  })

  it('refuses the root and missing paths', async () => {
    const tree = await create({ '/a': '' })
    await expect(tree.delete(at('/'))).rejects.toEqual(failing('root'))
    await expect(tree.delete(at('/b'))).rejects.toEqual(failing('not_found'))
  })

  it('does not bring old children back when a folder is made again', async () => {
    const tree = await create({ '/s/a': 'a', '/s/d/b': 'b' })
    await tree.delete(at('/s'))
    await tree.write(at('/s/d/new'), bytes('n'))
    expect([await names(tree, '/s'), await names(tree, '/s/d')]).toEqual([['d/'], ['new']])
    await tree.delete(at('/s/d'))
    await tree.makeDirectory(at('/s/d'))
    expect(await names(tree, '/s/d')).toEqual([])
  })

  it('lets a file become a folder and a folder become a file', async () => {
    const tree = await create({ '/f': '1', '/d/x': '2' })
    await tree.delete(at('/f'))
    await tree.write(at('/f/in'), bytes('3'))
    await tree.delete(at('/d'))
    await tree.write(at('/d'), bytes('4'))
    expect([await text(tree, '/f/in'), await text(tree, '/d')]).toEqual(['3', '4'])
    expect(await tree.stat(at('/d/x'))).toBeUndefined()
  })
}

function describeMoving(create: Create): void {
  it('moves files and whole folders, even over a file', async () => {
    const tree = await create({ '/a': '1', '/b': '2', '/s/x': '3', '/s/d/y': '4' })
    await tree.move(at('/a'), at('/b'))
    await tree.move(at('/s'), at('/t/u'))
    expect([await text(tree, '/b'), await text(tree, '/t/u/x'), await text(tree, '/t/u/d/y')]).toEqual(['1', '3', '4'])
    expect(await names(tree, '/')).toEqual(['b', 't/'])
    await tree.move(at('/t/u'), at('/s'))
    await tree.move(at('/b'), at('/B'))
    expect([await names(tree, '/'), await names(tree, '/s')]).toEqual([
      ['B', 's/', 't/'],
      ['d/', 'x'],
    ])
  })

  it('refuses impossible moves without changing anything', async () => {
    const tree = await create({ '/s/x': '', '/d/y': '', '/f': '' })
    await expect(tree.move(at('/s'), at('/s/in/it'))).rejects.toEqual(failing('into_itself'))
    await expect(tree.move(at('/f'), at('/d'))).rejects.toEqual(failing('already_exists'))
    await expect(tree.move(at('/s'), at('/f'))).rejects.toEqual(failing('already_exists'))
    await expect(tree.move(at('/none'), at('/x'))).rejects.toEqual(failing('not_found'))
    await expect(tree.move(at('/'), at('/x'))).rejects.toEqual(failing('root'))
    await expect(tree.move(at('/s'), at('/f/below'))).rejects.toEqual(failing('not_a_directory'))
    expect(await names(tree, '/')).toEqual(['d/', 'f', 's/'])
    expect(await names(tree, '/s')).toEqual(['x'])
  })
}

function describeLinks(create: Create): void {
  it('follows links inside for reads and writes, and deletes only the link', async () => {
    const tree = await create({ '/real/a': 'a' })
    await tree.makeSymlink(at('/alias'), 'real')
    await tree.makeSymlink(at('/real/b'), 'a')
    expect([await text(tree, '/alias/a'), await text(tree, '/alias/b')]).toEqual(['a', 'a'])
    await tree.write(at('/alias/b'), bytes('new'))
    expect(await text(tree, '/real/a')).toBe('new')
    expect(await tree.stat(at('/real/b'))).toMatchObject({ kind: 'symlink', target: 'a' })
    expect(await names(tree, '/alias')).toEqual(['a', 'b'])
    await tree.delete(at('/alias'))
    expect(await names(tree, '/')).toEqual(['real/'])
  })

  it('resolves a target with `..` behind another link and past a missing folder', async () => {
    const tree = await create({ '/deep/down/a': 'a', '/c': 'old' })
    await tree.makeSymlink(at('/short'), 'deep/down')
    await tree.makeSymlink(at('/climbing'), 'short/../../c')
    await tree.makeSymlink(at('/missing'), 'none/../c')
    await tree.write(at('/missing'), bytes('new'))
    expect([await text(tree, '/c'), await text(tree, '/climbing'), await text(tree, '/missing')]).toEqual([
      'new',
      'new',
      'new',
    ])
    await expect(tree.makeDirectory(at('/missing'))).rejects.toEqual(failing('already_exists'))
  })

  it('replaces a link by a file only as the target of a move, and a file by a link', async () => {
    const tree = await create({ '/a': '1', '/b': '2' })
    await tree.makeSymlink(at('/link'), 'a')
    await tree.move(at('/b'), at('/link'))
    expect(await tree.stat(at('/link'))).toMatchObject({ kind: 'file', size: 1 })
    expect([await text(tree, '/link'), await text(tree, '/a')]).toEqual(['2', '1'])
    await tree.makeSymlink(at('/a'), 'link')
    expect(await text(tree, '/a')).toBe('2')
    await expect(tree.setExecutable(at('/none/x'), true)).rejects.toEqual(failing('not_found'))
  })

  it('never follows a link out, and stops at loops', async () => {
    const tree = await create({ '/d/a': '' })
    await tree.makeSymlink(at('/d/out'), '../../etc')
    await tree.makeSymlink(at('/loop'), 'loop')
    await expect(tree.read(at('/d/out/hostname'))).rejects.toEqual(failing('link_leaves_root'))
    await expect(tree.write(at('/d/out/x'), bytes(''))).rejects.toEqual(failing('link_leaves_root'))
    await tree.makeSymlink(at('/abs'), '/etc/hostname')
    await expect(tree.read(at('/loop'))).rejects.toEqual(failing('link_loop'))
    await expect(tree.read(at('/abs'))).rejects.toEqual(failing('link_leaves_root'))
    await expect(tree.move(at('/d'), at('/d/out/d'))).rejects.toEqual(failing('link_leaves_root'))
  })
}
