import { hostProblem } from '#shared/base/reach/host-names.ts'
import { type PermissionRules, type RuleEffect, ruleEffects } from '#shared/model/settings.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { hostPattern } from '#shared/tools/web-address.ts'
import { agentRequestTool } from '../tools/delegate/agent-request.ts'
import { allowsCommand, namesCommand } from './command-patterns.ts'
import { isAboutEffects, parseEffectsRule } from './effects-rules.ts'
import { parseLine } from './parse-line.ts'
import { fitsSomePath } from './path-patterns.ts'
import { readCommands } from './read-commands.ts'
import { parseRule } from './rules.ts'
import { isAbsentTool, isOfOtherServer, type KnownServerTools, namesTool, resolveToolName } from './tool-names.ts'

/** A rule that can never hold, with a sentence that says why, and what was probably meant. */
export interface RuleProblem {
  readonly effect: RuleEffect
  readonly text: string
  readonly problem: string
}

/**
 * The rules that can never hold: their text is no rule, their name is no tool, or nothing fits their pattern. A person
 * relies on each of them, so no work starts before they are corrected.
 */
export function ruleProblems(rules: PermissionRules, known: KnownServerTools): readonly RuleProblem[] {
  return ruleEffects.flatMap((effect) =>
    rules[effect].flatMap((text) => {
      const problem = ruleProblem(text, effect, known)
      return problem === undefined ? [] : [{ effect, text, problem }]
    }),
  )
}

/** Rules about tools of other systems that Coppice has nothing like, as sentences. Such a rule has nothing to hold. */
export function absentTools(rules: PermissionRules): readonly string[] {
  return ruleEffects.flatMap((effect) =>
    rules[effect]
      .filter((text) => isAbsentTool(parseRule(text)?.tool ?? ''))
      .map((text) => `permissions.${effect}: ${quote(text)} is about a tool that Coppice does not have.`),
  )
}

function ruleProblem(text: string, effect: RuleEffect, known: KnownServerTools): string | undefined {
  if (isAboutEffects(text)) return effectsProblem(text, effect)
  const rule = parseRule(text)
  if (rule === undefined) return notARule(text)
  const given = /^[\w*-]+/.exec(text.trim())?.[0] ?? ''
  if (isAbsentTool(given) || namesTool(rule.tool, agentRequestTool)) return undefined
  const found = resolveToolName(given, known)
  if (!found.ok) return isOfOtherServer(given, known) ? undefined : found.problem
  if (found.name !== rule.tool) return `Write the full name of the tool: ${found.name}.`
  if (rule.pattern === null) return undefined
  const problem = patternProblem(rule.tool, rule.pattern, effect)
  if (problem === undefined) return undefined
  const better = nearestPattern(rule.pattern)
  const isBetter = better !== rule.pattern && patternProblem(rule.tool, better, effect) === undefined
  return isBetter ? `${problem} Did you mean ${given}(${better})?` : problem
}

function notARule(text: string): string {
  const parts = /^\s*([\w*-]+)\s*\(\s*(.*?)\s*\)?\s*$/s.exec(text)
  const example = parts ? `${parts[1]}(${parts[2]})` : 'Bash(npm run *) or Read(docs/**)'
  return `This is not a rule. Write the name of a tool, or a tool and a pattern right after it: ${example}.`
}

function effectsProblem(text: string, effect: RuleEffect): string | undefined {
  const rule = parseEffectsRule(text)
  if (rule === undefined)
    return 'This is not a rule about effects. Write patterns and limits with commas between them: Effects(src/**, ≤ 20 files, no deletions).'
  return rule.patterns.map((pattern) => pathProblem(pattern, effect)).find((problem) => problem !== undefined)
}

/** False for a rule whose pattern nothing fits. */
export function canAllow(text: string): boolean {
  const rule = parseRule(text)
  if (rule === undefined) return false
  return rule.pattern === null || patternProblem(rule.tool, rule.pattern, 'allow') === undefined
}

/** Why no call of a tool could fit a pattern of a rule, or of `when`. Undefined when one could. */
export function patternProblem(tool: string, pattern: string, effect: RuleEffect): string | undefined {
  const { access, effect: kind } = findToolFacts(tool)
  if (access.command !== null) return commandProblem(pattern, effect)
  if (access.address !== undefined) return addressProblem(pattern)
  const takesPaths = kind === 'overlay' || [access.reads, access.writes, access.lists].some(({ length }) => length > 0)
  return takesPaths ? pathProblem(pattern, effect) : `A call of ${tool} names no file and no command. Write ${tool}.`
}

function addressProblem(pattern: string): string | undefined {
  const host = hostPattern(pattern)
  return host === '*' || /^\[[\da-f:.]+\](:\d+)?$/.test(host) ? undefined : (hostProblem(host) ?? undefined)
}

/**
 * Tries the pattern on the line that it seems to describe, with a word in the place of each star. What a shell reads as
 * something else than one command of these words, no command can be.
 */
function commandProblem(pattern: string, effect: RuleEffect): string | undefined {
  if (pattern.trim() === '') return 'An empty pattern fits no command.'
  const line = pattern.trim().replace(/:\*$/, ' *').replaceAll('*', 'x')
  // Of a line that is not complete, such as one with a single quote, nobody knows what was meant.
  const script = parseLine(line)
  const isComplete = script !== null && !script.errors?.length
  const fits =
    effect === 'allow'
      ? allowsCommand([pattern], line) !== undefined
      : !isComplete || namesCommand(pattern, readCommands(line).commands) !== 'no'
  return fits
    ? undefined
    : 'No single command fits this pattern. A pattern is the words of one command, without quotes, variables, redirections and operators such as | and &&; write one rule for each command.'
}

function pathProblem(pattern: string, effect: RuleEffect): string | undefined {
  if (pattern.trim() === '') return 'An empty pattern fits no file.'
  if (pattern.trim() !== pattern) return 'The pattern has a space at its edge.'
  if (/^(~|\$HOME|[A-Za-z]:)(?=[\\/])|(^|\/)\.\.(\/|$)/.test(pattern))
    return 'Patterns begin at the folder of the project, and tools reach nothing outside of it.'
  if (/\\[\w.]/.test(pattern)) return 'A pattern has / between folders.'
  if (/,\s/.test(pattern.replace(/\{[^}]*\}/g, ''))) return 'A rule has one pattern. Write a rule for each.'
  const fits = fitsSomePath(pattern)
  if (fits === false) return 'No file of the project can fit this pattern.'
  // One that cannot be read asks about every file.
  return fits === null && effect === 'allow' ? 'The pattern cannot be read, so it allows nothing.' : undefined
}

/** The pattern without what makes it fit nothing. */
function nearestPattern(pattern: string): string {
  const path = pattern
    .trim()
    .replace(/^(~|\$HOME|[A-Za-z]:)(?=[\\/])/, '')
    .replace(/\\(?=[\w.*])/g, '/')
    .replace(/(^|\/)(\.{0,2}\/)+/g, '$1')
  return path.length > 1 && path.endsWith('/') ? `${path}**` : path
}

function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${beginningOf(text, 199)}…` : text)
}

/** A problem of a rule as a sentence that names where it stands. */
export function ruleSentence({ effect, text, problem }: RuleProblem): string {
  return `permissions.${effect}: ${quote(text)}: ${problem}`
}
