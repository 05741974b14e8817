import { resolveSettings, settingProblems } from '../../approval/interrupt-settings.ts'
import type { PolicyOptions } from '../../approval/policy.ts'
import type { AgentDefinition } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'

/** The approval policy for one agent type. Settings are read for every call, so a new rule applies at once. */
export function policyOf(services: AgentServices, { interruptOn, origin }: AgentDefinition): PolicyOptions {
  const { policy } = services.settings()
  const known = services.extensions.current().serverTools
  const own = resolveSettings(policy.interruptOn, known)
  const ofAgent = resolveSettings(interruptOn, known)
  const narrowing = (policy.narrowing ?? []).map((one) => resolveSettings(one, known))
  return {
    ...policy,
    interruptOn: origin === 'project' ? own : new Map([...own, ...ofAgent]),
    narrowing: origin === 'project' ? [...narrowing, ofAgent] : narrowing,
    sandboxed: services.shell.sandbox().state === 'on',
    unclear: policyProblems(services)[0],
  }
}

/**
 * A sentence for each name in the approval settings that means no tool, with the agent that has it. A person expects a
 * question there, so no run should start before the name is corrected.
 */
export function policyProblems(services: Pick<AgentServices, 'settings' | 'extensions'>): readonly string[] {
  const { policy } = services.settings()
  const { serverTools, agents } = services.extensions.current()
  const ofSettings = [policy.interruptOn, ...(policy.narrowing ?? [])].flatMap((one) =>
    settingProblems(one, serverTools),
  )
  const ofAgents = agents.flatMap(({ name, source, interruptOn }) =>
    settingProblems(interruptOn, serverTools).map((problem) => `The agent ${name} (${source}): ${problem}`),
  )
  return [...new Set([...ofSettings, ...ofAgents])]
}
