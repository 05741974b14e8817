import { exactText } from '#overlay'
import type { LayeredMap } from '#shared/base/layered-map.ts'
import type { MemoryEntryBody } from '#shared/model/entry.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { latestVersion, type Memory, userMemoryFolder } from '#shared/model/memory.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { FileTreeError } from '../ports/file-tree.ts'
import type { NamedBytes } from '../ports/stores/scratch-store.ts'
import { looksSecret } from '../secrets/secrets.ts'

/** The memories as the agents of a thread see them. */
export interface MemoryAccess {
  /** Those of the project, by name. */
  readonly project: () => LayeredMap<string, Memory>
  /** Those for all projects, by name; a sentence says why there are none for this thread. */
  readonly user: (() => LayeredMap<string, Memory>) | string
}

/** Every memory by its name below the place of the memories. Those for all projects are in the folder `user/`. */
export function* visibleMemories({ project, user }: MemoryAccess): Generator<readonly [name: string, memory: Memory]> {
  const own = project()
  yield* own
  if (typeof user === 'string') return
  for (const [name, memory] of user()) {
    const path = `${userMemoryFolder}${name}`
    if (!isTaken(own, path)) yield [path, memory]
  }
}

function memoryAt({ project, user }: MemoryAccess, name: string): Memory | undefined {
  if (!isForAllProjects({ project }, name)) return project().get(name)
  return typeof user === 'string' ? undefined : user().get(nameForAll(name))
}

/** False for an own memory of the project that has such a name from before. Nothing hides it. */
function isForAllProjects({ project }: Pick<MemoryAccess, 'project'>, name: string): boolean {
  return name.startsWith(userMemoryFolder) && !isTaken(project(), name)
}

function isTaken(project: LayeredMap<string, Memory>, name: string): boolean {
  return (project.get(name)?.text ?? null) !== null
}

/** The memories as files below `prefix`. Writes go into the trace, and from there into the journal. */
export function memoryBytes(access: MemoryAccess, prefix: string, trace: MemoryTrace): NamedBytes {
  const encoder = new TextEncoder()
  const own = (path: VirtualPath) => path.slice(prefix.length)
  const textAt = (path: VirtualPath) => memoryAt(access, own(path))?.text ?? null
  return {
    list: () =>
      [...visibleMemories(access)].flatMap(([name, memory]) =>
        memory.text === null
          ? []
          : [
              {
                name: `${prefix}${name}` as VirtualPath,
                size: encoder.encode(memory.text).length,
                modified: latestVersion(memory).at,
              },
            ],
      ),
    read: (path) => {
      const text = textAt(path)
      return text === null ? undefined : encoder.encode(text)
    },
    checkName(path) {
      const problem = nameProblem(access, own(path))
      if (problem !== null) throw new FileTreeError('refused', path, problem)
    },
    write: (path, bytes) => {
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
      if (textAt(path) !== text) trace.changed(own(path), text)
    },
    delete: (path) => {
      if (textAt(path) !== null) trace.changed(own(path), null)
    },
  }
}

function nameProblem(access: MemoryAccess, name: string): string | null {
  if (name === userMemoryFolder.slice(0, -1) && !isTaken(access.project(), name))
    return `${userMemoryFolder} is the folder of the memories for all projects. Choose another name, or a name below it.`
  return isForAllProjects(access, name) && typeof access.user === 'string' ? access.user : null
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

/** Without access, every memory is the project's own. */
export function createMemoryTrace(access: MemoryAccess | null = null): MemoryTrace {
  const names = new Set<string>()
  const changes = new Map<string, string | null>()
  const isShared = (name: string) => access !== null && isForAllProjects(access, name)
  return {
    recalled: (name) => void names.add(name),
    changed: (name, text) => void changes.set(name, text),
    entries(agent, callId) {
      const by = { agent, callId }
      const changed = [...changes].map(([path, text]): MemoryEntryBody => {
        const shared = isShared(path)
        const name = shared ? nameForAll(path) : path
        if (text === null) return { type: shared ? 'user_memory.deleted' : 'memory.deleted', name, ...by }
        return { type: shared ? 'user_memory.written' : 'memory.written', name, text, ...by, restores: null }
      })
      const own = [...names].filter((name) => !isShared(name))
      const shared = [...names].filter(isShared).map(nameForAll)
      return [
        ...(own.length > 0 ? [{ type: 'memory.recalled', names: own } as const] : []),
        ...(shared.length > 0 ? [{ type: 'user_memory.recalled', names: shared } as const] : []),
        ...changed,
      ]
    },
  }
}

function nameForAll(path: string): string {
  return path.slice(userMemoryFolder.length)
}
