import type { Sequence } from '#shared/model/ids.ts'
import { latestVersion, type Memory, type UserMemoryWrites, versionBefore } from '#shared/model/memory.ts'

/** The input that undoes one version of a memory. It restores the previous version as a new one. */
interface MemoryUndo {
  readonly name: string
  readonly to: Sequence | null
  readonly latest: Sequence
}

/** The input that undoes a version; null if there is a later version. */
export function memoryUndo(memory: Memory, sequence: Sequence): MemoryUndo | null {
  if (latestVersion(memory).sequence !== sequence) return null
  return { name: memory.name, to: versionBefore(memory, sequence)?.sequence ?? null, latest: sequence }
}

/** Whether a version is still current, was undone, or was replaced. */
export function fateOf(memory: Memory, sequence: Sequence): 'current' | 'undone' | 'replaced' {
  const latest = latestVersion(memory)
  if (latest.sequence === sequence) return 'current'
  const before = versionBefore(memory, sequence)?.sequence ?? null
  const isBack =
    latest.agent === null && (latest.length === null ? before === null : latest.restores === before && before !== null)
  return isBack ? 'undone' : 'replaced'
}

/** The same for a write to a memory for all projects, as far as this project knows. */
export function userMemoryFate(
  writes: UserMemoryWrites | undefined,
  sequence: Sequence,
): 'current' | 'undone' | 'replaced' {
  if (writes?.undone.includes(sequence)) return 'undone'
  return writes?.latest === sequence ? 'current' : 'replaced'
}
