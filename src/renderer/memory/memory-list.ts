import { lastTouched, latestVersion, type Memory } from '#shared/model/memory.ts'

export type MemoryFilter = 'all' | 'unused' | 'deleted'
export const memoryFilters = ['all', 'unused', 'deleted'] as const

const unusedAfter = 30 * 24 * 60 * 60 * 1000

/**
 * The memories that a filter lists, latest first; unused ones start with the longest unused. `found` holds the names
 * that a search found; null means that there is no search.
 */
export function listMemories(
  memories: Iterable<Memory>,
  filter: MemoryFilter,
  found: ReadonlySet<string> | null,
  now: number,
): readonly Memory[] {
  const listed = [...memories].filter((memory) => {
    if (filter === 'deleted') return memory.text === null
    return memory.text !== null && (filter === 'all' || now - lastTouched(memory) > unusedAfter)
  })
  const named = found && filter !== 'deleted' ? listed.filter(({ name }) => found.has(name)) : listed
  return filter === 'unused'
    ? named.sort((a, b) => lastTouched(a) - lastTouched(b))
    : named.sort((a, b) => latestVersion(b).sequence - latestVersion(a).sequence)
}
