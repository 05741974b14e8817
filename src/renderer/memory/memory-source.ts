import { useEffect, useMemo } from 'react'
import { chain } from '#shared/base/chain.ts'
import type { UserMemoriesView, UserMemoryView } from '#shared/contract/views/memories.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { latestVersion, type Memory, type MemoryVersion } from '#shared/model/memory.ts'
import { useApp, useClient, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import type { MemoryScope } from '../state/store/ui-state.ts'

/** A change by a person; `latest` is the version that they saw. */
interface Change {
  readonly name: string
  readonly latest: Sequence | null
}

/** The commands for the memory of the project, or of all projects. */
export interface MemorySource {
  write(change: Change & { readonly text: string }): Promise<unknown>
  restore(change: Change & { readonly to: Sequence }): Promise<unknown>
  /** Deletes, and returns the undo. */
  remove(memory: Memory): Promise<() => Promise<unknown>>
}

export function useMemorySource(scope: MemoryScope): MemorySource {
  const client = useClient()
  const projectId = useProjectId()
  const store = scope === 'user' ? client.userMemory : client.memory
  return {
    write: (change) => store.write({ projectId, ...change }),
    restore: (change) => store.restore({ projectId, ...change }),
    async remove(memory) {
      const { name } = memory
      const { sequence: to } = latestVersion(memory)
      const { sequence: latest } = await store.delete({ projectId, name, latest: to })
      if (scope === 'project') return () => client.memory.restore({ projectId, name, to, latest })
      return async () => latest !== null && client.userMemory.undo({ projectId, sequence: latest })
    },
  }
}

/** The memories for all projects by name, as last loaded; null before the first answer. */
export function useUserMemories() {
  const projectId = useProjectId()
  const written = useApp(({ project }) =>
    project.userMemories.values().reduce((last, one) => Math.max(last, one.latest), 0),
  )
  const [loaded, reload] = useQuery('userMemory.list', { projectId }, written)
  useEffect(() => {
    // Another program may have written meanwhile.
    window.addEventListener('focus', reload)
    return () => window.removeEventListener('focus', reload)
  }, [reload])
  const { value } = loaded
  const memories = useMemo(() => value && toMemories(value), [value])
  return { loaded, reload, memories }
}

function toMemories({ memories }: UserMemoriesView): ReadonlyMap<string, Memory> {
  return new Map(memories.flatMap((view) => (isNonEmpty(view) ? [[view.name, toMemory(view)] as const] : [])))
}

type NonEmptyView = UserMemoryView & { readonly versions: readonly [MemoryVersion, ...MemoryVersion[]] }

function isNonEmpty(view: UserMemoryView): view is NonEmptyView {
  return view.versions.length > 0
}

function toMemory({ versions: [first, ...later], ...memory }: NonEmptyView): Memory {
  return { ...memory, versions: later.reduce(chain<MemoryVersion>, chain<MemoryVersion>(null, first)) }
}
