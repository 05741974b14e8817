import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ScratchStore } from './scratch-store.ts'

type ScratchFile = { readonly bytes: Uint8Array; readonly modified: number }

export function createMemoryScratchStore(now: () => number): ScratchStore {
  const threads = new Map<ThreadId, Map<string, ScratchFile>>()
  const filesOf = (threadId: ThreadId): Map<string, ScratchFile> => {
    const files = threads.get(threadId) ?? new Map<string, ScratchFile>()
    threads.set(threadId, files)
    return files
  }
  return {
    list: (threadId) =>
      [...filesOf(threadId)]
        .map(([name, { bytes, modified }]) => ({ name, size: bytes.length, modified }))
        .sort((a, b) => byCodeUnit(a.name, b.name)),
    read: (threadId, name) => filesOf(threadId).get(name)?.bytes.slice(),
    write: (threadId, name, bytes) => void filesOf(threadId).set(name, { bytes: bytes.slice(), modified: now() }),
    delete: (threadId, name) => filesOf(threadId).delete(name),
  }
}
