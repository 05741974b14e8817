import type { DecisionType } from '#shared/model/interrupt.ts'
import type { PermissionRules } from '#shared/model/settings.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { accessOf, pathsOf, type ToolFacts, toolFacts } from '#shared/tools/tool-facts.ts'
import { isSecretFile } from '../secrets/secrets.ts'
import type { FileAccess } from '../tools/tool.ts'
import { matchRules, noRules, type RuleSubject } from './rules.ts'

/**
 * A person's setting for one tool: ask, do not ask, or ask with only these answers. With `when`, it applies only to
 * calls that fit one of the patterns, which are written as in rules.
 */
export type InterruptSetting =
  | boolean
  | { readonly allowed_decisions: readonly DecisionType[]; readonly when?: readonly string[] | undefined }

export interface PolicySettings {
  /** By tool name; a tool that is missing asks by its default. */
  readonly interruptOn: ReadonlyMap<string, InterruptSetting>
  /** In the order of the file, invalid ones included. */
  readonly rules: PermissionRules
  /** The most permissive mode that a thread may have. Absent when nothing limits threads. */
  readonly strictestMode?: ApprovalMode | undefined
}

/** Settings, and whether a sandbox confines commands. */
export interface PolicyOptions extends PolicySettings {
  /** False makes every command ask. */
  readonly sandboxed: boolean
}

/** One call that may have to ask. */
export interface GateQuestion extends RuleSubject {
  /** Why a person must be asked, whatever settings and rules allow. Undefined when there is no such reason. */
  readonly mustAsk?: string | undefined
  /** The thread's own mode, before `strictestMode` is applied. */
  readonly mode: ApprovalMode
}

export type Gate =
  | { readonly kind: 'run' }
  | { readonly kind: 'refuse'; readonly message: string }
  | {
      readonly kind: 'ask'
      readonly rule: string
      readonly risk: 'low' | 'high'
      readonly allowed: readonly DecisionType[]
    }

export type ApprovalPolicy = (question: GateQuestion) => Gate

const everyAnswer: readonly DecisionType[] = ['approve', 'edit', 'reject']

/** Decides which calls run, are refused or wait for a person. Deny comes first, then ask, then allow. */
export function createPolicy(settings: PolicyOptions): ApprovalPolicy {
  return (asked) => {
    const question = { ...asked, mode: stricterMode(asked.mode, settings.strictestMode) }
    if (question.tool.isQuestion) return ask('the agent asks', 'low', ['respond'])
    const rule = matchRules(settings.rules, question)
    if (rule?.effect === 'deny') {
      return {
        kind: 'refuse',
        message: `Denied by the rule ${rule.text}. Do not try it in another way; choose other means or ask the user.`,
      }
    }
    if (question.mode === 'plan' && changesSomething(question)) {
      return {
        kind: 'refuse',
        message: 'Plan mode: nothing may be changed. Present the plan; the user switches the mode to have it done.',
      }
    }
    if (rule?.effect === 'ask') return ask(`rule ${rule.text}`, riskOf(question), everyAnswer)
    return decideBySettings(settings, question, rule?.effect === 'allow')
  }
}

const modesByStrictness: readonly ApprovalMode[] = ['plan', 'ask', 'auto-edit', 'auto']

/** The stricter of two modes; `mode` when there is no limit. */
export function stricterMode(mode: ApprovalMode, limit: ApprovalMode | undefined): ApprovalMode {
  return limit && modesByStrictness.indexOf(limit) < modesByStrictness.indexOf(mode) ? limit : mode
}

function decideBySettings(settings: PolicyOptions, question: GateQuestion, allowed: boolean): Gate {
  const setting = settingFor(settings, question)
  if (question.mustAsk !== undefined) return ask(question.mustAsk, 'high', everyAnswer)
  const mayPass = settings.sandboxed || question.access.command === null
  if (mayPass && (setting === false || allowed)) return { kind: 'run' }
  if (setting === true) return ask(`setting interrupt_on.${question.tool.name}`, riskOf(question), everyAnswer)
  if (typeof setting === 'object')
    return ask(`setting interrupt_on.${question.tool.name}`, riskOf(question), setting.allowed_decisions)
  const reason = defaultReason(question)
  return reason ? ask(reason, riskOf(question), everyAnswer) : { kind: 'run' }
}

/**
 * The setting that applies to a call. A call that does not fit its tool's `when` is treated as unset, but a tool that
 * asks by default runs.
 */
function settingFor({ interruptOn }: PolicySettings, question: GateQuestion): InterruptSetting | undefined {
  const setting = interruptOn.get(question.tool.name)
  if (typeof setting !== 'object' || setting.when === undefined) return setting
  const rules = { ...noRules, ask: setting.when.map((pattern) => `${question.tool.name}(${pattern})`) }
  if (matchRules(rules, question)) return setting
  return question.tool.effect === 'outside' ? false : undefined
}

function defaultReason(question: GateQuestion): string | undefined {
  const { tool, access, mode } = question
  const secret = pathsOf(access).find(isSecretFile)
  if (secret && (tool.effect === 'read' || tool.access.reads.length > 0)) return `default: ${secret} may hold secrets`
  if (tool.effect === 'outside') return 'default: commands ask'
  if (mode === 'ask' && changesSomething(question)) return 'mode Ask: every change asks'
  return undefined
}

function changesSomething({ tool }: GateQuestion): boolean {
  return tool.effect === 'outside' || tool.effect === 'overlay'
}

function riskOf({ tool }: GateQuestion): 'low' | 'high' {
  return tool.effect === 'outside' ? 'high' : 'low'
}

function ask(rule: string, risk: 'low' | 'high', allowed: readonly DecisionType[]): Gate {
  return { kind: 'ask', rule, risk, allowed }
}

/**
 * Judges each file as if its own call named it. The mode is ignored, because the running call has already passed it.
 */
export function fileAccess(options: PolicyOptions): FileAccess {
  const { rules, interruptOn } = options
  const policy = createPolicy({ ...options, strictestMode: undefined })
  const runs = (tool: ToolFacts, path: VirtualPath): boolean =>
    policy({ tool, access: accessOf(tool.access, { file_path: path }), mode: 'auto' }).kind === 'run'
  return {
    protectsFiles: rules.deny.length + rules.ask.length + interruptOn.size > 0,
    mayRead: (path) => runs(toolFacts.read_file, path),
    mayChange: (path) => runs(toolFacts.write_file, path),
  }
}
