import { createMemoryTrace, memoryBytes, refuseAsMemory } from '#core/memory/memory-files.ts'
import { createStoreTree } from '#core/tools/namespace/store-tree.ts'
import { isNonEmpty } from '#shared/base/non-empty.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { EntryDraft, MemoryEntryBody } from '#shared/model/entry.ts'
import { projectThread, type Sequence } from '#shared/model/ids.ts'
import { latestVersion } from '#shared/model/memory.ts'
import { wordsOf } from '#shared/model/searched-text.ts'
import { parseVirtualPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from './composition/project.ts'

/** A change a person makes: `latest` is the version they saw, null where there was none. */
interface MemoryChange {
  readonly name: string
  readonly latest: Sequence | null
}

/** Stores a version; the text goes through the same checks as an agent's. Nothing is stored where nothing changes. */
export function writeMemory(
  project: Project,
  { name, latest, text }: MemoryChange & { readonly text: string },
): { readonly sequence: Sequence | null } {
  requireLatest(project, name, latest)
  const editing = editMemory(project)
  editing.write(memoryPath(name), new TextEncoder().encode(text))
  return { sequence: storeMemory(project, editing.drafts()) }
}

export function deleteMemory(project: Project, { name, latest }: MemoryChange): { readonly sequence: Sequence | null } {
  requireLatest(project, name, latest)
  return { sequence: storeMemory(project, [{ type: 'memory.deleted', name, agent: null, callId: null }]) }
}

/** A new version equal to `to`; null for the time when there was no such file. What was between stays in the history. */
export function restoreMemory(
  project: Project,
  { name, latest, to }: MemoryChange & { readonly to: Sequence | null },
): { readonly sequence: Sequence | null } {
  if (to === null) return deleteMemory(project, { name, latest })
  requireLatest(project, name, latest)
  const text = memoryVersion(project, name, to)
  const version = { type: 'memory.written', name, text, agent: null, callId: null, restores: to } as const
  return { sequence: storeMemory(project, [version]) }
}

export function memoryVersion({ services }: Project, name: string, sequence: Sequence): string {
  const entry = services.log.entryAt(sequence)
  if (entry?.type !== 'memory.written' || entry.name !== name)
    throw new WireError('NOT_FOUND', 'There is no version of this memory at this point of its history.')
  return entry.text
}

/** Names of the memories that hold all the words now, in their name or text. */
export function searchMemory({ services: { log } }: Project, query: string): readonly string[] {
  const found = new Set(log.find({ place: 'memories', words: wordsOf(query), limit: mostVersions }))
  return [...log.state.memories.values()]
    .filter((memory) => memory.text !== null && found.has(latestVersion(memory).sequence))
    .map(({ name }) => name)
}

const mostVersions = 100_000

/** Several writes under the rules of the store, stored together. */
interface MemoryEditing {
  /** Throws what the store refuses. */
  write(path: VirtualPath, bytes: Uint8Array): void
  drafts(): readonly MemoryEntryBody[]
}

export function editMemory({ services: { log } }: Project): MemoryEditing {
  const trace = createMemoryTrace()
  const bytes = memoryBytes(() => log.state.memories, '/', trace)
  const tree = createStoreTree(rootPath, bytes, refuseAsMemory)
  return {
    write: tree.writeBytes,
    drafts() {
      tree.commit()
      return trace.entries(null, null)
    },
  }
}

export function storeMemory({ services }: Project, drafts: readonly MemoryEntryBody[]): Sequence | null {
  const entries = drafts.map((draft): EntryDraft => ({ ...draft, threadId: projectThread }))
  return isNonEmpty(entries) ? services.log.append(entries)[0].sequence : null
}

export function memoryPath(name: string): VirtualPath {
  const parsed = parseVirtualPath(`/${name}`)
  if (!parsed.ok || parsed.value !== `/${name}`)
    throw new WireError('BAD_REQUEST', `“${name}” cannot be the name of a memory. Use a name like notes/style.md.`)
  return parsed.value
}

function requireLatest({ services }: Project, name: string, latest: Sequence | null): void {
  const memory = services.log.state.memories.get(name)
  if ((memory ? latestVersion(memory).sequence : null) !== latest)
    throw new WireError('CONFLICT', 'This memory was written again meanwhile. Look at it as it is now, then try again.')
}
