import type { LayeredMap } from '#shared/base/layered-map.ts'
import type { MemoryEntryBody } from '#shared/model/entry.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { latestVersion, type Memory } from '#shared/model/memory.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { exactText } from '../overlay/binary.ts'
import { FileTreeError } from '../ports/file-tree.ts'
import type { NamedBytes } from '../ports/scratch-store.ts'
import { looksSecret } from '../secrets/secrets.ts'

/** The memory as the agents of a thread see it; null when it is switched off for them. */
export type MemoryAccess = (() => LayeredMap<string, Memory>) | null

/** The memories as files below `prefix`. Writes go into the trace, and from there into the journal. */
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

/** The memory folder for agents without access. Every use of it is refused, with the reason. */
export function withheldMemory(prefix: string): NamedBytes {
  const refuse = (): never => {
    const message = `The user switched memory off for this thread: nothing below ${prefix} can be read or written.`
    throw new FileTreeError('refused', prefix.slice(0, -1) as VirtualPath, message)
  }
  return { list: refuse, read: refuse, write: refuse, delete: refuse }
}

/** Bytes of one file. Memories are small notes, because all of them travel with the project's state. */
export const maxMemoryBytes = 256 * 1024

/**
 * Why these bytes cannot be a memory; null when they can. Memory outlives threads and every later thread reads it, so
 * it holds only text, without apparent secrets.
 */
export function memoryProblem(bytes: Uint8Array): string | null {
  if (bytes.length > maxMemoryBytes) return `A memory holds at most ${maxMemoryBytes / 1024} KB. Keep notes short.`
  const text = exactText(bytes)
  if (text === undefined) return 'Memory holds text files (UTF-8) only.'
  return looksSecret(text)
    ? 'This text looks as if it held a secret (a key, token or password), which memory never stores. Leave the value out and describe where it is kept.'
    : null
}

export function refuseAsMemory(bytes: Uint8Array): void {
  const problem = memoryProblem(bytes)
  if (problem !== null) throw new FileTreeError('refused', rootPath, problem)
}

/** Records one call's use of the memory. Store it with the call's result. */
export interface MemoryTrace {
  /** Call for a memory that was read. */
  recalled(name: string): void
  /** Null text deletes. */
  changed(name: string, text: string | null): void
  /** The entries to store. Null for both means that a person did it. */
  entries(agent: string | null, callId: ToolCallId | null): readonly MemoryEntryBody[]
}

export function createMemoryTrace(): MemoryTrace {
  const names = new Set<string>()
  const changes = new Map<string, string | null>()
  return {
    recalled: (name) => void names.add(name),
    changed: (name, text) => void changes.set(name, text),
    entries(agent, callId) {
      const changed = [...changes].map(
        ([name, text]): MemoryEntryBody =>
          text === null
            ? { type: 'memory.deleted', name, agent, callId }
            : { type: 'memory.written', name, text, agent, callId, restores: null },
      )
      return names.size > 0 ? [{ type: 'memory.recalled', names: [...names] }, ...changed] : changed
    },
  }
}
