import { type InterruptSettings, resolveSettings, settingProblems } from '../../approval/interrupt-settings.ts'
import { type PolicyOptions, stricterMode } from '../../approval/policy.ts'
import { agentRequestTool } from '../../tools/delegate/agent-request.ts'
import type { AgentDefinition, AgentProgram } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'
import { findStage, isOn, mergeTuning } from '../types/tuning.ts'

/** The approval policy for one agent type. Settings are read for every call, so a new rule applies at once. */
export function policyOf(
  services: AgentServices,
  { interruptOn, origin, tuning, program }: AgentDefinition,
): PolicyOptions {
  const { policy, tuning: settingsTuning } = services.settings()
  const known = services.extensions.current().serverTools
  const tuned = mergeTuning(settingsTuning, tuning)
  const enabled = isOn(tuned, 'approvals')
  const mode = findStage(tuned, 'approvals')?.mode ?? null
  const own = enabled ? resolveSettings(policy.interruptOn, known) : new Map()
  const ofAgent = resolveSettings(interruptOn, known)
  const narrowing = (policy.narrowing ?? []).map((one) => resolveSettings(one, known))
  return {
    ...policy,
    strictestMode: mode === null ? policy.strictestMode : stricterMode(mode, policy.strictestMode),
    asks: enabled,
    interruptOn: origin === 'project' ? own : new Map([...own, ...programSettings(program), ...ofAgent]),
    narrowing: origin === 'project' ? [...narrowing, ofAgent] : narrowing,
    sandboxed: services.shell.sandbox().state === 'on',
    unclear: policyProblems(services)[0],
  }
}

/** Whoever defines an agent as a program wants it to run, and is asked only when the definition says so. */
function programSettings(program: AgentProgram | null): InterruptSettings {
  if (program === null) return new Map()
  return new Map([[program.kind === 'url' ? agentRequestTool : 'execute', false]])
}

/**
 * A sentence for each mistake in what should make calls ask: a name that means no tool, or a setting or a definition
 * that cannot be used. A person expects a question there, so no run should start before it is corrected.
 */
export function policyProblems(services: Pick<AgentServices, 'settings' | 'extensions'>): readonly string[] {
  const { policy } = services.settings()
  const { serverTools, agents, gateProblems } = services.extensions.current()
  const ofSettings = [policy.interruptOn, ...(policy.narrowing ?? [])].flatMap((one) =>
    settingProblems(one, serverTools),
  )
  const ofAgents = agents.flatMap(({ name, source, interruptOn }) =>
    settingProblems(interruptOn, serverTools).map((problem) => `The agent ${name} (${source}): ${problem}`),
  )
  return [...new Set([...services.settings().gateProblems, ...gateProblems, ...ofSettings, ...ofAgents])]
}
