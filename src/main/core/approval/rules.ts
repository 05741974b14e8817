import picomatch from 'picomatch'
import { type DeadRule, type PermissionRules, type RuleEffect, ruleEffects } from '#shared/model/settings.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type CallAccess, findToolFacts, pathsOf, type ToolFacts, toolFacts } from '#shared/tools/tool-facts.ts'
import { allowsCommand, namesCommand } from './command-patterns.ts'
import { ownToolName } from './tool-names.ts'

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

/** The first rule that matches, deny before ask before allow. */
export function matchRules(
  rules: PermissionRules,
  subject: RuleSubject,
): { readonly effect: RuleEffect; readonly text: string } | undefined {
  for (const effect of ['deny', 'ask'] as const) {
    const text = rules[effect].find((rule) => restricts(parseRule(rule), subject))
    if (text !== undefined) return { effect, text }
  }
  const allowed = allowing(rules.allow, subject)
  return allowed === undefined ? undefined : { effect: 'allow', text: allowed }
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
  readonly access: Readonly<Record<'reads' | 'writes', readonly string[]>>
}

/**
 * True when a rule covers a tool. A path rule against reading or editing covers every tool that would read or edit. So
 * does a bare `Read` or `Edit` in Claude Code's spelling. One of our own names without a pattern covers only that tool.
 */
function holdsFor(rule: Rule, { name, access }: RuleTarget): boolean {
  if (picomatch.isMatch(name, rule.tool)) return true
  const family = families.get(rule.tool)
  return (rule.pattern !== null || rule.isAlias) && family !== undefined && access[family].length > 0
}

/** A restriction applies when any command or any path of the call fits. */
function restricts(rule: Rule | undefined, subject: RuleSubject): boolean {
  const { tool, access } = subject
  // A tool's own facts say what its arguments name. Code names nothing, but its call may come with what it changes.
  const targets: readonly RuleTarget[] = [tool, { name: tool.name, access }]
  if (!rule || !targets.some((target) => holdsFor(rule, target))) return false
  const { pattern } = rule
  if (pattern === null) return true
  const isOwn = picomatch.isMatch(tool.name, rule.tool)
  if (access.command !== null && isOwn && namesCommand(pattern, access.command)) return true
  // A rule of a command is no path, but one of a file tool is about the files that a command changed.
  return rule.tool !== tool.name || access.command === null
    ? pathsOf(access).some((path) => matchesPath(pattern, path))
    : false
}

/** The rules that permit the call, or undefined. Together they must cover every command of its line, or every path. */
function allowing(texts: readonly string[], subject: RuleSubject): string | undefined {
  const rules = texts.flatMap((text) => {
    const rule = parseRule(text)
    return rule && picomatch.isMatch(subject.tool.name, rule.tool) ? [{ text, pattern: rule.pattern }] : []
  })
  const whole = rules.find(({ pattern }) => pattern === null)
  if (whole) return whole.text
  const patterns = rules.flatMap(({ pattern }) => (pattern === null ? [] : [pattern]))
  const { access } = subject
  const matched =
    access.command === null ? coverPaths(patterns, pathsOf(access)) : allowsCommand(patterns, access.command)
  return matched?.map((pattern) => rules.find((rule) => rule.pattern === pattern)?.text ?? pattern).join(' + ')
}

/**
 * The patterns that cover all paths, without duplicates. Undefined when there is no path, or when one fits no pattern.
 */
function coverPaths(patterns: readonly string[], paths: readonly VirtualPath[]): readonly string[] | undefined {
  const matched = paths.map((path) => patterns.find((pattern) => matchesPath(pattern, path)))
  if (paths.length === 0 || !matched.every((pattern) => pattern !== undefined)) return undefined
  return [...new Set(matched)]
}

/** True when a pattern of a rule, which starts at the root of the project, fits a path. */
export function matchesPath(pattern: string, path: VirtualPath): boolean {
  const glob = pattern.startsWith('/') ? pattern : `/${pattern.replace(/^\.\//, '')}`
  return picomatch.isMatch(path, glob, { dot: true })
}

/** Rules that can never decide anything, because a stronger one covers them or they cannot be read. */
export function deadRules(rules: PermissionRules): readonly DeadRule[] {
  const stronger: Record<RuleEffect, readonly string[]> = {
    deny: [],
    ask: rules.deny,
    allow: [...rules.deny, ...rules.ask],
  }
  return ruleEffects.flatMap((effect) =>
    rules[effect].flatMap((text): DeadRule[] => {
      const rule = parseRule(text)
      if (!rule) return [{ effect, text, because: null }]
      const because = stronger[effect].find((other) => covers(parseRule(other), rule, effect))
      return because === undefined ? [] : [{ effect, text, because }]
    }),
  )
}

/**
 * True when the strong rule decides wherever the weak one would. The strong pattern is matched against the weak
 * pattern's text, since only a star fits a star.
 */
function covers(strong: Rule | undefined, weak: Rule, effect: RuleEffect): boolean {
  const facts = findToolFacts(weak.tool)
  const others = effect === 'allow' ? [] : Object.values(toolFacts).filter((one) => holdsFor(weak, one))
  if (!strong || ![facts, ...others].every((one) => holdsFor(strong, one))) return false
  if (strong.pattern === null) return true
  if (weak.pattern === null) return false
  if (facts.access.command !== null) return namesCommand(strong.pattern, weak.pattern.replace(/:\*$/, ' *'))
  const path = weak.pattern.startsWith('/') ? weak.pattern : `/${weak.pattern.replace(/^\.\//, '')}`
  return matchesPath(strong.pattern, path as VirtualPath)
}
