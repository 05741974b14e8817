import { type ParseError, parse } from 'jsonc-parser'
import { matcherProblem } from '#core/agent/stages/hook-matcher.ts'
import type { Hook } from '#core/agent/types/extensions.ts'
import { parseRule } from '#core/approval/rules.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { type HookEvent, type HookSource, hookEvents } from '#shared/model/calls/hooks.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { jsonLimit } from '#shared/text/text-limits.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { hashOf } from '../mcp/mcp-definitions.ts'

/** The hooks of one file, and what of it does not count, in sentences for a person. */
export interface ReadHooks {
  readonly hooks: readonly Hook[]
  readonly problems: readonly string[]
}

export interface HookFile {
  readonly source: HookSource
  /** For people. */
  readonly file: string
}

/** Hooks of one file that are read. */
const mostHooks = 200
/** Mistakes of one file that are named. */
const mostProblems = 50
const usualSeconds = 60
const mostSeconds = 600

/** A settings file of Claude Code. Undefined for a text that is none, with the reason in `problems`. */
export function parseClaudeSettings(text: string, file: string, problems: string[]): JsonObject | undefined {
  const limit = jsonLimit(text)
  const errors: ParseError[] = []
  const value: unknown = limit === undefined ? parse(text, errors, { allowTrailingComma: true }) : undefined
  if (limit === undefined && errors.length === 0 && isJsonObject(value)) return value
  if (text.trim() !== '') problems.push(`${file} was not read: ${limit ?? 'it is no JSON object.'}`)
  return undefined
}

/** The hooks in the form that Claude Code has: by event, in groups with a matcher. What is wrong with one leaves the others. */
export function hooksIn(given: unknown, from: HookFile): ReadHooks {
  const problems: string[] = []
  let unsaid = 0
  const say = (where: string, what: string) => {
    if (problems.length < mostProblems) problems.push(`${from.file}: hooks.${where}: ${beginningOf(what, 300)}`)
    else unsaid += 1
  }
  if (given === undefined || given === null) return { hooks: [], problems }
  if (!isJsonObject(given)) return { hooks: [], problems: [`${from.file}: hooks: it is no object of events.`] }
  const hooks: Hook[] = []
  for (const [event, groups] of Object.entries(given)) {
    if (!isEvent(event)) say(oneLine(beginningOf(event, 60)), 'Coppice asks no hooks at this moment.')
    else if (!Array.isArray(groups)) say(event, 'it is no list.')
    else for (const group of groups as readonly JsonValue[]) hooks.push(...hooksOfGroup(event, group, from, say))
  }
  if (unsaid > 0) problems.push(`${from.file}: ${unsaid} more mistakes in its hooks are not listed.`)
  // A hook that is written twice is one hook, as in Claude Code.
  const once = [...new Map(hooks.map((hook) => [hook.hash, hook])).values()]
  if (once.length > mostHooks)
    problems.push(`${from.file}: Only the first ${mostHooks} of ${once.length} hooks are used.`)
  return { hooks: once.slice(0, mostHooks), problems }
}

type Say = (where: string, what: string) => void

function hooksOfGroup(event: HookEvent, group: JsonValue, from: HookFile, say: Say): readonly Hook[] {
  if (!isJsonObject(group) || !Array.isArray(group.hooks)) {
    say(event, 'a group needs a list of hooks.')
    return []
  }
  const matcher = typeof group.matcher === 'string' && group.matcher !== '' ? group.matcher : null
  const wrong = matcher === null ? undefined : matcherProblem(matcher)
  if (wrong !== undefined) {
    say(event, `the matcher ${JSON.stringify(beginningOf(matcher ?? '', 80))} cannot be used, because ${wrong}.`)
    return []
  }
  return (group.hooks as readonly JsonValue[]).flatMap((one) => hookOf(event, matcher, one, from, say))
}

function hookOf(event: HookEvent, matcher: string | null, given: JsonValue, from: HookFile, say: Say): readonly Hook[] {
  if (!isJsonObject(given)) {
    say(event, 'a hook is an object.')
    return []
  }
  const { type = 'command', command, args, shell, timeout } = given
  if (type !== 'command') {
    say(event, `a hook of the type ${JSON.stringify(type)} does not run here: only "command" does.`)
    return []
  }
  if (typeof command !== 'string' || command.trim() === '') {
    say(event, 'a hook needs a command.')
    return []
  }
  if (shell === 'powershell') {
    say(event, 'a hook for PowerShell does not run here.')
    return []
  }
  const condition = given.if
  if (condition !== undefined && (typeof condition !== 'string' || !parseRule(condition))) {
    say(event, `the condition ${JSON.stringify(condition)} is no rule, so this hook does not run.`)
    return []
  }
  const seconds = typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, mostSeconds) : usualSeconds
  const words = Array.isArray(args) ? (args as readonly JsonValue[]).map(String) : null
  if ([command, ...(words ?? [])].some((word) => word.includes('\0'))) {
    say(event, 'no program can be told a NUL character, so this hook does not run.')
    return []
  }
  const definition = {
    ...{ event, matcher, command, args: words, timeoutMs: seconds * 1000, source: from.source },
    condition: typeof condition === 'string' ? condition : null,
    inBackground: given.async === true || given.asyncRewake === true,
    once: given.once === true,
    blocksOnFailure: given.onFailure === 'block',
  }
  return [{ ...definition, file: from.file, hash: hashOf(definition) }]
}

function isEvent(name: string): name is HookEvent {
  return (hookEvents as readonly string[]).includes(name)
}
