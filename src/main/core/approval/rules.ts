import { type DeadRule, type PermissionRules, type RuleEffect, ruleEffects } from '#shared/model/settings.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type CallAccess, findToolFacts, pathsOf, type ToolFacts, toolFacts } from '#shared/tools/tool-facts.ts'
import { hostPattern, namesHost } from '#shared/tools/web-address.ts'
import { allowsCommand, type Fit, mentionsCommand, namesCommand } from './command-patterns.ts'
import { isAboutEffects, parseEffectsRule } from './effects-rules.ts'
import { createPatternReader, type PatternReader } from './path-patterns.ts'
import { type CommandReading, readCommands } from './read-commands.ts'
import { namesTool, ownToolName } from './tool-names.ts'

export const noRules: PermissionRules = { deny: [], ask: [], allow: [] }

export interface RuleSubject {
  /** Rules match its name and its kinds of access. */
  readonly tool: ToolFacts
  /** The files that the call reads and writes: its paths as written, and the paths that their links lead to. */
  readonly access: CallAccess
}

export interface Rule {
  /** A tool's name in this app, or a glob of names. */
  readonly tool: string
  /** Null for a rule about every call of the tool. */
  readonly pattern: string | null
  /** True when written with another system's name. */
  readonly isAlias: boolean
}

/** Undefined for text that is not a rule. */
export function parseRule(text: string): Rule | undefined {
  const parsed = /^([\w*-]+)(?:\((.*)\))?$/s.exec(text.trim())
  if (!parsed?.[1]) return undefined
  const tool = ownToolName(parsed[1])
  return { tool, pattern: parsed[2] ?? null, isAlias: tool !== parsed[1] }
}

/** The rule that decides about a call. */
export interface RuleMatch {
  readonly effect: RuleEffect
  readonly text: string
  /** Why a rule that only might fit asks. Undefined when it fits. */
  readonly because?: string | undefined
}

/**
 * The first rule that matches, deny before ask before allow. A rule that denies or asks also asks when nobody can tell
 * whether it fits a command, except for a file that an allow rule names. `read` may be shared by all that is asked about
 * one call.
 */
export function matchRules(
  rules: PermissionRules,
  subject: RuleSubject,
  read = createPatternReader(),
): RuleMatch | undefined {
  const { command } = subject.access
  const restricting = rules.deny.length + rules.ask.length > 0
  const reading = command === null || !restricting ? undefined : readCommands(command)
  const found = (['deny', 'ask'] as const).flatMap((effect) =>
    rules[effect].flatMap((text) => {
      const restriction = restricts(parseRule(text), subject, reading, read)
      return restriction.fit === 'no' ? [] : [{ effect, text, ...restriction }]
    }),
  )
  const certain = found.find(({ fit }) => fit === 'yes')
  if (certain) return { effect: certain.effect, text: certain.text }
  const allowed = allowing(rules.allow, subject, read)
  const possible = found.find(({ isFile }) => !isFile || !allowed?.hasPattern)
  if (possible) return { effect: 'ask', text: possible.text, because: possible.because }
  return allowed === undefined ? undefined : { effect: 'allow', text: allowed.text }
}

/** The rule that denies every call of a tool, whatever its arguments. Undefined for a tool that may run. */
export function denyingRule({ deny }: PermissionRules, tool: string): string | undefined {
  return deny.find((text) => {
    const rule = parseRule(text)
    return rule !== undefined && rule.pattern === null && namesTool(rule.tool, tool)
  })
}

/** The kind of access that a rule covers in addition to the tool it names. */
const families: ReadonlyMap<string, 'reads' | 'writes'> = new Map([
  ['read_file', 'reads'],
  ['edit_file', 'writes'],
  ['write_file', 'writes'],
])

/** A tool with what it may do to files, or with what one call of it does. */
interface RuleTarget {
  readonly name: string
  readonly access: Readonly<Record<'reads' | 'writes', readonly string[]>> & { readonly command: string | null }
}

/**
 * True when a rule covers a tool. A path rule against reading or editing covers every tool that would read or edit. So
 * does a bare `Read` or `Edit` in Claude Code's spelling. One of our own names without a pattern covers only that tool.
 * A rule against commands covers every tool with a command line, since what is typed into a shell is one.
 */
function holdsFor(rule: Rule, { name, access }: RuleTarget): boolean {
  if (namesTool(rule.tool, name) || isAboutCommand(rule, access)) return true
  const family = families.get(rule.tool)
  return (rule.pattern !== null || rule.isAlias) && family !== undefined && access[family].length > 0
}

function isAboutCommand(rule: Rule, { command }: RuleTarget['access']): boolean {
  return rule.tool === toolFacts.execute.name && command !== null
}

interface Restriction {
  readonly fit: Fit
  /** Why the fit is not known. */
  readonly because?: string | undefined
  /** True when only the content of a file of commands is not known. */
  readonly isFile?: boolean | undefined
}

/** A restriction applies when any command or any path of the call fits. */
function restricts(
  rule: Rule | undefined,
  subject: RuleSubject,
  reading: CommandReading | undefined,
  read: PatternReader,
): Restriction {
  const { tool, access } = subject
  // A tool's own facts say what its arguments name. Code names nothing, but its call may come with what it changes.
  const targets: readonly RuleTarget[] = [tool, { name: tool.name, access }]
  if (!rule || !targets.some((target) => holdsFor(rule, target))) return { fit: 'no' }
  const { pattern } = rule
  if (pattern === null) return { fit: 'yes' }
  if (access.host !== undefined) return restrictsHost(pattern, access.host)
  const isOwn = namesTool(rule.tool, tool.name) || isAboutCommand(rule, access)
  const named: Restriction = reading && isOwn ? restrictsCommand(pattern, reading) : { fit: 'no' }
  if (named.fit === 'yes') return named
  // A rule of a command is no path, but one of a file tool is about the files that a command changed.
  if (rule.tool === tool.name && access.command !== null) return named
  const paths = pathsOf(access)
  if (paths.length === 0) return named
  const glob = read(pattern)
  if (glob === null) return { fit: 'maybe', because: 'its pattern cannot be read' }
  return paths.some((path) => glob.fits(path)) ? { fit: 'yes' } : named
}

/** About an address that nobody can read, such a rule might be. */
function restrictsHost(pattern: string, host: string): Restriction {
  if (host === '') return { fit: 'maybe', because: 'the address cannot be read' }
  return { fit: namesHost(pattern, host, true) ? 'yes' : 'no' }
}

function restrictsCommand(pattern: string, { commands, mentions, unread, file }: CommandReading): Restriction {
  const fit = namesCommand(pattern, commands)
  if (fit === 'yes') return { fit }
  if (unread !== undefined) return { fit: 'maybe', because: unread }
  if (fit === 'maybe') return { fit, because: 'a part of it may run what the rule names' }
  const because = mentionsCommand(pattern, mentions)
  if (because !== undefined) return { fit: 'maybe', because }
  return file === undefined ? { fit } : { fit: 'maybe', because: file, isFile: true }
}

/** The rules that permit the call, or undefined. Together they must cover every command of its line, or every path. */
function allowing(
  texts: readonly string[],
  subject: RuleSubject,
  read: PatternReader,
): { readonly text: string; readonly hasPattern: boolean } | undefined {
  const rules = texts.flatMap((text) => {
    const rule = parseRule(text)
    return rule && namesTool(rule.tool, subject.tool.name) ? [{ text, pattern: rule.pattern }] : []
  })
  const whole = rules.find(({ pattern }) => pattern === null)
  const patterns = rules.flatMap(({ pattern }) => (pattern === null ? [] : [pattern]))
  const { access } = subject
  const matched = coverCall(patterns, access, read)
  const text = matched?.map((pattern) => rules.find((rule) => rule.pattern === pattern)?.text ?? pattern).join(' + ')
  if (whole) return { text: whole.text, hasPattern: text !== undefined }
  return text === undefined ? undefined : { text, hasPattern: true }
}

/** The patterns that together cover what a call asks for: its host, its commands or its paths. */
function coverCall(patterns: readonly string[], access: CallAccess, read: PatternReader) {
  const { host, command } = access
  if (host !== undefined) {
    const fits = patterns.find((pattern) => namesHost(pattern, host, false))
    return fits === undefined ? undefined : [fits]
  }
  return command === null ? coverPaths(patterns, pathsOf(access), read) : allowsCommand(patterns, command)
}

/**
 * The patterns that cover all paths, without duplicates. Undefined when there is no path, or when one fits no pattern.
 */
function coverPaths(
  patterns: readonly string[],
  paths: readonly VirtualPath[],
  read: PatternReader,
): readonly string[] | undefined {
  const globs = patterns.map((pattern) => ({ pattern, glob: read(pattern) }))
  const matched = paths.map((path) => globs.find(({ glob }) => glob?.fits(path))?.pattern)
  if (paths.length === 0 || !matched.every((pattern) => pattern !== undefined)) return undefined
  return [...new Set(matched)]
}

/** Beyond these steps, a rule is not compared with others. */
const mostSteps = 5_000_000

/** Rules that can never decide anything, because a stronger one covers them or they cannot be read. */
export function deadRules(rules: PermissionRules): readonly DeadRule[] {
  const work = { steps: 0 }
  const stronger: Record<RuleEffect, readonly string[]> = {
    deny: [],
    ask: rules.deny,
    allow: [...rules.deny, ...rules.ask],
  }
  return ruleEffects.flatMap((effect) =>
    rules[effect].flatMap((text): DeadRule[] => {
      const rule = isAboutEffects(text) && !parseEffectsRule(text) ? undefined : parseRule(text)
      if (!rule) return [{ effect, text, because: null }]
      const because = stronger[effect].find((other) => covers(parseRule(other), rule, effect, work))
      return because === undefined ? [] : [{ effect, text, because }]
    }),
  )
}

/**
 * True when the strong rule decides wherever the weak one would. The strong pattern is matched against the weak
 * pattern's text, since only a star fits a star.
 */
function covers(strong: Rule | undefined, weak: Rule, effect: RuleEffect, work: { steps: number }): boolean {
  const facts = findToolFacts(weak.tool)
  const others = effect === 'allow' ? [] : Object.values(toolFacts).filter((one) => holdsFor(weak, one))
  if (!strong || ![facts, ...others].every((one) => holdsFor(strong, one))) return false
  if (strong.pattern === null) return true
  if (weak.pattern === null) return false
  if (facts.access.command !== null)
    return namesCommand(strong.pattern, readCommands(weak.pattern.replace(/:\*$/, ' *')).commands) === 'yes'
  if (facts.access.address !== undefined) return namesHost(strong.pattern, hostPattern(weak.pattern), true)
  const path = weak.pattern.startsWith('/') ? weak.pattern : `/${weak.pattern.replace(/^\.\//, '')}`
  if (work.steps > mostSteps) return false
  return createPatternReader(work)(strong.pattern)?.fits(path as VirtualPath) === true
}
