import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import type { MemoryStore } from './memory-store.ts'

const author = { threadId: 'thread-1' as ThreadId, agent: 'main' }
const other = { threadId: 'thread-2' as ThreadId, agent: 'reviewer' }

export function describeMemoryStore(
  name: string,
  create: () => { readonly memory: MemoryStore; readonly close: () => void },
): void {
  describe(`MemoryStore: ${name}`, () => {
    it('keeps text, author and a version that grows with every write, also over a deletion', () => {
      const { memory, close } = create()
      expect(memory.write('notes/style.md', 'tabs', author)).toMatchObject({ version: 1, author, text: 'tabs' })
      expect(memory.write('notes/style.md', 'spaces', other)).toMatchObject({ version: 2, author: other })
      expect(memory.delete('notes/style.md', author)).toBe(true)
      expect(memory.read('notes/style.md')).toBeUndefined()
      expect(memory.write('notes/style.md', 'again', author).version).toBe(4)
      expect(memory.read('notes/style.md')?.text).toBe('again')
      close()
    })

    it('lists what is there, sorted by name', () => {
      const { memory, close } = create()
      for (const file of ['b.md', 'a/z.md', 'B.md']) memory.write(file, file, author)
      memory.delete('b.md', author)
      expect(memory.list().map((file) => file.name)).toEqual(['B.md', 'a/z.md'])
      expect(memory.delete('b.md', author)).toBe(false)
      close()
    })
  })
}
