import { NotebookPen, Trash2 } from 'lucide-react'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { latestVersion, type Memory } from '#shared/model/memory.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { activeRoot } from '../state/store/selectors.ts'
import { showMemory } from '../state/store/ui-state.ts'
import { formatDate } from '../strings/format.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { listMemories, type MemoryFilter } from './memory-list.ts'
import { MemoryToolbar } from './memory-toolbar.tsx'
import { MemoryTransferDialog, type TransferKind } from './memory-transfer.tsx'
import { type MemoryActions, useMemoryActions } from './use-memory-actions.ts'

const labels = strings.memory
const offLabels = strings.memory.off

export function MemoryOverview(): ReactNode {
  const [query, setQuery] = useState('')
  const [filter, setFilter] = useState<MemoryFilter>('all')
  const [transfer, setTransfer] = useState<TransferKind | null>(null)
  const { found, names, retry } = useMemorySearch(query.trim())
  const memories = useApp((state) => state.project.memories)
  const listed = useMemo(() => listMemories(memories.values(), filter, names, Date.now()), [memories, filter, names])
  const actions = useMemoryActions()
  return (
    <>
      <p className="text-muted">{labels.lead}</p>
      <ThreadSwitch />
      <MemoryToolbar query={query} onQuery={setQuery} filter={filter} onFilter={setFilter} onTransfer={setTransfer} />
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
        <ul aria-label={labels.list} className="divide-y divide-line rounded-lg border border-line">
          {listed.map((memory) => (
            <MemoryRow key={memory.name} memory={memory} actions={actions} />
          ))}
        </ul>
      )}
      {transfer && <MemoryTransferDialog kind={transfer} onClose={() => setTransfer(null)} />}
    </>
  )
}

function useMemorySearch(query: string) {
  const projectId = useProjectId()
  const written = useApp(({ project }) =>
    project.memories.values().reduce((sum, { versions }) => sum + versions.length, 0),
  )
  const [found, retry] = useQuery('memory.search', query === '' ? null : { projectId, query }, written)
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

function MemoryRow({ memory, actions }: { memory: Memory; actions: MemoryActions }): ReactNode {
  const updateUi = useUpdateUi()
  const { name, text } = memory
  return (
    <li className="flex items-start gap-1 pr-1.5 hover:bg-hover">
      <button
        type="button"
        aria-label={name}
        onClick={() => updateUi((ui) => showMemory(ui, name))}
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

/** Switches the memory on or off for the open thread. */
function ThreadSwitch(): ReactNode {
  const thread = useApp(activeRoot)
  return thread && <Switch key={thread.id} thread={thread} />
}

function Switch({ thread }: { thread: ThreadState }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const switching = useCommand()
  const hintId = useId()
  /** The state the person asked for, until the thread has it. */
  const [asked, setAsked] = useState(thread.memory)
  const [known, setKnown] = useState(thread.memory)
  if (known !== thread.memory) {
    setKnown(thread.memory)
    setAsked(thread.memory)
  }
  async function change(memory: boolean): Promise<void> {
    setAsked(memory)
    const done = await switching.run(() => client.threads.configure({ projectId, threadId: thread.id, memory }))
    if (!done) setAsked(!memory)
  }
  return (
    <div>
      <label className="flex min-h-7 cursor-pointer items-start gap-2">
        <input
          type="checkbox"
          checked={asked}
          aria-describedby={hintId}
          onChange={(event) => void change(event.target.checked)}
          className="mt-0.5 size-4 shrink-0 accent-accent-solid"
        />
        <span className="[overflow-wrap:anywhere]">{offLabels.label(thread.title)}</span>
      </label>
      <p id={hintId} className="pl-6 text-muted text-xs">
        {offLabels.hint}
      </p>
      {switching.refusal && <RefusalNotice refusal={switching.refusal} />}
    </div>
  )
}
