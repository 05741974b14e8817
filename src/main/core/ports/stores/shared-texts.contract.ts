import { describe, expect, it } from 'vitest'
import type { SharedTexts } from './shared-texts.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** `open` gives the same texts again with every call. */
export function describeSharedTexts(name: string, create: () => { readonly open: () => SharedTexts }): void {
  describe(`SharedTexts: ${name}`, () => {
    const versionOf = (texts: SharedTexts, text: string) =>
      texts.list().find((one) => one.name === text)?.version ?? null

    it('keeps texts with their sizes, for everyone who opens them', () => {
      const { open } = create()
      open().commit([{ name: '/notes/ä', bytes: bytes('größe'), from: null }])
      expect(open().list()).toEqual([expect.objectContaining({ name: '/notes/ä', size: 7 })])
      expect(new TextDecoder().decode(open().read('/notes/ä'))).toBe('größe')
      expect(open().read('/notes/none')).toBeUndefined()
    })

    it('refuses a change that was made from another version, and with it all others of the commit', () => {
      const texts = create().open()
      texts.commit([{ name: '/a', bytes: bytes('1'), from: null }])
      const first = versionOf(texts, '/a')
      texts.commit([{ name: '/a', bytes: bytes('2'), from: first }])
      const late = () =>
        texts.commit([
          { name: '/b', bytes: bytes('x'), from: null },
          { name: '/a', bytes: bytes('3'), from: first },
        ])
      expect(late).toThrow(expect.objectContaining({ code: 'moved_on' }))
      expect(texts.list().map((one) => one.name)).toEqual(['/a'])
      expect(new TextDecoder().decode(texts.read('/a'))).toBe('2')
    })

    it('never uses a version again, even for a text that was deleted and written anew', () => {
      const texts = create().open()
      texts.commit([{ name: '/a', bytes: bytes('1'), from: null }])
      const first = versionOf(texts, '/a')
      texts.commit([{ name: '/a', bytes: null, from: first }])
      expect(texts.list()).toEqual([])
      texts.commit([{ name: '/a', bytes: bytes('1'), from: null }])
      expect(versionOf(texts, '/a')).not.toBe(first)
    })
  })
}
