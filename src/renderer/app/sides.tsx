import type { ReactNode } from 'react'
import { ApprovalInbox } from '../approvals/approval-inbox.tsx'
import { FileTree } from '../files/file-tree.tsx'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { activeFamily, openInterrupts, openRequests, threadOf } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { ThreadList } from '../threads/thread-list.tsx'
import { AgentList } from '../todos/agent-list.tsx'
import { TodoCount, TodoList } from '../todos/todo-list.tsx'

const labels = strings.shell

/** The right side: the plan, the agents, and what waits for the person. */
export function Inspector(): ReactNode {
  const agents = useApp((state) => activeFamily(state).length - 1)
  const waiting = useApp(
    (state) =>
      openInterrupts(state).flatMap((interrupt) => {
        const thread = threadOf(state, interrupt.threadId)
        return thread ? openRequests(thread, interrupt) : []
      }).length,
  )
  return (
    <section
      data-region
      tabIndex={-1}
      aria-label={labels.inspector}
      className="h-full overflow-auto bg-panel outline-none"
    >
      <Section label={labels.todo} aside={<TodoCount />}>
        <TodoList />
      </Section>
      <Section label={labels.agents} aside={agents > 0 && agents}>
        <AgentList />
      </Section>
      <Section label={labels.approvals} aside={waiting > 0 && waiting}>
        <ApprovalInbox />
      </Section>
    </section>
  )
}

function Section({ label, aside, children }: { label: string; aside: ReactNode; children: ReactNode }): ReactNode {
  return (
    <section aria-label={label} className="border-line border-b">
      <h2 className="flex items-baseline gap-2 px-3 pt-2 pb-1 font-semibold text-muted text-xs uppercase tracking-wide">
        {label}
        <span className="ml-auto font-normal tabular-nums">{aside}</span>
      </h2>
      {children}
    </section>
  )
}

export function Sidebar(): ReactNode {
  const projectId = useProjectId()
  return (
    <div data-region tabIndex={-1} className="flex h-full flex-col bg-panel outline-none">
      <div className="flex max-h-[55%] min-h-24 shrink-0 flex-col border-line border-b">
        <ThreadList />
      </div>
      <section aria-label={labels.files} className="flex min-h-0 flex-1 flex-col">
        <h2 className="px-3 py-1.5 font-semibold text-muted text-xs uppercase tracking-wide">{labels.files}</h2>
        <FileTree key={projectId} />
      </section>
    </div>
  )
}
