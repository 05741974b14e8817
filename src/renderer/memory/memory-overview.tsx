import { NotebookPen } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useApp, useClient, useLoaded, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/notice.tsx'
import { listedMemories, type MemoryFilter } from './memory-list.ts'
import { MemoryRow } from './memory-row.tsx'
import { MemoryToolbar } from './memory-toolbar.tsx'
import { MemoryTransferDialog, type TransferKind } from './memory-transfer.tsx'
import { ThreadSwitch } from './thread-switch.tsx'
import { useMemoryActs } from './use-memory-acts.ts'

const labels = strings.memory

export function MemoryOverview(): ReactNode {
  const [query, setQuery] = useState('')
  const [filter, setFilter] = useState<MemoryFilter>('all')
  const [transfer, setTransfer] = useState<TransferKind | null>(null)
  const [found, retry] = useFound(query.trim())
  const memories = useApp((state) => state.journal.memories)
  const names = found.value
  const listed = useMemo(() => listedMemories(memories.values(), filter, names, Date.now()), [memories, filter, names])
  const acts = useMemoryActs()
  return (
    <>
      <p className="text-muted">{labels.lead}</p>
      <ThreadSwitch />
      <MemoryToolbar query={query} onQuery={setQuery} filter={filter} onFilter={setFilter} onTransfer={setTransfer} />
      {acts.refusal && <RefusalNotice refusal={acts.refusal} />}
      {found.state === 'failed' && <RefusalNotice refusal={found.refusal} onRetry={retry} />}
      {filter === 'unused' && listed.length > 1 && (
        <Button tone="danger" className="self-start" disabled={acts.busy} onClick={() => acts.remove(listed)}>
          {labels.pruneAll(listed.length)}
        </Button>
      )}
      {listed.length === 0 ? (
        <NothingListed filter={filter} query={query.trim()} />
      ) : (
        <ul aria-label={labels.list} className="divide-y divide-line rounded-lg border border-line">
          {listed.map((memory) => (
            <MemoryRow key={memory.name} memory={memory} acts={acts} />
          ))}
        </ul>
      )}
      {transfer && <MemoryTransferDialog kind={transfer} onClose={() => setTransfer(null)} />}
    </>
  )
}

function useFound(query: string) {
  const client = useClient()
  const projectId = useProjectId()
  const written = useApp(({ journal }) =>
    journal.memories.values().reduce((sum, { versions }) => sum + versions.length, 0),
  )
  return useLoaded(`${projectId} ${written} ${query}`, async (signal) =>
    query === '' ? null : new Set(await client.memory.search({ projectId, query }, { signal })),
  )
}

function NothingListed({ filter, query }: { filter: MemoryFilter; query: string }): ReactNode {
  const icon = <NotebookPen size={24} aria-hidden />
  return query === '' ? (
    <Empty icon={icon} title={labels.none[filter]} detail={labels.noneDetail[filter]} />
  ) : (
    <Empty icon={icon} title={labels.nothingFound(query)} detail={labels.nothingFoundDetail} />
  )
}
