import { type InterruptSettings, resolveSettings, settingProblems } from '../../approval/interrupt-settings.ts'
import { type PolicyOptions, stricterMode } from '../../approval/policy.ts'
import { agentRequestTool } from '../../tools/delegate/agent-request.ts'
import type { AgentDefinition, AgentProgram } from '../types/agent-definition.ts'
import type { Extensions } from '../types/extensions.ts'
import type { AgentServices } from '../types/services.ts'
import type { AgentSettings } from '../types/settings.ts'
import { findStage, isOn, mergeTuning } from '../types/tuning.ts'
import { keepLast } from './keep-last.ts'

/** The approval policy for one agent type, as the settings are now. */
export function policyOf(services: AgentServices, definition: AgentDefinition): PolicyOptions {
  return createAgentPolicy(services, definition)()
}

/**
 * Asks for the policy of one agent type. Settings are read for every call, so a new rule applies at once; the policy is
 * made again only when they or the extensions have changed.
 */
export function createAgentPolicy(services: AgentServices, definition: AgentDefinition): () => PolicyOptions {
  // Whether there is a sandbox is fixed.
  const sandboxed = services.shell.sandbox().state === 'on'
  const policy = keepLast((settings: AgentSettings, extensions: Extensions) =>
    makePolicy(settings, extensions, definition, sandboxed),
  )
  return () => policy(services.settings(), services.extensions.current())
}

function makePolicy(
  settings: AgentSettings,
  extensions: Extensions,
  { interruptOn, origin, tuning, program }: AgentDefinition,
  sandboxed: boolean,
): PolicyOptions {
  const { policy } = settings
  const known = extensions.serverTools
  const tuned = mergeTuning(settings.tuning, tuning)
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
    sandboxed,
    unclear: problemsOf(settings, extensions)[0],
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
  return problemsOf(services.settings(), services.extensions.current())
}

function problemsOf(
  { policy, gateProblems: ofFiles }: AgentSettings,
  { serverTools, agents, gateProblems }: Extensions,
): readonly string[] {
  const ofSettings = [policy.interruptOn, ...(policy.narrowing ?? [])].flatMap((one) =>
    settingProblems(one, serverTools),
  )
  const ofAgents = agents.flatMap(({ name, source, interruptOn }) =>
    settingProblems(interruptOn, serverTools).map((problem) => `The agent ${name} (${source}): ${problem}`),
  )
  return [...new Set([...ofFiles, ...gateProblems, ...ofSettings, ...ofAgents])]
}

/** Models of the settings that no profile has. They are left out, so a person must hear of it. */
export function missingModels({ settings, resolveModel }: AgentServices): readonly string[] {
  const { subagentModel, summaryModel, fallback } = settings()
  const named = [
    ...fallback.map((model) => ['fallback', model] as const),
    ...[['subagent_model', subagentModel] as const, ['summary_model', summaryModel] as const],
  ]
  return named.flatMap(([key, model]) => {
    const resolved = model === null ? null : resolveModel(model)
    return resolved === null || resolved.ok ? [] : [`${key}: ${resolved.error}`]
  })
}
