import type { ReactNode } from 'react'
import { useApp } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { Empty } from '../ui/notice.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { MemoryDetail } from './memory-detail.tsx'
import { MemoryOverview } from './memory-overview.tsx'

const labels = strings.memory

/** What is remembered in the open project: the list of it, or one memory with its versions. */
export function MemoryScreen(): ReactNode {
  const project = useApp((state) => state.project)
  const name = useApp((state) => state.view.memory)
  const memory = useApp((state) => (name === null ? undefined : state.journal.memories.get(name)))
  if (!project) return <Empty title={labels.noProject} detail={labels.noProjectDetail} />
  if (name === null) return <MemoryOverview />
  // What was just saved is there with the next event.
  if (name !== '' && !memory) return <Waiting label={strings.common.loading} />
  return <MemoryDetail key={name} memory={memory ?? null} />
}
