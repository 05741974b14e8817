import type { HostServices } from '#core/agent/types/services.ts'
import {
  type EffectsRule,
  judgedEffects,
  parseEffectsRule,
  proposeEffectsRules,
  staysWithin,
} from '#core/approval/effects-rules.ts'
import { ruleProblems } from '#core/approval/rule-problems.ts'
import { matchRules, noRules, type RuleSubject } from '#core/approval/rules.ts'
import { noServerTools } from '#core/approval/tool-names.ts'
import { readThread } from '#core/journal/read-thread.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { RulePreview } from '#shared/contract/views/settings.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Call } from '#shared/model/calls/call.ts'
import type { ActionRequest } from '#shared/model/calls/interrupt.ts'
import type { CallEffects } from '#shared/model/calls/outcome.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { RuleEffect } from '#shared/model/settings.ts'
import { accessOf, findToolFacts, ruledBy } from '#shared/tools/tool-facts.ts'

/** Throws a refusal for a rule that could never hold, before it is stored or tried. */
export function requireRules(rules: readonly string[], effect: RuleEffect): void {
  const [wrong] = ruleProblems({ ...noRules, [effect]: rules }, noServerTools)
  if (wrong) throw new WireError('BAD_REQUEST', `${JSON.stringify(wrong.text)}: ${wrong.problem}`)
}

/** A stored call in the form that rules match. */
export function callSubject({ log }: HostServices, threadId: ThreadId, callId: ToolCallId): RuleSubject {
  const call = readThread(log, threadId)?.calls.get(callId)
  if (!call) throw new WireError('NOT_FOUND', 'This call does not exist any more.')
  return subjectOf(call)
}

/** Rules that would keep what a waiting command did, the narrowest first. Empty for a call that has no such rules. */
export function effectsProposals(
  { log }: HostServices,
  threadId: ThreadId,
  callId: ToolCallId,
): readonly (readonly string[])[] {
  const interrupts = readThread(log, threadId)?.interrupts ?? []
  const requests = interrupts.flatMap(({ action_requests }) => action_requests)
  const request = requests.find((one) => one.callId === callId)
  const effects = request && judgedBy(request)
  return effects === undefined ? [] : proposeEffectsRules(judgedEffects(effects)).map((rule) => [rule])
}

/** Says why a call would still ask when these rules allow it. Null when it would run. */
export function whyItStillAsks(
  { shell, settings }: HostServices,
  subject: RuleSubject,
  allow: readonly string[],
): string | null {
  const stronger = matchRules({ ...settings().policy.rules, allow }, subject)
  if (stronger && stronger.effect !== 'allow')
    return `The rule ${stronger.text} asks before any rule allows. Change it in Settings, Permissions.`
  if (subject.access.command !== null && shell.sandbox().state !== 'on') {
    return 'Commands still ask, because no sandbox keeps them from the rest of this machine.'
  }
  return null
}

const shownExamples = 20

/** The project's earlier calls that the rules would have allowed. Equal texts appear once. */
export function previewRules({ log }: HostServices, allow: readonly string[]): RulePreview {
  const effects = allow.flatMap((text) => parseEffectsRule(text) ?? [])
  if (effects.length > 0) return previewEffects(log, effects)
  const calls = [...log.state.threads.values()].flatMap((thread) => [...thread.calls.values()])
  const matched = calls.filter((call) => matchRules({ ...noRules, allow }, subjectOf(call))?.effect === 'allow')
  const tools = new Set(matched.map(({ name }) => name))
  return {
    matched: matched.length,
    of: calls.filter(({ name }) => tools.has(name)).length,
    examples: [...new Set(matched.map(exampleOf))].slice(0, shownExamples),
  }
}

/** The effects that rules about commands judge. Undefined for an edit, which has rules of its own. */
function judgedBy({ name, effects }: ActionRequest): CallEffects | undefined {
  return findToolFacts(name).access.command === null ? undefined : effects
}

/** The commands that waited with their effects, as far as they stay within one of the rules. */
function previewEffects(log: HostServices['log'], rules: readonly EffectsRule[]): RulePreview {
  const shown = log
    .entries(['interrupt.raised'])
    .flatMap((entry) => (entry.type === 'interrupt.raised' ? entry.interrupt.action_requests : []))
    .filter((request) => judgedBy(request) !== undefined)
  const matched = shown.filter((request) => {
    const effects = judgedBy(request)
    return effects && rules.some((rule) => staysWithin(rule, judgedEffects(effects)))
  })
  return {
    matched: matched.length,
    of: shown.length,
    examples: [...new Set(matched.map(exampleOf))].slice(0, shownExamples),
  }
}

function subjectOf({ name, input }: Call): RuleSubject {
  return { tool: ruledBy(name), access: accessOf(findToolFacts(name).access, input) }
}

function exampleOf(
  call: { readonly name: string } & ({ readonly input: JsonObject } | { readonly args: JsonObject }),
): string {
  const args = 'input' in call ? call.input : call.args
  return typeof args.command === 'string' ? args.command : findToolFacts(call.name).describe(args)
}
