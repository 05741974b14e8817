import { describe, expect, it } from 'vitest'
import type { BlobStore } from './blob-store.ts'

export function describeBlobStore(
  name: string,
  create: () => { readonly blobs: BlobStore; readonly close: () => void },
) {
  describe(`BlobStore: ${name}`, () => {
    it('returns the same bytes at once, before any append', () => {
      const { blobs, close } = create()
      for (const bytes of [new Uint8Array(), new Uint8Array([0, 255, 10]), new Uint8Array(100_000).fill(7)]) {
        expect(blobs.get(blobs.put(bytes))).toEqual(bytes)
      }
      close()
    })

    it("gives equal bytes equal names, and is unaffected by later changes to the caller's bytes", () => {
      const { blobs, close } = create()
      const bytes = new Uint8Array([1, 2, 3])
      const hash = blobs.put(bytes)
      bytes[0] = 9
      expect(blobs.get(hash)).toEqual(new Uint8Array([1, 2, 3]))
      expect(blobs.put(new Uint8Array([1, 2, 3]))).toBe(hash)
      close()
    })

    it('throws for missing content', () => {
      const { blobs, close } = create()
      const hash = 'f'.repeat(64) as ReturnType<BlobStore['put']>
      expect(() => blobs.get(hash)).toThrow(expect.objectContaining({ code: 'missing' }))
      close()
    })
  })
}
