import { History } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { rootThreadOf } from '#shared/model/project-state.ts'
import { useApp, useSession } from '../state/hooks/hooks.tsx'
import { activeRoot } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Select } from '../ui/controls/field.tsx'
import { Empty, Notice } from '../ui/controls/notice.tsx'
import { HistoryRow } from './history-row.tsx'

const labels = strings.history
const scopes = ['project', 'thread'] as const
const page = 100

/** Everything that was taken away in the project, latest first. Each item offers its undo while one exists. */
export function HistoryScreen(): ReactNode {
  const [scope, setScope] = useState<(typeof scopes)[number]>('project')
  const [most, setMost] = useState(page)
  const project = useApp((state) => state.project)
  const history = useApp((state) => state.history)
  const root = useApp(activeRoot)
  const isComplete = useApp((state) => state.unread.size === 0) || scope === 'thread'
  const items = history
    .filter(({ threadId }) => scope === 'project' || rootThreadOf(project, threadId) === root?.id)
    .toReversed()
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-3 px-4 py-3">
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-40 flex-1 text-muted">{labels.lead}</p>
          <Select
            aria-label={labels.filter}
            value={scope}
            onChange={(event) => setScope(event.target.value === 'thread' ? 'thread' : 'project')}
            className="w-auto!"
          >
            {scopes.map((one) => (
              <option key={one} value={one}>
                {labels.filters[one]}
              </option>
            ))}
          </Select>
        </div>
        {scope === 'project' && <UnreadNotice />}
        {items.length === 0 && isComplete ? (
          <Empty icon={<History size={24} aria-hidden />} title={labels.none} detail={labels.noneDetail} />
        ) : (
          <ul aria-label={labels.list} className="divide-y divide-line rounded-lg border border-line">
            {items.slice(0, most).map((item) => (
              <HistoryRow key={item.sequence} item={item} />
            ))}
          </ul>
        )}
        {items.length > most && (
          <Button className="self-start" onClick={() => setMost(most + page)}>
            {labels.earlier(items.length - most)}
          </Button>
        )}
      </div>
    </div>
  )
}

/** Of a project with a long journal, the window reads a thread when it is opened. */
function UnreadNotice(): ReactNode {
  const session = useSession()
  const count = useApp((state) => state.unread.size)
  if (count === 0) return null
  return (
    <Notice
      tone="info"
      title={labels.unread(count)}
      detail={labels.unreadDetail}
      actions={<Button onClick={() => session.readEverything()}>{labels.readAll}</Button>}
    />
  )
}
