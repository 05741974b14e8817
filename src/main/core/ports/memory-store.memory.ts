import { byCodeUnit } from './code-unit-order.ts'
import type { MemoryFile, MemoryStore } from './memory-store.ts'

export function createMemoryMemoryStore(now: () => number): MemoryStore {
  const files = new Map<string, MemoryFile>()
  const versions = new Map<string, number>()
  const nextVersion = (name: string): number => {
    const version = (versions.get(name) ?? 0) + 1
    versions.set(name, version)
    return version
  }
  return {
    list: () => [...files.values()].sort((a, b) => byCodeUnit(a.name, b.name)),
    read: (name) => files.get(name),
    write(name, text, author) {
      const file = { name, text, version: nextVersion(name), author, updatedAt: now() }
      files.set(name, file)
      return file
    },
    delete(name) {
      if (!files.delete(name)) return false
      nextVersion(name)
      return true
    },
  }
}
