import { parentOf, rootPath } from '#shared/model/virtual-path.ts'
import { pathsOf } from '#shared/tools/tool-facts.ts'
import { isSecretFile } from '../secrets/secret-files.ts'
import { allowsCommand, withoutLimits } from './command-patterns.ts'
import { canAllow } from './rule-problems.ts'
import { matchRules, noRules, type RuleSubject } from './rules.ts'
import { plainCommands, type Words } from './shell-line.ts'

/** Rules that together allow a call. A person can edit them. */
export type RuleProposal = readonly string[]

/**
 * Proposals that would let a call like this one run without asking, the narrowest first. Empty when no rule can do
 * that: for a tool that always asks, or a line that only a shell can interpret.
 */
export function proposeRules(subject: RuleSubject): readonly RuleProposal[] {
  const proposals = subject.access.command === null ? forTool(subject) : forCommand(subject.access.command)
  return distinct(proposals).filter(
    (rules) => rules.every(canAllow) && matchRules({ ...noRules, allow: rules }, subject)?.effect === 'allow',
  )
}

function forCommand(line: string): readonly RuleProposal[] {
  const commands = plainCommands(line)?.map(withoutLimits)
  if (!commands) return []
  const general = commands.map((words) => generalPattern(words) ?? words.join(' '))
  return [commands.map((words) => words.join(' ')), general]
    .filter((patterns) => allowsCommand(patterns, line))
    .map((patterns) => [...new Set(patterns)].map((pattern) => `execute(${pattern})`))
}

/** Commands that run other programs from their arguments, or reach beyond the project. */
const neverGeneral =
  /^(ba|da|k|z)?sh$|^(awk|builtin|chmod|chown|command|curl|dd|deno|docker|doas|env|eval|exec|find|kill|kubectl|mv|nice|node|nohup|npx|osascript|parallel|perl|php|pkill|pnpx|powershell|python\d*|rm|rsync|ruby|scp|sed|setsid|source|ssh|stdbuf|sudo|tee|time|uvx|wget|xargs)$/

/** The command, with its subcommand if there seems to be one, and any arguments. */
function generalPattern([name, first]: Words): string | undefined {
  if (name === undefined || neverGeneral.test(name) || name.includes('/')) return undefined
  return first !== undefined && /^[a-z][a-z-]*$/.test(first) ? `${name} ${first} *` : `${name} *`
}

function forTool({ tool: { name: tool }, access }: RuleSubject): readonly RuleProposal[] {
  if (access.host !== undefined) return access.host === '' ? [] : [[`${tool}(${access.host})`]]
  const paths = pathsOf(access)
  const server = /^(mcp__.+?__)/.exec(tool)?.[1]
  if (server !== undefined) return [[tool], [`${server}*`]]
  const folders = paths.map(parentOf)
  const wide = folders.some((folder) => folder === rootPath) || paths.some(isSecretFile)
  return [
    paths.map((path) => `${tool}(${path})`),
    ...(paths.length === 0 || wide ? [] : [folders.map((folder) => `${tool}(${folder}/**)`)]),
  ]
}

function distinct(proposals: readonly RuleProposal[]): readonly RuleProposal[] {
  return [...new Map(proposals.map((rules) => [[...new Set(rules)].join('\n'), [...new Set(rules)]])).values()]
}
