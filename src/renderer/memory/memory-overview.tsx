import { FolderInput, FolderOutput, NotebookPen, Plus, Search } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useApp, useClient, useLoaded, useProjectId, useUpdateView } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { showMemory } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Select, TextInput } from '../ui/field.tsx'
import { Empty } from '../ui/notice.tsx'
import { listedMemories, type MemoryFilter, memoryFilters } from './memory-list.ts'
import { MemoryRow } from './memory-row.tsx'
import { MemoryTransferDialog, type TransferKind } from './memory-transfer.tsx'
import { ThreadSwitch } from './thread-switch.tsx'
import { useMemoryActs } from './use-memory-acts.ts'

const words = strings.memory

export function MemoryOverview(): ReactNode {
  const [query, setQuery] = useState('')
  const [filter, setFilter] = useState<MemoryFilter>('all')
  const [transfer, setTransfer] = useState<TransferKind | null>(null)
  const updateView = useUpdateView()
  const [found, retry] = useFound(query.trim())
  const memories = useApp((state) => state.journal.memories)
  const names = found.value
  const listed = useMemo(() => listedMemories(memories.values(), filter, names, Date.now()), [memories, filter, names])
  const acts = useMemoryActs()
  return (
    <>
      <p className="text-muted">{words.lead}</p>
      <ThreadSwitch />
      <div className="flex flex-wrap items-center gap-2">
        <search className="relative min-w-40 flex-1">
          <Search size={13} aria-hidden className="absolute top-[9px] left-2.5 text-faint" />
          <TextInput
            type="search"
            aria-label={words.search}
            placeholder={words.search}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            className="pl-8"
          />
        </search>
        <Select
          aria-label={words.filter}
          value={filter}
          onChange={(event) => setFilter(memoryFilters.find((one) => one === event.target.value) ?? 'all')}
          className="w-auto!"
        >
          {memoryFilters.map((one) => (
            <option key={one} value={one}>
              {words.filters[one]}
            </option>
          ))}
        </Select>
        <Button icon={<FolderInput size={14} aria-hidden />} className="h-8" onClick={() => setTransfer('import')}>
          {words.transfer.import}
        </Button>
        <Button icon={<FolderOutput size={14} aria-hidden />} className="h-8" onClick={() => setTransfer('export')}>
          {words.transfer.export}
        </Button>
        <Button
          tone="primary"
          className="h-8"
          icon={<Plus size={14} aria-hidden />}
          onClick={() => updateView((view) => showMemory(view, ''))}
        >
          {words.new}
        </Button>
      </div>
      {acts.refusal && <RefusalNotice refusal={acts.refusal} />}
      {found.state === 'failed' && <RefusalNotice refusal={found.refusal} onRetry={retry} />}
      {filter === 'unused' && listed.length > 1 && (
        <Button tone="danger" className="self-start" disabled={acts.busy} onClick={() => acts.remove(listed)}>
          {words.pruneAll(listed.length)}
        </Button>
      )}
      {listed.length === 0 ? (
        <NothingListed filter={filter} query={query.trim()} />
      ) : (
        <ul aria-label={words.list} className="divide-y divide-line rounded-lg border border-line">
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
    <Empty icon={icon} title={words.none[filter]} detail={words.noneDetail[filter]} />
  ) : (
    <Empty icon={icon} title={words.nothingFound(query)} detail={words.nothingFoundDetail} />
  )
}
