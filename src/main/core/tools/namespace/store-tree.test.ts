import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { NamedBytes } from '../../ports/stores/scratch-store.ts'
import { createStoreTree } from './store-tree.ts'

const at = (path: string) => path as VirtualPath
const bytes = (text: string) => new TextEncoder().encode(text)
const text = (content: Uint8Array) => new TextDecoder().decode(content)
const failing = (code: string) => expect.objectContaining({ code })

function open(files: Readonly<Record<string, string>> = {}, check: (content: Uint8Array) => void = () => {}) {
  const kept = new Map<VirtualPath, Uint8Array>(
    Object.entries(files).map(([name, content]) => [at(name), bytes(content)] as const),
  )
  const store: NamedBytes = {
    list: () => [...kept].map(([name, content]) => ({ name, size: content.length, modified: 5 })),
    read: (name) => kept.get(name),
    write: (name, content) => void kept.set(name, content),
    delete: (name) => void kept.delete(name),
  }
  const shown = () => Object.fromEntries([...kept].map(([name, content]) => [name, text(content)]))
  return { tree: createStoreTree(at('/store'), store, check), shown }
}

describe('a store as a tree of files', () => {
  it('keeps nothing before the commit, and everything after it', async () => {
    const { tree, shown } = open({ '/store/old': '1' })
    await tree.write(at('/store/d/new'), bytes('2'))
    await tree.delete(at('/store/old'))
    expect(shown()).toEqual({ '/store/old': '1' })
    expect([text(await tree.read(at('/store/d/new'))), await tree.stat(at('/store/old'))]).toEqual(['2', undefined])
    tree.commit()
    expect(shown()).toEqual({ '/store/d/new': '2' })
  })

  it('has a folder as long as it contains something', async () => {
    const { tree } = open({ '/store/a/b/c': 'x', '/store/z': 'y' })
    expect((await tree.list(at('/store')))?.entries.map(({ name, node }) => `${name} ${node.kind}`)).toEqual([
      'a directory',
      'z file',
    ])
    expect(await tree.stat(at('/store/a/b'))).toMatchObject({ kind: 'directory' })
    await tree.delete(at('/store/a/b/c'))
    expect([await tree.stat(at('/store/a')), await tree.list(at('/store/a'))]).toEqual([undefined, undefined])
    expect(await tree.stat(at('/store')), 'the place itself is always there').toMatchObject({ kind: 'directory' })
  })

  it('reads whole files and ranges', async () => {
    const { tree } = open({ '/store/a': '0123456789' })
    expect(text(await tree.read(at('/store/a'), { offset: 3, length: 4 }))).toBe('3456')
    expect(text(await tree.read(at('/store/a'), { offset: 8, length: 100 }))).toBe('89')
  })

  it.each<[string, (tree: ReturnType<typeof open>['tree']) => Promise<unknown>, string]>([
    ['reading a folder', (tree) => tree.read(at('/store/d')), 'not_a_file'],
    ['reading nothing', (tree) => tree.read(at('/store/none')), 'not_found'],
    ['writing a folder', (tree) => tree.write(at('/store/d'), bytes('x')), 'is_a_directory'],
    ['writing the place itself', (tree) => tree.write(at('/store'), bytes('x')), 'is_a_directory'],
    ['writing below a file', (tree) => tree.write(at('/store/d/f/below'), bytes('x')), 'not_a_directory'],
    ['deleting nothing', (tree) => tree.delete(at('/store/none')), 'not_found'],
    ['deleting the place', (tree) => tree.delete(at('/store')), 'root'],
    ['moving into itself', (tree) => tree.move(at('/store/d'), at('/store/d/in')), 'into_itself'],
    ['moving onto a folder', (tree) => tree.move(at('/store/g'), at('/store/d')), 'already_exists'],
  ])('refuses %s, and changes nothing', async (_, act, code) => {
    const before = { '/store/d/f': '1', '/store/g': '2' }
    const { tree, shown } = open(before)
    await expect(act(tree)).rejects.toEqual(failing(code))
    tree.commit()
    expect(shown()).toEqual(before)
  })

  it('refuses forbidden content', async () => {
    const { tree, shown } = open({}, (content) => {
      if (text(content).includes('secret')) throw new Error('no secrets')
    })
    await expect(tree.write(at('/store/a'), bytes('a secret'))).rejects.toThrow('no secrets')
    tree.commit()
    expect(shown()).toEqual({})
  })

  it('moves a folder with its content, even over a file', async () => {
    const { tree, shown } = open({ '/store/d/a': '1', '/store/d/e/b': '2', '/store/f': '3' })
    await tree.move(at('/store/d'), at('/store/moved'))
    await tree.move(at('/store/f'), at('/store/moved/a'))
    tree.commit()
    expect(shown()).toEqual({ '/store/moved/a': '3', '/store/moved/e/b': '2' })
  })

  it('counts the files and inner folders of a deleted folder', async () => {
    const { tree } = open({ '/store/a/b/c/one': '1', '/store/a/two': '2' })
    expect(await tree.delete(at('/store/a'))).toEqual({ files: 2, folders: 3 })
  })

  it('gives the same answers before and after the commit', async () => {
    const name = fc.constantFrom('/store/a', '/store/b', '/store/d/a', '/store/d/b')
    const step = fc.oneof(
      fc.record({ act: fc.constant('write' as const), name, content: fc.constantFrom('1', '2') }),
      fc.record({ act: fc.constant('delete' as const), name, content: fc.constant('') }),
      fc.record({ act: fc.constant('commit' as const), name, content: fc.constant('') }),
    )
    const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { tree, shown } = open({ '/store/a': '0', '/store/d/a': '0' })
      const plain = new Map([
        ['/store/a', '0'],
        ['/store/d/a', '0'],
      ])
      for (const one of steps) {
        if (one.act === 'commit') tree.commit()
        if (one.act === 'write') {
          expect(await tree.write(at(one.name), bytes(one.content))).toBe(plain.has(one.name) ? 'replaced' : 'created')
          plain.set(one.name, one.content)
        }
        if (one.act === 'delete') {
          const deleted = await tree.delete(at(one.name)).then(
            () => true,
            () => false,
          )
          expect(deleted).toBe(plain.delete(one.name))
        }
        expect([...tree.files(at('/store'))]).toEqual([...plain.keys()].sort())
      }
      tree.commit()
      expect(shown()).toEqual(Object.fromEntries(plain))
    })
    await fc.assert(property, { numRuns: 150 })
  })
})
