import { describe, expect, it } from 'vitest'
import type { Deflate, Hashing } from './hashing.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export function describeHashing(name: string, create: () => Hashing & Deflate): void {
  describe(`Hashing: ${name}`, () => {
    it("computes SHA-256, and git's object id", () => {
      const hashing = create()
      expect(hashing.hash(bytes('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
      expect(hashing.gitObjectId(bytes(''))).toBe('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391')
      expect(hashing.gitObjectId(bytes('hello\n'))).toBe('ce013625030ba8dba906f756967f9e9ca394464a')
    })

    it('inflates what it deflated, even nothing, and refuses an unexpected size', () => {
      const hashing = create()
      for (const content of [bytes(''), bytes('a'.repeat(10_000)), new Uint8Array([0, 255, 7])]) {
        expect(hashing.inflate(hashing.deflate(content), content.length)).toEqual(content)
      }
      const bomb = hashing.deflate(new Uint8Array(1_000_000))
      expect(() => hashing.inflate(bomb, 10)).toThrow(RangeError)
      expect(() => hashing.inflate(bytes('damaged'), 7)).toThrow(RangeError)
      expect(() => hashing.inflate(hashing.deflate(bytes('abc')), 5)).toThrow(RangeError)
    })
  })
}
