import picomatch from 'picomatch'
import type { JsonObject } from '#shared/base/json.ts'
import { namedPaths } from './named-paths.ts'

export type RuleEffect = 'deny' | 'ask' | 'allow'

/** Rules as they are written in settings: `tool` or `tool(pattern)`. */
export interface PermissionRules {
  readonly deny: readonly string[]
  readonly ask: readonly string[]
  readonly allow: readonly string[]
}

export const noRules: PermissionRules = { deny: [], ask: [], allow: [] }

export interface RuleSubject {
  readonly tool: string
  readonly args: JsonObject
}

/** Claude Code's names of the tools, so that its rules can be pasted. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['Bash', 'execute'],
  ['Read', 'read_file'],
  ['Write', 'write_file'],
  ['Edit', 'edit_file'],
  ['MultiEdit', 'multi_edit'],
  ['Glob', 'glob'],
  ['Grep', 'grep'],
  ['Task', 'task'],
])

/** The first rule that matches, deny before ask before allow. */
export function matchRules(
  rules: PermissionRules,
  subject: RuleSubject,
): { readonly effect: RuleEffect; readonly text: string } | undefined {
  for (const effect of ['deny', 'ask', 'allow'] as const) {
    const text = rules[effect].find((rule) => matches(rule, subject, effect))
    if (text !== undefined) return { effect, text }
  }
  return undefined
}

function matches(rule: string, subject: RuleSubject, effect: RuleEffect): boolean {
  const parsed = /^([\w*-]+)(?:\((.*)\))?$/s.exec(rule.trim())
  if (!parsed?.[1]) return false
  const [, name, pattern] = parsed
  if (!picomatch.isMatch(subject.tool, aliases.get(name) ?? name)) return false
  if (pattern === undefined) return true
  return subject.tool === 'execute'
    ? matchesCommand(pattern, subject.args, effect)
    : matchesPaths(pattern, subject.args, effect)
}

/**
 * Only one plain command (words, no quoting, expansion, redirection or operator) can be allowed by a pattern; whatever
 * needs a shell to be understood falls through and asks. A denial also looks at each word sequence of a longer line.
 */
function matchesCommand(pattern: string, args: JsonObject, effect: RuleEffect): boolean {
  const command = typeof args.command === 'string' ? args.command.trim() : ''
  if (effect === 'allow')
    return /^[\w@%+=:,./ -]+$/.test(command) && !/^\w+=/.test(command) && commandMatches(pattern, command)
  return command.split(/[;&|\n()`]+/).some((part) => commandMatches(pattern, part.trim()))
}

/** `npm run *` matches `npm run` and `npm run test`, not `npm runx`. */
function commandMatches(pattern: string, command: string): boolean {
  const words = (pattern.endsWith(' *') ? pattern.slice(0, -2) : pattern).split(' ')
  const expression = words.map((word) => word.split('*').map(escapeRegex).join('.*')).join('\\s+')
  return new RegExp(`^${expression}${pattern.endsWith(' *') ? '(\\s.*)?' : ''}$`, 's').test(command)
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** A denial looks at each path a call names; a permission must hold for all of them. */
function matchesPaths(pattern: string, args: JsonObject, effect: RuleEffect): boolean {
  const glob = pattern.startsWith('/') ? pattern : `/${pattern.replace(/^\.\//, '')}`
  const paths = namedPaths(args)
  const matchesOne = (path: string) => picomatch.isMatch(path, glob, { dot: true })
  return effect === 'allow' ? paths.length > 0 && paths.every(matchesOne) : paths.some(matchesOne)
}
