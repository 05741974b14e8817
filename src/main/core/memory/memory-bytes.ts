import type { LayeredMap } from '#shared/base/layered-map.ts'
import { latestVersion, type Memory } from '#shared/model/memory.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { FileTreeError } from '../ports/file-tree.ts'
import type { NamedBytes } from '../tools/store-tree.ts'
import type { MemoryTrace } from './memory-trace.ts'

/** What agents of a thread know of the memory; null: it is off for them. */
export type MemoryAccess = (() => LayeredMap<string, Memory>) | null

/** The memories as files below `prefix`. What is written goes into the trace, and from there into the journal. */
export function memoryBytes(
  memories: () => LayeredMap<string, Memory>,
  prefix: string,
  trace: MemoryTrace,
): NamedBytes {
  const encoder = new TextEncoder()
  const own = (path: VirtualPath) => path.slice(prefix.length)
  return {
    list: () =>
      [...memories().values()].flatMap((memory) =>
        memory.text === null
          ? []
          : [
              {
                name: `${prefix}${memory.name}` as VirtualPath,
                size: encoder.encode(memory.text).length,
                modified: latestVersion(memory).at,
              },
            ],
      ),
    read: (path) => {
      const text = memories().get(own(path))?.text ?? null
      return text === null ? undefined : encoder.encode(text)
    },
    write: (path, bytes) => {
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
      if (memories().get(own(path))?.text !== text) trace.changed(own(path), text)
    },
    delete: (path) => {
      if ((memories().get(own(path))?.text ?? null) !== null) trace.changed(own(path), null)
    },
  }
}

/** The place of memories for agents that must not know them: everything there is refused by name. */
export function withheldMemory(prefix: string): NamedBytes {
  const refuse = (): never => {
    const message = `The user switched memory off for this thread: nothing below ${prefix} can be read or written.`
    throw new FileTreeError('refused', prefix.slice(0, -1) as VirtualPath, message)
  }
  return { list: refuse, read: refuse, write: refuse, delete: refuse }
}
