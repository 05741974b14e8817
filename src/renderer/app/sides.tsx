import { Columns3 } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApprovalInbox } from '../approvals/approval-inbox.tsx'
import { FileTree } from '../files/file-tree.tsx'
import { ProcessList } from '../parts/processes/process-list.tsx'
import { RunScripts } from '../parts/processes/run-scripts.tsx'
import { useProcesses } from '../parts/processes/use-processes.ts'
import { useScripts } from '../parts/processes/use-scripts.ts'
import { RegionBoundary } from '../parts/region-boundary.tsx'
import { useApp, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { activeFamily, activeRoot, waitingCalls } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { ThreadList } from '../threads/thread-list.tsx'
import { AgentList } from '../todos/agent-list.tsx'
import { TodoCount, TodoList } from '../todos/todo-list.tsx'
import { IconButton } from '../ui/controls/button.tsx'

const labels = strings.shell

/** The right side: what waits for the person, the agents, and the plan. */
export function Inspector(): ReactNode {
  const agents = useApp((state) => activeFamily(state).length - 1)
  const onBoard = useApp((state) => state.ui.tab === 'board')
  const hasPlan = useApp((state) => activeRoot(state) !== null)
  const waiting = useApp((state) => waitingCalls(state).length)
  return (
    <section
      data-region
      tabIndex={-1}
      aria-label={labels.inspector}
      className="h-full overflow-auto bg-panel outline-none"
    >
      <Section label={labels.approvals} aside={waiting > 0 ? waiting : none}>
        {waiting > 0 && <ApprovalInbox />}
      </Section>
      <Section label={labels.agents} aside={agents > 0 ? agents : none}>
        {agents > 0 && <AgentList />}
      </Section>
      <Processes />
      <Section label={labels.todo} aside={hasPlan ? <TodoCount /> : none} action={!onBoard && <OpenBoard />}>
        {onBoard ? <p className="px-3 pb-2 text-muted">{strings.board.shownAsBoard}</p> : hasPlan && <TodoList />}
      </Section>
    </section>
  )
}

/** Only where some were started, or the project names some for people. */
function Processes(): ReactNode {
  const processes = useProcesses()
  const branchId = useApp((state) => activeRoot(state)?.branchId ?? null)
  const runs = useScripts()?.runs ?? []
  if (processes.length === 0 && (branchId === null || runs.length === 0)) return null
  const running = processes.filter(({ end }) => end === null).length
  return (
    <Section label={strings.processes.title} aside={running > 0 ? running : strings.processes.noneRuns}>
      <ProcessList label={strings.processes.title} processes={processes} />
      {branchId !== null && <RunScripts {...{ branchId, runs, processes }} />}
    </Section>
  )
}

const { none } = strings.agents

interface SectionProps {
  readonly label: string
  readonly aside: ReactNode
  /** A button at the end of the heading. */
  readonly action?: ReactNode
  /** False for an empty section, which is one line. */
  readonly children: ReactNode
}

function Section({ label, aside, action, children }: SectionProps): ReactNode {
  return (
    <section aria-label={label} className="border-line border-b">
      <div className="flex h-8 items-center pr-2 pl-3">
        <h2 className="flex min-w-0 flex-1 items-baseline gap-2 font-semibold text-xs">
          {label}
          <span className="ml-auto pr-1 font-normal text-muted">{aside}</span>
        </h2>
        {action}
      </div>
      {children && <RegionBoundary>{children}</RegionBoundary>}
    </section>
  )
}

function OpenBoard(): ReactNode {
  const updateUi = useUpdateUi()
  return (
    <IconButton
      label={strings.board.open}
      className="size-6!"
      onClick={() => updateUi((ui) => ({ ...ui, route: 'workspace', tab: 'board', drawer: 'none' }))}
    >
      <Columns3 size={14} aria-hidden />
    </IconButton>
  )
}

export function Sidebar(): ReactNode {
  const projectId = useProjectId()
  return (
    <div data-region tabIndex={-1} className="flex h-full flex-col bg-panel outline-none">
      <div className="flex max-h-[55%] min-h-24 shrink-0 flex-col border-line border-b">
        <RegionBoundary>
          <ThreadList />
        </RegionBoundary>
      </div>
      <section aria-label={labels.files} className="flex min-h-0 flex-1 flex-col">
        <h2 className="px-3 py-2 font-semibold text-xs">{labels.files}</h2>
        <RegionBoundary resetKey={projectId}>
          <FileTree key={projectId} />
        </RegionBoundary>
      </section>
    </div>
  )
}
