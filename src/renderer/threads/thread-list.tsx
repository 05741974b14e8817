import { ListFilter, Plus, Search, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { focusMessageBox } from '../parts/message-box.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { keysHere } from '../state/preferences/keymap.ts'
import { startThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { IconButton } from '../ui/controls/button.tsx'
import { Menu } from '../ui/controls/menu.tsx'
import type { GroupKey, ThreadFilter } from './thread-rows.ts'
import { type ThreadRows, useThreadRows } from './use-thread-rows.ts'
import { VirtualThreads } from './virtual-threads.tsx'

const labels = strings.threads
const places: readonly ThreadFilter[] = ['active', 'archived', 'deleted']

/** The project's threads, grouped by status. The box above them searches titles and messages. */
export function ThreadList(): ReactNode {
  const [shown, setShown] = useState<ThreadFilter>('active')
  const [query, setQuery] = useState('')
  const [closed, setClosed] = useState<ReadonlySet<GroupKey>>(new Set())
  const found = useThreadRows(shown, query, closed)
  const toggle = (group: GroupKey): void => {
    const next = new Set(closed)
    if (!next.delete(group)) next.add(group)
    setClosed(next)
  }
  return (
    <nav aria-label={labels.title} className="flex min-h-0 flex-col">
      <Heading shown={shown} onShow={setShown} />
      <SearchBox query={query} onChange={setQuery} />
      <VirtualThreads key={shown} rows={found.rows} shown={shown} searching={found.search !== null} onToggle={toggle} />
      <Rest found={found} shown={shown} query={query.trim()} />
    </nav>
  )
}

function Heading({ shown, onShow }: { shown: ThreadFilter; onShow: (shown: ThreadFilter) => void }): ReactNode {
  const updateUi = useUpdateUi()
  return (
    <h2 className="flex shrink-0 items-center gap-0.5 py-1 pr-2 pl-3 font-semibold text-xs">
      <span className="mr-auto">{labels.show[shown]}</span>
      <Menu
        trigger={
          <IconButton label={labels.shown} className="size-6!" aria-pressed={shown !== 'active'}>
            <ListFilter size={14} aria-hidden />
          </IconButton>
        }
        choices={places.map((place) => ({
          id: place,
          label: labels.show[place],
          checked: place === shown,
          onSelect: () => onShow(place),
        }))}
      />
      <IconButton
        label={labels.newThread}
        keys={keysHere('Mod+Alt+N')}
        className="size-6!"
        onClick={() => {
          updateUi(startThread)
          focusMessageBox()
        }}
      >
        <Plus size={15} aria-hidden />
      </IconButton>
    </h2>
  )
}

function SearchBox({ query, onChange }: { query: string; onChange: (query: string) => void }): ReactNode {
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>): void {
    const first = event.currentTarget.closest('nav')?.querySelector<HTMLElement>('[data-row]')
    if (event.key === 'Escape') onChange('')
    else if (event.key === 'ArrowDown') first?.focus()
    else if (event.key === 'Enter' && query.trim() !== '') first?.click()
    else return
    event.preventDefault()
  }
  return (
    <search className="relative mx-2 mb-1 shrink-0">
      <Search size={13} aria-hidden className="absolute top-[7px] left-2 text-faint" />
      <input
        type="search"
        aria-label={labels.search}
        placeholder={labels.searchHint}
        value={query}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-7 w-full appearance-none rounded-md border border-line bg-canvas pr-7 pl-7 outline-none focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-accent [&::-webkit-search-cancel-button]:hidden"
      />
      {query !== '' && (
        <IconButton
          label={labels.clearSearch}
          className="absolute top-0.5 right-0.5 size-6!"
          onClick={() => onChange('')}
        >
          <X size={13} aria-hidden />
        </IconButton>
      )}
    </search>
  )
}

/** The text below the rows, or in place of them: loading, a failure, or an empty list. */
function Rest({
  found: { rows, search, retry },
  shown,
  query,
}: {
  found: ThreadRows
  shown: ThreadFilter
  query: string
}): ReactNode {
  const connection = useApp((state) => state.connection)
  const outlined = useApp((state) => state.outlined)
  if (search?.state === 'failed') return <RefusalNotice refusal={search.refusal} onRetry={retry} />
  if (search?.state === 'loading' && rows.length === 0) return <Waiting label={labels.found.searching} />
  if (search?.value?.more) return <p className="shrink-0 px-3 py-1 text-muted text-xs">{labels.found.more}</p>
  if (rows.length > 0) return null
  if (!outlined && connection === 'connected') return <Waiting label={strings.common.loading} />
  const empty = connection === 'connected' ? labels.none[shown] : strings.shell.connection[connection]
  return <p className="px-3 pb-2 text-muted [overflow-wrap:anywhere]">{search ? labels.found.nothing(query) : empty}</p>
}
