import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ScratchFile, ScratchStore } from './scratch-store.ts'

type StoredFile = Pick<ScratchFile, 'modified' | 'revision'> & { readonly bytes: Uint8Array }

export function createMemoryScratchStore(now: () => number): ScratchStore {
  let revision = 0
  const threads = new Map<ThreadId, Map<string, StoredFile>>()
  const filesOf = (threadId: ThreadId): Map<string, StoredFile> => {
    const files = threads.get(threadId) ?? new Map<string, StoredFile>()
    threads.set(threadId, files)
    return files
  }
  return {
    list: (threadId) =>
      [...filesOf(threadId)]
        .map(([name, { bytes, modified, revision }]) => ({ name, size: bytes.length, modified, revision }))
        .sort((a, b) => byCodeUnit(a.name, b.name)),
    read: (threadId, name) => filesOf(threadId).get(name)?.bytes.slice(),
    write(threadId, name, bytes) {
      revision += 1
      filesOf(threadId).set(name, { bytes: bytes.slice(), modified: now(), revision })
    },
    delete: (threadId, name) => filesOf(threadId).delete(name),
  }
}
