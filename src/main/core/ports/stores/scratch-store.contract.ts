import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ScratchStore } from './scratch-store.ts'

const mine = 'thread-1' as ThreadId
const other = 'thread-2' as ThreadId

export function describeScratchStore(
  name: string,
  create: () => { readonly scratch: ScratchStore; readonly close: () => void },
): void {
  describe(`ScratchStore: ${name}`, () => {
    it('keeps bytes per root thread', () => {
      const { scratch, close } = create()
      scratch.write(mine, '/inputs/a.json', new Uint8Array([0, 1, 255]))
      expect(scratch.read(mine, '/inputs/a.json')).toEqual(new Uint8Array([0, 1, 255]))
      expect(scratch.read(other, '/inputs/a.json')).toBeUndefined()
      close()
    })

    it('gives a file another revision with every write, even of the same size at the same time', () => {
      const { scratch, close } = create()
      const revisions = ['1', '2', '2'].map((text) => {
        scratch.write(mine, '/a', new TextEncoder().encode(text))
        return scratch.list(mine)[0]?.revision
      })
      expect(new Set(revisions).size).toBe(3)
      scratch.write(mine, '/b', new Uint8Array())
      expect(scratch.list(mine)[0]?.revision).toBe(revisions[2])
      close()
    })

    it('replaces, lists sorted with sizes, and deletes', () => {
      const { scratch, close } = create()
      scratch.write(mine, '/b', new Uint8Array(3))
      scratch.write(mine, '/a', new Uint8Array(1))
      scratch.write(mine, '/b', new Uint8Array(2))
      expect(scratch.list(mine).map(({ name, size }) => [name, size])).toEqual([
        ['/a', 1],
        ['/b', 2],
      ])
      expect(scratch.delete(mine, '/b')).toBe(true)
      expect(scratch.delete(mine, '/b')).toBe(false)
      expect(scratch.list(mine).map(({ name }) => name)).toEqual(['/a'])
      close()
    })
  })
}
