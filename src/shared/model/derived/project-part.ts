import { type Chain, chain, valuesOf } from '../../base/chain.ts'
import { LayeredMap } from '../../base/layered-map.ts'
import type { CheckRecord, QueuedMerge } from '../check.ts'
import type { Memory, MemoryVersion, UserMemoryWrites } from '../memory.ts'
import { emptyProject, type ProjectState } from '../project-state.ts'

/** What belongs to a project as a whole and to none of its threads, as plain JSON. */
export interface ProjectPart {
  readonly memories: readonly MemoryPart[]
  readonly userMemories: readonly (readonly [name: string, writes: UserMemoryWrites])[]
  /** The newest result of each key. */
  readonly checks: readonly CheckRecord[]
  /** The last queue of merges *when green*. Absent in parts of older versions, which kept none. */
  readonly queue?: readonly QueuedMerge[]
}

interface MemoryPart extends Omit<Memory, 'versions'> {
  /** Oldest first. */
  readonly versions: readonly MemoryVersion[]
}

export function projectPartOf({ memories, userMemories, checks }: ProjectState): ProjectPart {
  return {
    memories: [...memories.values()].map((memory) => ({ ...memory, versions: valuesOf(memory.versions) })),
    userMemories: [...userMemories.entries()],
    checks: [...checks.byKey.values()],
    queue: checks.queue,
  }
}

/** A project with this part and no threads. Its sequence is 0. */
export function projectWith({ memories, userMemories, checks, queue = [] }: ProjectPart): ProjectState {
  return {
    ...emptyProject,
    memories: LayeredMap.empty<string, Memory>().withAll(memories.flatMap(memoryOf)),
    userMemories: LayeredMap.empty<string, UserMemoryWrites>().withAll(userMemories),
    checks: {
      ...emptyProject.checks,
      queue,
      byKey: LayeredMap.empty<string, CheckRecord>().withAll(checks.map((record) => [record.key, record])),
    },
  }
}

function memoryOf({ versions, ...memory }: MemoryPart): readonly (readonly [string, Memory])[] {
  const chained = versions.reduce<Chain<MemoryVersion> | null>(chain, null)
  return chained === null ? [] : [[memory.name, { ...memory, versions: chained }]]
}
