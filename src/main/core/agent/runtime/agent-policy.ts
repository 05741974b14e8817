import type { CommandUse } from '#shared/model/message.ts'
import { modelFamily } from '#shared/model/models/model-family.ts'
import type { ApprovalMode, ThreadState } from '#shared/model/thread.ts'
import {
  type InterruptSettings,
  passedSettings,
  resolveSettings,
  settingProblems,
} from '../../approval/interrupt-settings.ts'
import { createJudge, type Judge, type PolicyOptions, stricterMode } from '../../approval/policy.ts'
import { rulesByAnyName, settingsByAnyName } from '../../approval/renamed-places.ts'
import { absentTools, ruleProblems, ruleSentence } from '../../approval/rule-problems.ts'
import { matchRules, noRules } from '../../approval/rules.ts'
import { isAbsentTool, isOfOtherServer, type KnownServerTools, resolveToolName } from '../../approval/tool-names.ts'
import { agentRequestTool } from '../../tools/delegate/agent-request.ts'
import { placesForAll, type Route } from '../../tools/namespace/routes.ts'
import type { AgentDefinition, AgentProgram } from '../types/agent-definition.ts'
import type { Extensions } from '../types/extensions.ts'
import type { AgentServices, ProjectServices } from '../types/services.ts'
import type { AgentSettings } from '../types/settings.ts'
import { type AgentTuning, findStage, isOn, mergeTuning } from '../types/tuning.ts'
import { keepLast } from './keep-last.ts'

/** The approval policy for one agent type, as the settings are now. */
export function policyOf(services: ProjectServices, definition: AgentDefinition): PolicyOptions {
  return createAgentPolicy(services, definition)()
}

/**
 * Asks for the policy of one agent type. Settings are read for every call, so a new rule applies at once; the policy is
 * made again only when they or the extensions have changed.
 */
export function createAgentPolicy(services: ProjectServices, definition: AgentDefinition): () => PolicyOptions {
  // Whether there is a sandbox is fixed.
  const sandboxed = services.shell.sandbox().state === 'on'
  const policy = keepLast((settings: AgentSettings, extensions: Extensions) =>
    makePolicy(settings, extensions, definition, { sandboxed, routes: services.routes }),
  )
  return () => policy(services.settings(), services.extensions.current())
}

function makePolicy(
  settings: AgentSettings,
  extensions: Extensions,
  { interruptOn, origin, tuning, program }: AgentDefinition,
  { sandboxed, routes }: { readonly sandboxed: boolean; readonly routes: readonly Route[] },
): PolicyOptions {
  const { policy } = settings
  const known = extensions.serverTools
  const tuned = mergeTuning(settings.tuning, tuning)
  const enabled = isOn(tuned, 'approvals')
  const mode = findStage(tuned, 'approvals')?.mode ?? null
  const resolved = (one: InterruptSettings) => settingsByAnyName(resolveSettings(one, known), routes)
  const own: InterruptSettings = enabled ? resolved(policy.interruptOn) : new Map()
  const ofAgent = resolved(interruptOn)
  const narrowing = (policy.narrowing ?? []).map(resolved)
  return {
    ...policy,
    rules: rulesByAnyName(policy.rules, routes),
    placesForAll: placesForAll(routes),
    strictestMode: mode === null ? policy.strictestMode : stricterMode(mode, policy.strictestMode),
    asks: enabled,
    interruptOn: origin === 'project' ? own : new Map([...own, ...programSettings(program), ...ofAgent]),
    narrowing: origin === 'project' ? [...narrowing, ofAgent] : narrowing,
    sandboxed,
    isTrusted: extensions.isTrusted && policy.isTrusted !== false,
    unclear: problemsOf(settings, extensions)[0],
  }
}

/**
 * Judges calls by the policy, and makes all that change something ask, unless each command of the run is about them. So a
 * command only narrows: a call that it names is judged as without it.
 */
export function createLimitedJudge(
  { log }: Pick<ProjectServices, 'log'>,
  policy: () => PolicyOptions,
  thread: () => ThreadState,
): Judge {
  /** The commands that the agent and those above it work for. */
  function commandsOf({ parent, commands = [] }: ThreadState): readonly CommandUse[] {
    const above = parent === null ? undefined : log.state.threads.get(parent.threadId)
    return above === undefined ? commands : [...commands, ...commandsOf(above)]
  }
  return (call) => {
    // An edit that was tried is judged as what it is. What others did was judged when they began.
    const isJudged = call.outcome === undefined || call.runsAside === true
    const changes = call.tool.effect !== 'read' && call.tool.effect !== 'plan'
    const limit = isJudged && changes ? commandsOf(thread()).find((one) => !isNamed(one, call)) : undefined
    const beyond = limit && `the command /${limit.name} is only about ${limit.allowedTools?.join(', ') || 'reading'}`
    return createJudge(policy())(beyond === undefined ? call : { ...call, beyond })
  }
}

function isNamed({ allowedTools }: CommandUse, call: Parameters<Judge>[0]): boolean {
  return allowedTools === null || matchRules({ ...noRules, allow: allowedTools }, call)?.effect === 'allow'
}

/** Whoever defines an agent as a program wants it to run, and is asked only when the definition says so. */
function programSettings(program: AgentProgram | null): InterruptSettings {
  if (program === null || program.kind === 'acp') return new Map()
  return new Map([[program.kind === 'url' ? agentRequestTool : 'execute', false]])
}

/**
 * A sentence for each mistake in what guards: a rule or a setting that can never hold or that another one takes away, a
 * setting or a definition that cannot be used. A person relies on each, so no run should start before it is corrected.
 */
export function policyProblems(services: Pick<AgentServices, 'settings' | 'extensions'>): readonly string[] {
  return problemsOf(services.settings(), services.extensions.current())
}

function problemsOf(
  { policy, tuning, gateProblems: ofFiles }: AgentSettings,
  { serverTools, agents, gateProblems }: Extensions,
): readonly string[] {
  const ofRules = ruleProblems(policy.rules, serverTools).map(ruleSentence)
  const ofSettings = [policy.interruptOn, ...(policy.narrowing ?? [])].flatMap((one) =>
    settingProblems(one, serverTools),
  )
  const asking = resolveSettings(policy.interruptOn, serverTools)
  const takenAway = [...passedSettings(asking, policy.rules), ...switchedOff(asking, tuning)]
  const ofAgents = agents.flatMap(({ name, source, interruptOn, withoutTools = [] }) =>
    [...settingProblems(interruptOn, serverTools), ...unknownRefusals(withoutTools, serverTools)].map(
      (problem) => `The agent ${name} (${source}): ${problem}`,
    ),
  )
  return [...new Set([...ofFiles, ...gateProblems, ...ofRules, ...ofSettings, ...takenAway, ...ofAgents])]
}

/** Tools that an agent should not get, and that nobody knows. */
function unknownRefusals(names: readonly string[], known: KnownServerTools): readonly string[] {
  return names.flatMap((given) => {
    const found = resolveToolName(given, known)
    return found.ok || isAbsentTool(given) || isOfOtherServer(given, known) ? [] : [`disallowedTools: ${found.problem}`]
  })
}

/** A stage that switches approvals off for every agent would take the settings that ask away without a word. */
function switchedOff(settings: InterruptSettings, tuning: AgentTuning): readonly string[] {
  const asking = [...settings].filter(([, setting]) => setting !== false).map(([name]) => name)
  return asking.length === 0 || isOn(tuning, 'approvals')
    ? []
    : [
        `middleware: it switches approvals off, so interrupt_on could never ask for ${asking.join(', ')}. Remove one of them.`,
      ]
}

/** Rules about tools that only other systems have. They harm nothing, but a person should hear of it. */
export function rulesWithoutTool({ settings }: Pick<AgentServices, 'settings'>): readonly string[] {
  return absentTools(settings().policy.rules)
}

/**
 * A sentence for each `top_p` and `top_k` of the settings and of definitions that a model does not get, because it takes
 * none. Nothing else about the run changes, so it is said and not refused. `model` is that of the run.
 */
export function unusedSampling(
  { settings, extensions, leftOutSampling, resolveModel }: AgentServices,
  model: string | null,
): readonly string[] {
  const own = settings().tuning
  const ofAgents = extensions.current().agents.map(({ name, source, model: given, tuning }) => {
    const resolved = given === null || modelFamily(given) !== null ? null : resolveModel(given)
    return { key: `The agent ${name} (${source})`, tuning, asks: resolved?.ok ? resolved.value : model }
  })
  return [{ key: 'The settings', tuning: own, asks: model }, ...ofAgents].flatMap(({ key, tuning, asks }) => {
    const set = { temperature: tuning.temperature, top_p: tuning.topP, top_k: tuning.topK }
    const unused = asks === null ? [] : leftOutSampling(asks).filter((name) => set[name] !== null)
    return unused.length === 0
      ? []
      : [`${key}: ${unused.join(' and ')} ${unused.length === 1 ? 'is' : 'are'} left out, because ${asks} takes none.`]
  })
}

/**
 * Models of the settings that no profile has, and families of definitions that the profile of a model has nothing of. They
 * are left out, so a person must hear of it. `model` is null for the usual profile.
 */
export function missingModels(
  { settings, resolveModel, newestOf, extensions }: AgentServices,
  model: string | null,
): readonly string[] {
  const { subagentModel, summaryModel, fallback } = settings()
  const named = [
    ...fallback.map((model) => ['fallback', model] as const),
    ...[['subagent_model', subagentModel] as const, ['summary_model', summaryModel] as const],
  ]
  const ofAgents = extensions.current().agents.flatMap(({ name, source, model: given }) => {
    const family = given === null ? null : modelFamily(given)
    return family === null || newestOf(family, model) !== null
      ? []
      : [`The agent ${name} (${source}) works with the model of the agent that starts it: there is no ${given} here.`]
  })
  const ofSettings = named.flatMap(([key, one]) => {
    const resolved = one === null || modelFamily(one) !== null ? null : resolveModel(one)
    return resolved === null || resolved.ok ? [] : [`${key}: ${resolved.error}`]
  })
  return [...ofSettings, ...ofAgents]
}

/**
 * The strictest mode of an agent and those above it. So making an agent's mode stricter also affects its running
 * subagents.
 */
export function strictestMode({ log }: Pick<AgentServices, 'log'>, thread: ThreadState): ApprovalMode {
  const { parent, approvalMode } = thread
  if (parent === null) return approvalMode
  const above = log.state.threads.get(parent.threadId)
  if (!above) throw new Error(`No thread ${parent.threadId}`)
  return stricterMode(approvalMode, strictestMode({ log }, above))
}
