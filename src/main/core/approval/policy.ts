import type { DecisionType, RiskLevel } from '#shared/model/calls/interrupt.ts'
import { memoriesForAll, reachesAllProjects } from '#shared/model/memory.ts'
import type { PermissionRules } from '#shared/model/settings.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { pathsOf, toolFacts } from '#shared/tools/tool-facts.ts'
import { isSecretFile } from '../secrets/secret-files.ts'
import { type CommandSettings, type CommandTreatment, needOf, treatmentOf } from './command-approval.ts'
import { effectKinds, type FileEffect } from './effects.ts'
import { type JudgedEffects, matchEffects } from './effects-rules.ts'
import {
  commonAnswers,
  findSettings,
  type InterruptSetting,
  type InterruptSettings,
  type NamedSetting,
  type SettingSubject,
} from './interrupt-settings.ts'
import { createPatternReader, type PatternReader } from './path-patterns.ts'
import { effectOutside, riskOf } from './risk.ts'
import { matchRules, noRules, parseRule, type RuleMatch, type RuleSubject } from './rules.ts'
import { namesTool } from './tool-names.ts'

export interface PolicySettings extends CommandSettings {
  /** The person's own settings; a tool that is missing asks by its default. */
  readonly interruptOn: InterruptSettings
  /** Settings of a project, each map alone. They can only make calls ask, or take answers away. */
  readonly narrowing?: readonly InterruptSettings[] | undefined
  /** In the order of the file, invalid ones included. */
  readonly rules: PermissionRules
  /** The most permissive mode that a thread may have. Absent when nothing limits threads. */
  readonly strictestMode?: ApprovalMode | undefined
  /**
   * False for a folder that the person does not trust, and for what somebody else recorded: what leaves it for other projects
   * asks. Absent for true.
   */
  readonly isTrusted?: boolean | undefined
  /** Where all projects read what this one writes. Absent for the memories for all projects, by their usual name. */
  readonly placesForAll?: readonly VirtualPath[] | undefined
}

/** Settings, and whether a sandbox confines commands. */
export interface PolicyOptions extends PolicySettings {
  /** False makes every command ask. */
  readonly sandboxed: boolean
  /** False when a person switched approvals off for the agent. Rules, projects and a missing sandbox still ask. */
  readonly asks?: boolean | undefined
  /** Why a setting names no tool. Nobody knows what it was to protect, so everything that changes something asks. */
  readonly unclear?: string | undefined
}

/** One call, before it runs or with what it did. */
export interface JudgedCall extends RuleSubject {
  /** Why a person must be asked, whatever settings and rules allow. Undefined when there is no such reason. */
  readonly mustAsk?: string | undefined
  /** Why the command that the run follows makes it ask. Undefined when it does not. */
  readonly beyond?: string | undefined
  /** The hook of the person that answers a question which neither a rule nor a setting of theirs asks. Undefined for none. */
  readonly allowedBy?: string | undefined
  /** The files that the call changed; empty when that is unknown or does not matter. */
  readonly effects?: readonly FileEffect[] | undefined
  /**
   * A file that the call reads and that holds a key or a token, whatever its name. Null when the content of its files
   * is known to be harmless, whatever their names. Undefined when only names are known.
   */
  readonly holdsSecret?: VirtualPath | null | undefined
  /** A file of the person's that the call replaces, moves or deletes and that holds a key or a token. Absent for none. */
  readonly replacesSecret?: VirtualPath | undefined
  /** The thread's own mode, before `strictestMode` is applied. */
  readonly mode: ApprovalMode
  /** True for a call whose effects stay aside until they are kept: an edit, code, or a command that ends by itself. */
  readonly runsAside?: boolean | undefined
  /** Set for a call that ran, together with its `effects`. */
  readonly outcome?: JudgedOutcome | undefined
}

/** What else counts about a call that ran. */
export interface JudgedOutcome {
  /** What a command did. Null for a call that is none, and where no rule is about it. */
  readonly command: JudgedEffects | null
  /** What a person is asked although nothing speaks against what it did. Null for nothing. */
  readonly question: Question | null
  /** True when a person saw the call and let it run. */
  readonly isApproved: boolean
  /** True when it ran on top of others that a person may still drop. */
  readonly isOnTop: boolean
  /** True when it left everything as it was and declared no task, so that nothing waits in the mode Ask. */
  readonly changedNothing: boolean
}

export type Verdict =
  /** It runs, or what it did counts. */
  | { readonly kind: 'run' }
  /** It does not run, or nothing that it did counts. */
  | { readonly kind: 'refuse'; readonly message: string }
  /** It runs in the sandbox, and nothing that it changed is kept. */
  | { readonly kind: 'drop' }
  /** A person decides whether it runs, or whether what it did counts. */
  | ({ readonly kind: 'ask' } & Question)
  /** It runs aside and is judged again with what it did. The question is asked unless that says otherwise; null for none. */
  | { readonly kind: 'try'; readonly question: Question | null }

/** What a person is asked. */
export interface Question {
  readonly rule: string
  readonly risk: RiskLevel
  /** Why the risk is what it is, as a person reads it. Absent when nobody judged it. */
  readonly riskReason?: string | undefined
  readonly allowed: readonly DecisionType[]
  /** Absent when an allow rule would answer the question from now on. */
  readonly allowable?: false
  /** Set when nothing that the call changes is kept, also when it is approved. */
  readonly drops?: true
}

export type Judge = (call: JudgedCall) => Verdict

const everyAnswer: readonly DecisionType[] = ['approve', 'edit', 'reject']

/**
 * Decides which calls run, are refused or wait for a person, and whether what they did counts. Deny comes first, then ask,
 * then allow.
 */
export function createJudge(settings: PolicyOptions): Judge {
  return (call) => (call.outcome === undefined ? judgeCall(settings, call) : judgeOutcome(settings, call, call.outcome))
}

function judgeCall(settings: PolicyOptions, asked: JudgedCall): Verdict {
  const question = { ...withEffects(asked), mode: stricterMode(asked.mode, settings.strictestMode) }
  if (question.tool.isQuestion) return { kind: 'ask', rule: 'the agent asks', risk: 'low', allowed: ['respond'] }
  const rule = matchRules(settings.rules, question)
  if (rule?.effect === 'deny') return { kind: 'refuse', message: deniedText(rule.text) }
  if (question.tool.isPlan) return askAboutPlan(settingsFor(settings, question))
  const isCommand = question.access.command !== null
  const runsAside = question.runsAside === true
  const treatment = settings.sandboxed ? treatmentOf(question.mode, settings) : 'before'
  const drops = treatment === 'drop' && isCommand && runsAside
  const refusal = planRefusal(question, drops)
  if (refusal !== undefined) return { kind: 'refuse', message: `Plan mode: ${refusal}` }
  const found = settingsFor(settings, question)
  const allowed = rule?.effect === 'allow' || (rule === undefined && isAllowedByHook(question, found))
  const reason =
    rule?.effect === 'ask' ? ruleReason(rule) : reasonToAsk(settings, question, found, { allowed, treatment })
  const isSettled = allowed || found.passing || settings.asks === false
  if (reason === undefined && drops) return { kind: 'drop' }
  const waits = reason === undefined && treatment === 'after' && isCommand && runsAside && !isSettled
  // An edit stays on the branch, so it may run before anybody is asked about what it did. Real files and what all projects
  // read cannot be tried, and what a run read cannot be kept back: the agent would learn it from an error.
  const mayRunFirst = !isCommand && runsAside && question.mustAsk === undefined && !leavesProject(settings, question)
  const canBeTried = mayRunFirst && (reason === undefined || !asksToRead(settings, question))
  if (canBeTried && (reason !== undefined || asksAboutEffects(settings))) return { kind: 'try', question: null }
  if (reason === undefined && !waits) return { kind: 'run' }
  const isOpen = question.mustAsk === undefined && question.beyond === undefined
  const allowable = rule?.effect !== 'ask' && !found.binding && isOpen && canBeAllowed(settings, question)
  const asks: Question = {
    rule: reason ?? waitReason(settings),
    ...(drops && { drops }),
    ...riskOf(question, settings.sandboxed),
    allowed: found.allowed,
    ...(!allowable && { allowable }),
  }
  return waits ? { kind: 'try', question: asks } : { kind: 'ask', ...asks }
}

/** A plan waits for a person in every mode, and no rule answers for them. */
function askAboutPlan({ allowed }: FoundSettings): Verdict {
  return { kind: 'ask', rule: 'the agent hands in a plan', risk: 'low', allowed, allowable: false }
}

/** A hook answers only what nobody but the mode and the kind of tool ask. A person's settings and secrets still ask. */
function isAllowedByHook(question: JudgedCall, { asking }: FoundSettings): boolean {
  return question.allowedBy !== undefined && asking === undefined && secretReason(question) === undefined
}

/** Why the call may not run in the mode Plan. Undefined when it may, and in every other mode. */
function planRefusal(question: JudgedCall, drops: boolean): string | undefined {
  if (drops) {
    const outside = effectOutside(question.access.command ?? '')
    return outside === undefined ? undefined : `${outside} would change something outside. Present the plan instead.`
  }
  return question.mode === 'plan' && changesSomething(question)
    ? 'nothing may be changed. Hand in the plan with present_plan; the user then chooses the mode in which it is done.'
    : undefined
}

/** True when `read_file` would ask about a file that the call reads. */
function asksToRead(settings: PolicyOptions, { access, tool, holdsSecret }: JudgedCall): boolean {
  if (tool.access.reads.length === 0) return false
  const reads = { ...access, writes: [], lists: [] }
  return judgeCall(settings, { tool: toolFacts.read_file, access: reads, mode: 'auto', holdsSecret }).kind !== 'run'
}

/** What a person let run may change files that ask. Only what is denied stays so. */
function judgeOutcome(settings: PolicyOptions, call: JudgedCall, outcome: JudgedOutcome): Verdict {
  const { command, question, isApproved, isOnTop } = outcome
  const verdict = judgeCall(settings, { ...call, runsAside: false })
  if (verdict.kind === 'refuse') return verdict
  const rule = command === null ? undefined : matchEffects(settings.rules, command)
  if (rule?.effect === 'deny') return { kind: 'refuse', message: deniedText(rule.text) }
  if (isApproved) return { kind: 'run' }
  // The effects of an edit are a better reason than what was known before it ran.
  if (verdict.kind === 'ask') return command === null || question === null ? verdict : { kind: 'ask', ...question }
  if (rule?.effect === 'ask') return { kind: 'ask', ...(question ?? outcomeQuestion) }
  // What ran on top of others counts only when they do.
  if (question === null || (rule?.effect === 'allow' && !isOnTop)) return { kind: 'run' }
  return { kind: 'ask', ...question }
}

/** The question about what a call did, where nothing asked before it ran. */
export const outcomeQuestion: Question = {
  ...{ rule: 'what it did waits for you', risk: 'low', allowed: everyAnswer },
}

function deniedText(rule: string): string {
  return `Denied by the rule ${rule}. Do not try it in another way; choose other means or ask the user.`
}

function waitReason({ commands, loosestCommands }: PolicyOptions): string {
  return commands === 'after' || loosestCommands === 'after'
    ? 'setting approvals.commands: what a command did waits for you'
    : 'mode Auto-edit: what a command did waits for you'
}

function ruleReason({ text, because }: RuleMatch): string {
  return because === undefined ? `rule ${text}` : `rule ${text} may hold: ${because}`
}

/** Rules with a pattern match every file that a call changes, even one that no argument names. */
function withEffects(question: JudgedCall): JudgedCall {
  const { access, effects = [] } = question
  if (effects.length === 0) return question
  const writes = [...new Set([...access.writes, ...effects.map(({ path }) => path)])]
  return { ...question, access: { ...access, writes } }
}

const modesByStrictness: readonly ApprovalMode[] = ['plan', 'ask', 'auto-edit', 'auto']

/** The stricter of two modes; `mode` when there is no limit. */
export function stricterMode(mode: ApprovalMode, limit: ApprovalMode | undefined): ApprovalMode {
  return limit && modesByStrictness.indexOf(limit) < modesByStrictness.indexOf(mode) ? limit : mode
}

/** False for what asks whatever rules say: a command without a sandbox, and everything while a setting is unclear. */
function canBeAllowed({ sandboxed, unclear }: PolicyOptions, { access }: JudgedCall): boolean {
  return unclear === undefined && (sandboxed || access.command === null)
}

/** What the settings say about one call. */
interface FoundSettings {
  /** The name of the first setting that asks; undefined when none asks. */
  readonly asking: string | undefined
  /** True when no rule that allows the call can answer for the settings: some are the project's or about its effect. */
  readonly binding: boolean
  /** True when a setting of the person lets the call pass. */
  readonly passing: boolean
  /** The answers that a card for the call may offer. */
  readonly allowed: readonly DecisionType[]
}

function settingsFor(settings: PolicyOptions, question: JudgedCall): FoundSettings {
  const subject = subjectOf(question)
  const own = findSettings(settings.interruptOn, subject)
  const narrowing = (settings.narrowing ?? []).flatMap((one) => findSettings(one, subject))
  const read = createPatternReader()
  const applying = new Set(
    [...own, ...narrowing].filter(({ name, setting }) => fitsWhen(name, setting, question, read)),
  )
  const asks = (one: NamedSetting): boolean => one.setting !== false && applying.has(one)
  const [ownAsking, narrowingAsking] = [own.filter(asks), narrowing.filter(asks)]
  const asking = [...ownAsking, ...narrowingAsking]
  // What code or a command does is known to settings about files, but it is more than that.
  const namesFiles = question.tool.access.writes.length > 0
  const mayPass = ({ name }: NamedSetting): boolean => namesFiles || isOwnName(name, question)
  // A person who limits the questions about a tool that asks by default wants no others.
  const limited = own.some(
    (one) => typeof one.setting === 'object' && one.name === question.tool.name && !applying.has(one),
  )
  return {
    asking: asking[0]?.name,
    binding: narrowingAsking.length > 0 || ownAsking.some(({ name }) => !isOwnName(name, question)),
    passing:
      own.some((one) => one.setting === false && mayPass(one)) || (limited && question.tool.effect === 'outside'),
    allowed: commonAnswers([
      everyAnswer,
      ...asking.flatMap(({ setting }) => (typeof setting === 'object' ? [setting.allowed_decisions] : [])),
    ]),
  }
}

/** The reason to ask when no rule asks; undefined when the call may run. */
function reasonToAsk(
  settings: PolicyOptions,
  question: JudgedCall,
  { asking, binding, passing }: FoundSettings,
  { allowed, treatment }: { readonly allowed: boolean; readonly treatment: CommandTreatment },
): string | undefined {
  const { sandboxed, unclear, asks = true } = settings
  const isCommand = question.access.command !== null
  if (question.mustAsk !== undefined) return question.mustAsk
  if (question.beyond !== undefined) return question.beyond
  if (unclear !== undefined && changesSomething(question)) return unclear
  if (asking !== undefined && (binding || !allowed)) return settingReason(asking, question)
  const leaves = leavesProject(settings, question) && !allowsLeaving(settings, question)
  if (!leaves && (sandboxed || !isCommand) && (passing || allowed || !asks)) return undefined
  if (leaves) return 'default: a folder that is not trusted may tell all projects nothing'
  return sandboxed && isCommand ? commandReason(settings, question, treatment) : defaultReason(question)
}

/** The reason to ask before a command runs in the sandbox; undefined when it may run, whatever becomes of its effects. */
function commandReason(
  settings: PolicyOptions,
  { access, runsAside = false }: JudgedCall,
  treatment: CommandTreatment,
): string | undefined {
  if (treatment === 'drop') return undefined
  const need = treatment === 'before' ? undefined : needOf(access.command ?? '', settings)
  if (need !== undefined) return `commands that need a host ask: ${need}`
  return treatment === 'adopt' || (treatment === 'after' && runsAside) ? undefined : 'default: commands ask'
}

/** True when the setting is about the tool itself, not about its effect. */
function isOwnName(name: string, { tool }: JudgedCall): boolean {
  return namesTool(name, tool.name)
}

function settingReason(name: string, question: JudgedCall): string {
  const reason = `setting interrupt_on.${name}`
  if (isOwnName(name, question)) return reason
  if (question.access.command !== null) return `${reason}: a command can do the same`
  const changed = question.effects?.map(({ path }) => shownName(path)) ?? []
  const more = changed.length > 3 ? ` and ${changed.length - 3} more` : ''
  return changed.length === 0 ? reason : `${reason}: it would change ${changed.slice(0, 3).join(', ')}${more}`
}

/** A command can do anything to files, and nobody knows what before it ran. */
function subjectOf({ tool, access, effects = [] }: JudgedCall): SettingSubject {
  const isCommand = access.command !== null
  return {
    tool: tool.name,
    kinds: new Set(isCommand ? effectKinds : effects.map(({ kind }) => kind)),
    reads: isCommand || (tool.effect === 'read' && access.reads.length > 0),
    delegates: tool.effect === 'agents',
    plans: tool.effect === 'plan',
  }
}

/**
 * True when a setting without `when`, or with a pattern that fits, applies. A command may change every file, so it fits
 * every pattern about changes.
 */
function fitsWhen(name: string, setting: InterruptSetting, question: JudgedCall, read: PatternReader): boolean {
  if (typeof setting !== 'object' || setting.when === undefined) return true
  const { access } = question
  if (access.command === null) {
    const paths = pathsOf(access)
    return setting.when.some((pattern) => {
      const glob = read(pattern)
      return paths.some((path) => glob?.fits(path) ?? true)
    })
  }
  if (!isOwnName(name, question)) return !namesTool(name, 'read_file')
  const rules = { ...noRules, ask: setting.when.map((pattern) => `${question.tool.name}(${pattern})`) }
  return matchRules(rules, question, read) !== undefined
}

function defaultReason(question: JudgedCall): string | undefined {
  const { tool, access, mode } = question
  if (access.host !== undefined)
    return `default: no rule allows ${access.host === '' ? 'an address that cannot be read' : shownName(access.host)}`
  const secret = secretReason(question)
  if (secret !== undefined) return secret
  if (tool.effect === 'outside') return 'default: commands ask'
  if (mode === 'ask' && changesSomething(question) && question.outcome?.changedNothing !== true)
    return 'mode Ask: every change asks'
  return undefined
}

function secretReason({ tool, access, holdsSecret, replacesSecret }: JudgedCall): string | undefined {
  const secret = holdsSecret === null ? undefined : (holdsSecret ?? access.reads.find(isSecretFile))
  if (secret && (tool.effect === 'read' || tool.access.reads.length > 0))
    return `default: ${shownName(secret)} may hold secrets`
  return replacesSecret === undefined
    ? undefined
    : `default: ${shownName(replacesSecret)} may hold secrets, and would not stay as it is`
}

/**
 * True for a call in a folder that is not trusted and that changes what all projects read: agents would obey it where the
 * person trusts the folder.
 */
function leavesProject(
  { isTrusted = true, placesForAll = usualPlaces }: PolicyOptions,
  { access }: JudgedCall,
): boolean {
  return !isTrusted && access.writes.some((path) => reachesAllProjects(path, placesForAll))
}

const usualPlaces = [memoriesForAll]

/** True when rules that are about these places allow it. What allows a tool in general was not said with other projects in mind. */
function allowsLeaving({ rules, placesForAll = usualPlaces }: PolicyOptions, question: JudgedCall): boolean {
  const { access } = question
  const tops = placesForAll.map((place) => `/${place.split('/')[1]}/`)
  const allow = rules.allow.filter((rule) => tops.some((top) => `${parseRule(rule)?.pattern ?? ''}/`.startsWith(top)))
  const writes = access.writes.filter((path) => reachesAllProjects(path, placesForAll))
  const leaving = { ...access, reads: [], lists: [], writes }
  return matchRules({ ...noRules, allow }, { ...question, access: leaving }) !== undefined
}

function changesSomething({ tool }: JudgedCall): boolean {
  return tool.effect === 'outside' || tool.effect === 'overlay'
}

/** False when no setting and no rule asks because of what a call does to files, so nobody needs to find it out. */
export function asksAboutEffects({ interruptOn, narrowing = [], rules }: PolicySettings): boolean {
  const everyKind: SettingSubject = {
    tool: 'write_file',
    kinds: new Set(effectKinds),
    reads: false,
    delegates: false,
    plans: false,
  }
  const asks = (settings: InterruptSettings): boolean =>
    findSettings(settings, everyKind).some(({ setting }) => setting !== false)
  return [interruptOn, ...narrowing].some(asks) || rules.ask.some(isAboutFiles)
}

/** False when nothing asks about changes of files and nothing forbids them. */
export function judgesEffects(settings: PolicySettings): boolean {
  return asksAboutEffects(settings) || settings.rules.deny.some(isAboutFiles)
}

function isAboutFiles(rule: string): boolean {
  return parseRule(rule)?.tool !== 'execute'
}
