import type { ThreadState } from '#shared/model/thread.ts'
import { stricterMode } from '../../approval/policy.ts'
import { createPresentPlanTool } from '../../tools/present-plan.ts'
import { anyTool, type Tool } from '../../tools/tool.ts'
import { findStage, isOn } from '../types/tuning.ts'
import type { SectionInput } from './section.ts'

/** The tool that hands in a plan. Its steps become todos only for the agent whose list it is. */
export function planTool({ services, thread, tuning, todos }: SectionInput): Tool {
  const { log, settings } = services
  const modesAbove = ({ parent }: ThreadState): readonly ThreadState['approvalMode'][] => {
    const above = parent === null ? undefined : log.state.threads.get(parent.threadId)
    return above === undefined ? [] : [above.approvalMode, ...modesAbove(above)]
  }
  return anyTool(
    createPresentPlanTool({
      decisionOn(callId) {
        const now = log.state.threads.get(thread.id) ?? thread
        const decision = now.calls.get(callId)?.decision
        if (decision?.type !== 'approve' && decision?.type !== 'edit') return undefined
        const chosen = decision.mode ?? now.approvalMode
        const limits = [settings().policy.strictestMode, findStage(tuning, 'approvals')?.mode ?? undefined]
        const holds = [...limits, ...modesAbove(now)].reduce<typeof chosen>(
          (mode, limit) => stricterMode(mode, limit),
          chosen,
        )
        return { chosen, holds }
      },
      todos: thread.parent === null && isOn(tuning, 'todo') ? todos : null,
    }),
  )
}
