import { MessageSquare } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { formatMoney } from '#shared/text/format.ts'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { draftKey, showDraft } from '../state/preferences/draft.ts'
import { modelName } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { type Starter, startersFor } from './starters.ts'

const labels = strings.chat

/** A new thread: tasks to begin with, made from the project, and what a run will use. */
export function EmptyChat(): ReactNode {
  const isDemo = useApp((state) => state.projectInfo?.kind === 'demo')
  const isFirst = useApp((state) => state.project.threads.size === 0)
  return (
    <div className="flex-1 overflow-auto pt-[8vh]">
      <Empty
        icon={<MessageSquare size={24} aria-hidden />}
        title={isDemo && isFirst ? labels.demoTitle : labels.emptyTitle}
        detail={isDemo ? (isFirst ? labels.demoDetail : labels.demoKnows) : labels.emptyDetail}
      />
      {!isDemo && <Starters />}
      <RunFacts />
    </div>
  )
}

function Starters(): ReactNode {
  const projectId = useProjectId()
  const git = useApp((state) => state.projectInfo?.git === true)
  const [paths] = useQuery('files.find', { projectId, branchId: null, query: '', limit: 200 })
  const [manifest] = useQuery('files.read', { projectId, branchId: null, path: manifestPath })
  const text = manifest.value?.kind === 'text' ? manifest.value.text : null
  const starters = useMemo(
    () => startersFor({ paths: paths.value ?? [], manifest: text, git }),
    [paths.value, text, git],
  )
  // Chips that change under the pointer would be worse than none for a moment.
  if (paths.state === 'loading' || manifest.state === 'loading') return null
  return (
    <ul aria-label={labels.starters.title} className="mx-auto flex max-w-xl flex-wrap justify-center gap-2 px-4">
      {starters.map((starter) => (
        <li key={starter.label} className="min-w-0 max-w-full">
          <Button title={starter.task} className="max-w-full rounded-full!" onClick={() => begin(projectId, starter)}>
            <span className="truncate">
              <VisibleText text={starter.label} />
            </span>
          </Button>
        </li>
      ))}
    </ul>
  )
}

const manifestPath = '/package.json' as VirtualPath

/** Types the task into the message box, where the person can change it before it is sent. */
function begin(projectId: string, { task }: Starter): void {
  showDraft(window, draftKey(projectId, null), task)
  document.querySelector<HTMLElement>(`[aria-label="${labels.message}"]`)?.focus()
}

/** The mode, the model and the limit of the next run. */
function RunFacts(): ReactNode {
  const provider = useApp((state) => state.info?.provider)
  const model = useApp((state) => modelName(state, state.info?.provider.model ?? ''))
  const isDemo = useApp((state) => state.projectInfo?.kind === 'demo')
  const chosen = useApp((state) => state.ui.newMode)
  const [defaults] = useQuery('settings.get', undefined)
  const mode = chosen ?? defaults.value?.approvalMode
  if (!provider || !mode) return null
  const limit = provider.runLimit === null ? null : formatMoney(provider.runLimit)
  return (
    <p className="mt-4 px-4 pb-4 text-center text-muted text-xs tabular-nums">
      {labels.runFacts(strings.common.mode[mode], isDemo ? 'demo' : model, isDemo ? null : limit)}
    </p>
  )
}
