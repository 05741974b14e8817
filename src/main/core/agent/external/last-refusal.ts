import type { Tree } from '#overlay'
import type { ThreadId } from '#shared/model/ids.ts'
import { accessOf, toolFacts } from '#shared/tools/tool-facts.ts'
import { createJudge } from '../../approval/policy.ts'
import { effectsBetween } from '../calls/call-effects.ts'
import { policyOf } from '../runtime/agent-policy.ts'
import { definitionOf } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'

/**
 * Why nothing of what an external agent changed after its last call may count, as sentences for a person: a rule forbids one
 * of the changes, or wants it approved, which nobody can do any more. Undefined when all of it may.
 */
export async function lastRefusal(
  services: AgentServices,
  threadId: ThreadId,
  before: Tree,
  after: Tree,
): Promise<string | undefined> {
  const thread = services.log.state.threads.get(threadId)
  if (!thread) return undefined
  const effects = await effectsBetween(services, before, after)
  if (effects.length === 0) return undefined
  if (thread.approvalMode === 'plan') return `${none} Plan mode: nothing may be changed.`
  const options = policyOf(services, definitionOf(services.extensions.current(), thread.agentType))
  const tool = toolFacts.edit_file
  const outcome = { command: null, question: null, isApproved: false, isOnTop: false, changedNothing: false }
  const gate = createJudge(options)({ tool, access: accessOf(tool.access, {}), mode: 'auto', effects, outcome })
  if (gate.kind === 'run') return undefined
  if (gate.kind === 'refuse') return `${none} ${gate.message}`
  return `${none} One of them needs your approval (${'rule' in gate ? gate.rule : ''}).`
}

const none = 'None of what it changed after its last call was kept.'
