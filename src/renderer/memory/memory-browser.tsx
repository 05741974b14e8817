import { NotebookPen, Trash2 } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { latestVersion, type Memory } from '#shared/model/memory.ts'
import { formatDate } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { type MemoryScope, showMemory } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { listMemories, type MemoryFilter } from './memory-list.ts'
import { MemoryToolbar } from './memory-toolbar.tsx'
import type { TransferKind } from './memory-transfer.tsx'
import { type MemoryActions, useMemoryActions } from './use-memory-actions.ts'

const labels = strings.memory

interface MemoryBrowserProps {
  readonly scope: MemoryScope
  readonly memories: ReadonlyMap<string, Memory>
  /** Changes with every write, so that a search is made again. */
  readonly written: number
  readonly onTransfer?: (kind: TransferKind) => void
}

/** Searches, filters and lists memories of one scope. */
export function MemoryBrowser({ scope, memories, written, onTransfer }: MemoryBrowserProps): ReactNode {
  const [query, setQuery] = useState('')
  const [filter, setFilter] = useState<MemoryFilter>('all')
  const { found, names, retry } = useMemorySearch(scope, query.trim(), written)
  const listed = useMemo(() => listMemories(memories.values(), filter, names, Date.now()), [memories, filter, names])
  const actions = useMemoryActions(scope)
  return (
    <>
      <MemoryToolbar
        scope={scope}
        query={query}
        onQuery={setQuery}
        filter={filter}
        onFilter={setFilter}
        {...(onTransfer && { onTransfer })}
      />
      {actions.refusal && <RefusalNotice refusal={actions.refusal} />}
      {found.state === 'failed' && <RefusalNotice refusal={found.refusal} onRetry={retry} />}
      {filter === 'unused' && listed.length > 1 && (
        <Button tone="danger" className="self-start" disabled={actions.busy} onClick={() => actions.remove(listed)}>
          {labels.pruneAll(listed.length)}
        </Button>
      )}
      {listed.length === 0 ? (
        <NothingListed filter={filter} query={query.trim()} />
      ) : (
        <ul aria-label={labels.scopes[scope].list} className="divide-y divide-line rounded-lg border border-line">
          {listed.map((memory) => (
            <MemoryRow key={memory.name} memory={memory} scope={scope} actions={actions} />
          ))}
        </ul>
      )}
    </>
  )
}

function useMemorySearch(scope: MemoryScope, query: string, written: number) {
  const projectId = useProjectId()
  const procedure = scope === 'user' ? 'userMemory.search' : 'memory.search'
  const [found, retry] = useQuery(procedure, query === '' ? null : { projectId, query }, written)
  const names = useMemo(() => found.value && new Set<string>(found.value), [found.value])
  return { found, names, retry }
}

function NothingListed({ filter, query }: { filter: MemoryFilter; query: string }): ReactNode {
  const icon = <NotebookPen size={24} aria-hidden />
  return query === '' ? (
    <Empty icon={icon} title={labels.none[filter]} detail={labels.noneDetail[filter]} />
  ) : (
    <Empty icon={icon} title={labels.nothingFound(query)} detail={labels.nothingFoundDetail} />
  )
}

function MemoryRow(props: { memory: Memory; scope: MemoryScope; actions: MemoryActions }): ReactNode {
  const { memory, scope, actions } = props
  const updateUi = useUpdateUi()
  const { name, text } = memory
  return (
    <li className="flex items-start gap-1 pr-1.5 hover:bg-hover">
      <button
        type="button"
        aria-label={name}
        onClick={() => updateUi((ui) => showMemory(ui, name, scope))}
        className="min-w-0 flex-1 px-3 py-2 text-left"
      >
        <PathText path={name} className="block font-medium text-sm!" />
        {text !== null && (
          <span className="block truncate">
            <VisibleText text={firstLine(text)} />
          </span>
        )}
        <span className="block text-muted text-xs">{provenanceOf(memory)}</span>
      </button>
      {text !== null && (
        <IconButton
          label={labels.deleteOne(name)}
          className="mt-2"
          disabled={actions.busy}
          onClick={() => actions.remove([memory])}
        >
          <Trash2 size={14} aria-hidden />
        </IconButton>
      )}
    </li>
  )
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}

/** Says who wrote it last and when, and when an agent last read it. */
function provenanceOf(memory: Memory): string {
  const { agent, at } = latestVersion(memory)
  const author = agent === null ? labels.by.person : labels.by.agent(agent)
  if (memory.text === null) return labels.deletedBy(author, formatDate(at))
  const used = memory.used ? labels.used(formatDate(memory.used.at)) : labels.neverUsed
  return `${labels.written(author, formatDate(at))} · ${used}`
}
