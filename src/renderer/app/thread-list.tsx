import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadState, ThreadStatus } from '#shared/model/thread.ts'
import { useApp, useAppList, useUpdateView } from '../state/hooks.tsx'
import { activeRoot, rootThreads } from '../state/selectors.ts'
import { StatusMark } from '../state/status.tsx'
import { strings } from '../state/strings.ts'
import { showThread, startThread } from '../state/view.ts'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { familyStatus } from './family-status.ts'

const words = strings.shell
const order: readonly ThreadStatus[] = ['needs_you', 'working', 'queued', 'paused', 'failed', 'stopped', 'idle', 'done']

/** The project's threads under the status each of them has. */
export function ThreadList(): ReactNode {
  const roots = useAppList(rootThreads)
  const journal = useApp((state) => state.journal)
  const active = useApp(activeRoot)
  const updateView = useUpdateView()
  const statuses = familyStatus(journal)
  return (
    <nav aria-label={words.threads} className="pb-2">
      <h2 className="flex items-center py-1 pr-2 pl-3 font-semibold text-muted text-xs uppercase tracking-wide">
        {words.threads}
        <IconButton label={words.newThread} className="ml-auto size-6!" onClick={() => updateView(startThread)}>
          <Plus size={15} aria-hidden />
        </IconButton>
      </h2>
      {roots.length === 0 && <p className="px-3 text-muted">{words.noThreads}</p>}
      {order.map((status) => {
        const members = roots.filter((thread) => (statuses.get(thread.id) ?? thread.status) === status)
        return members.length > 0 && <StatusGroup key={status} status={status} threads={members} active={active} />
      })}
    </nav>
  )
}

interface StatusGroupProps {
  readonly status: ThreadStatus
  readonly threads: readonly ThreadState[]
  readonly active: ThreadState | null
}

function StatusGroup({ status, threads, active }: StatusGroupProps): ReactNode {
  const updateView = useUpdateView()
  return (
    <div className="mb-1">
      <p className="flex items-center px-3">
        <StatusMark status={status} />
        <span className="ml-auto pr-1 text-faint text-xs tabular-nums">{threads.length}</span>
      </p>
      <ul>
        {threads.map((thread) => (
          <li key={thread.id}>
            <button
              type="button"
              title={thread.title}
              aria-current={thread === active ? 'true' : undefined}
              onClick={() => updateView((view) => showThread(view, thread.id))}
              className={classNames(
                'block h-7 w-full truncate pr-3 pl-8 text-left hover:bg-hover',
                thread === active && 'bg-accent-soft font-medium',
              )}
            >
              {thread.title}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
