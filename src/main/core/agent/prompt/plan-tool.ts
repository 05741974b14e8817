import { stricterMode } from '../../approval/policy.ts'
import { createPresentPlanTool } from '../../tools/present-plan.ts'
import { anyTool, type Tool } from '../../tools/tool.ts'
import { strictestMode } from '../runtime/agent-policy.ts'
import { findStage, isOn } from '../types/tuning.ts'
import type { SectionInput } from './section.ts'

/** The tool that hands in a plan. Its steps become todos only for the agent whose list it is. */
export function planTool({ services, thread, tuning, todos }: SectionInput): Tool {
  const { log, settings } = services
  return anyTool(
    createPresentPlanTool({
      decisionOn(callId) {
        const now = log.state.threads.get(thread.id) ?? thread
        const decision = now.calls.get(callId)?.decision
        if (decision?.type !== 'approve' && decision?.type !== 'edit') return undefined
        const chosen = decision.mode ?? now.approvalMode
        const ofType = stricterMode(chosen, findStage(tuning, 'approvals')?.mode ?? undefined)
        const limited = stricterMode(ofType, settings().policy.strictestMode)
        return { chosen, holds: strictestMode(services, { ...now, approvalMode: limited }) }
      },
      todos: thread.parent === null && isOn(tuning, 'todo') ? todos : null,
    }),
  )
}
