import type { Goal } from '#shared/model/check.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { type Command, useClient, useCommand, useProjectId } from '../../../state/hooks/hooks.tsx'
import { useChecks } from '../../../state/hooks/use-checks.ts'
import { strings } from '../../../strings/strings.ts'

const labels = strings.checks.goal
const usual: Goal = { checks: null, attempts: 3 }

export interface GoalChoice {
  readonly command: Command
  /** The thread's own goal; null without one. */
  readonly goal: Goal | null
  /** Why none can be set here; null when one can. */
  readonly problem: string | null
  choose(goal: Goal | null): void
  /** Sets the usual goal, or none. */
  toggle(): void
}

/** What the open thread must reach before it is done. */
export function useGoal(thread: ThreadState | null): GoalChoice {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const [checks] = useChecks()
  const goal = thread?.goal ?? null
  const choose = (next: Goal | null): void => {
    if (thread) void command.run(() => client.threads.configure({ projectId, threadId: thread.id, goal: next }))
  }
  const hasChecks = (checks?.checks.length ?? 0) > 0
  return {
    command,
    goal,
    problem: thread === null || thread.parent !== null ? labels.noThread : hasChecks ? null : labels.noChecks,
    choose,
    toggle: () => choose(goal === null ? usual : null),
  }
}
