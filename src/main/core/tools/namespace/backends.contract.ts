import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { CompositeFiles } from './composite-files.ts'

const at = (path: string) => path as VirtualPath
const bytes = (text: string) => new TextEncoder().encode(text)
const text = (content: Uint8Array) => new TextDecoder().decode(content)
const failing = (code: string) => expect.objectContaining({ code })
const query = { context: 0, caseInsensitive: false, literal: true, multiline: false }

export interface OpenedBackend {
  /** The files of a new call. */
  begin(): CompositeFiles
}

/** What every place that a person can add does behind `/place/`, for one kind of backend that can be written. */
export function describeBackend(name: string, open: () => Promise<OpenedBackend>): void {
  const { signal } = new AbortController()
  const commit = async (files: CompositeFiles): Promise<void> => {
    await files.commitOutside()
    files.commitStores()
    expect(await files.finishOutside()).toBeUndefined()
  }
  const namesIn = async (files: CompositeFiles, path: string) =>
    (await files.list(at(path)))?.entries.map((entry) => entry.name)

  describe(`a place beside the project: ${name}`, () => {
    it('keeps what a call wrote, and nothing of a call that is dropped', async () => {
      const backend = await open()
      const dropped = backend.begin()
      await dropped.write(at('/place/dropped'), bytes('x'))
      const call = backend.begin()
      expect(await call.write(at('/place/deep/a.md'), bytes('one'))).toBe('created')
      expect(text(await call.read(at('/place/deep/a.md')))).toBe('one')
      expect(await namesIn(backend.begin(), '/place'), 'before the commit').toEqual([])
      await commit(call)
      const later = backend.begin()
      expect(await namesIn(later, '/place')).toEqual(['deep'])
      expect(await later.stat(at('/place/deep/a.md'))).toMatchObject({ kind: 'file', size: 3 })
      expect(await later.write(at('/place/deep/a.md'), bytes('two'))).toBe('replaced')
      await commit(later)
      expect(text(await backend.begin().read(at('/place/deep/a.md'), { offset: 1, length: 2 }))).toBe('wo')
    })

    it('deletes and moves files and folders', async () => {
      const backend = await open()
      const first = backend.begin()
      for (const path of ['/place/d/one', '/place/d/two', '/place/three']) await first.write(at(path), bytes(path))
      await commit(first)
      const second = backend.begin()
      expect(await second.delete(at('/place/d/one'))).toMatchObject({ files: 1 })
      await second.move(at('/place/d'), at('/place/e'))
      await commit(second)
      const third = backend.begin()
      expect([await namesIn(third, '/place'), await namesIn(third, '/place/e')]).toEqual([['e', 'three'], ['two']])
      expect(text(await third.read(at('/place/e/two')))).toBe('/place/d/two')
      await expect(third.read(at('/place/d/one'))).rejects.toEqual(failing('not_found'))
      await expect(third.delete(at('/place/none'))).rejects.toEqual(failing('not_found'))
      await expect(third.delete(at('/place'))).rejects.toEqual(failing('root'))
    })

    it('moves into the project and out of it by copying', async () => {
      const backend = await open()
      const first = backend.begin()
      await first.write(at('/place/d/a'), bytes('a'))
      await commit(first)
      const second = backend.begin()
      await second.move(at('/place/d'), at('/of-project'))
      expect(text(await second.read(at('/of-project/a')))).toBe('a')
      expect(await second.stat(at('/place/d/a'))).toBeUndefined()
      await second.move(at('/of-project/a'), at('/place/back'))
      await commit(second)
      expect(await namesIn(backend.begin(), '/place')).toContain('back')
    })

    it('is searched under its own path only, with what the call wrote', async () => {
      const backend = await open()
      const first = backend.begin()
      await first.write(at('/place/kept.md'), bytes('the needle\n'))
      await commit(first)
      const call = backend.begin()
      await call.write(at('/place/new.md'), bytes('a needle\n'))
      const found = async (path: string) =>
        (await call.grep({ ...query, pattern: 'needle' }, at(path), signal)).files.map((file) => file.path)
      expect(await found('/place')).toEqual(['/place/kept.md', '/place/new.md'])
      expect(await found('/place/new.md')).toEqual(['/place/new.md'])
      expect(await found('/')).toEqual([])
      expect(await call.glob('**/*.md', at('/place'), false, signal)).toEqual(['/place/kept.md', '/place/new.md'])
      expect(await call.glob('/place/n*.md', at('/'), false, signal)).toEqual(['/place/new.md'])
      expect(await call.glob('**', at('/'), true, signal)).toEqual([])
    })

    it('is listed at the root and tells what a call changed', async () => {
      const backend = await open()
      const first = backend.begin()
      await first.write(at('/place/a'), bytes('1'))
      await first.write(at('/place/b'), bytes('1'))
      await commit(first)
      const call = backend.begin()
      expect(await namesIn(call, '/')).toContain('place')
      await call.write(at('/place/a'), bytes('2'))
      await call.write(at('/place/c'), bytes('2'))
      await call.delete(at('/place/b'))
      expect([...(await call.changesBeside())].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
        { path: '/place/a', kind: 'modify' },
        { path: '/place/b', kind: 'delete' },
        { path: '/place/c', kind: 'create' },
      ])
    })

    it('refuses links', async () => {
      const backend = await open()
      await expect(backend.begin().makeSymlink(at('/place/link'), '/etc')).rejects.toEqual(failing('refused'))
    })
  })
}
