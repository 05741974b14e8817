import { type Result, success } from '#shared/base/result.ts'
import type { MemoryEntryBody } from '#shared/model/entry.ts'
import { projectThread, type Sequence } from '#shared/model/ids.ts'
import { latestVersion } from '#shared/model/memory.ts'
import { parseVirtualPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { LogReader } from '../journal/project-log.ts'
import { createMemoryTrace, memoryBytes, refuseAsMemory } from '../memory/memory-files.ts'
import { createStoreTree } from '../tools/namespace/store-tree.ts'
import { type CommandError, type CommandProject, type Decided, refuse, write } from './command.ts'

/** A change by a person. `latest` is the version they saw, null for none. */
interface MemoryChange {
  readonly name: string
  readonly latest: Sequence | null
}

/**
 * Stores a version. Its text passes the same checks as an agent's. An unchanged text stores nothing.
 *
 * @throws FileTreeError what the store refuses
 */
export function writeMemory(project: CommandProject, change: MemoryChange & { readonly text: string }): Decided {
  const { name, text } = change
  const problem = staleProblem(project, change)
  if (problem) return problem
  const path = memoryPath(name)
  return path.ok ? writeMemories(project, [[path.value, new TextEncoder().encode(text)]]) : path
}

/** Stores that the memory is gone; nothing where it is gone already or never was. */
export function deleteMemory(project: CommandProject, change: MemoryChange): Decided {
  const { name } = change
  const problem = staleProblem(project, change)
  if (problem) return problem
  const memory = project.log.state.memories.get(name)
  if (!memory || latestVersion(memory).length === null) return memoryWrite([])
  return memoryWrite([{ type: 'memory.deleted', name, agent: null, callId: null }])
}

/**
 * Stores a new version equal to `to`, or deletes the memory when `to` is null. The versions in between stay in the
 * history.
 */
export function restoreMemory(
  project: CommandProject,
  { to, ...change }: MemoryChange & { readonly to: Sequence | null },
): Decided {
  if (to === null) return deleteMemory(project, change)
  const problem = staleProblem(project, change)
  if (problem) return problem
  const text = findMemoryVersion(project.log, change.name, to)
  if (!text.ok) return text
  return memoryWrite([
    { type: 'memory.written', name: change.name, text: text.value, agent: null, callId: null, restores: to },
  ])
}

/**
 * Stores several memories together, under the rules of the store.
 *
 * @throws FileTreeError what the store refuses
 */
export function writeMemories(
  project: CommandProject,
  contents: Iterable<readonly [path: VirtualPath, bytes: Uint8Array]>,
): Decided {
  const editing = editMemory(project.log)
  for (const [path, bytes] of contents) editing.write(path, bytes)
  return memoryWrite(editing.entries())
}

/** Several writes under the rules of the store. Nothing is stored until the entries are committed. */
export interface MemoryEditing {
  /** @throws FileTreeError what the store refuses */
  write(path: VirtualPath, bytes: Uint8Array): void
  /** The entries of all writes. Call once, at the end. */
  entries(): readonly MemoryEntryBody[]
}

const notOfTheProject =
  'Notes below user/ are for all projects. Write them in the section “For all projects” of the Memory screen.'

export function editMemory(log: LogReader): MemoryEditing {
  const trace = createMemoryTrace()
  const bytes = memoryBytes({ project: () => log.state.memories, user: notOfTheProject }, '/', trace)
  const tree = createStoreTree(rootPath, bytes, refuseAsMemory)
  return {
    write: tree.writeBytes,
    entries() {
      tree.commit()
      return trace.entries(null, null)
    },
  }
}

/** The text of one version of a memory. */
export function findMemoryVersion(log: LogReader, name: string, sequence: Sequence): Result<string, CommandError> {
  const entry = log.entryAt(sequence)
  if (entry?.type !== 'memory.written' || entry.name !== name)
    return refuse('not_found', 'There is no version of this memory at this point of its history.')
  return success(entry.text)
}

/** The path of a memory in its store: `/` and its name. */
export function memoryPath(name: string): Result<VirtualPath, CommandError> {
  const parsed = parseVirtualPath(`/${name}`)
  if (!parsed.ok || parsed.value !== `/${name}`)
    return refuse('invalid', `“${name}” cannot be the name of a memory. Use a name like notes/style.md.`)
  return success(parsed.value)
}

function memoryWrite(bodies: readonly MemoryEntryBody[]): Decided {
  return write(bodies.map((body) => ({ ...body, threadId: projectThread })))
}

function staleProblem(
  { log }: CommandProject,
  { name, latest }: MemoryChange,
): Result<never, CommandError> | undefined {
  const memory = log.state.memories.get(name)
  if ((memory ? latestVersion(memory).sequence : null) === latest) return undefined
  return refuse('conflict', 'This memory was written again meanwhile. Look at it as it is now, then try again.')
}
