import { findNodeAtLocation, type Node, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { z } from 'zod'
import type { SettingsProblem } from '#shared/model/settings.ts'
import { nearestName } from '#shared/text/nearest-name.ts'
import { jsonLimit } from '#shared/text/text-limits.ts'
import { reservedKeys, type Settings, type SettingsKey, settingsShape } from './settings-schema.ts'

export interface CheckedSettings {
  readonly settings: Settings
  readonly problems: readonly SettingsProblem[]
}

/** Parses a settings text and lists its problems with their lines. */
export function checkSettings(text: string): CheckedSettings {
  const limit = jsonLimit(text)
  if (limit !== undefined)
    return {
      settings: {},
      problems: [{ line: null, about: null, message: `${limit} ${noneUsed}`, wrong: true, gate: true }],
    }
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const syntax = errors.slice(0, mostErrors).map(({ error, offset }) => ({
    line: lineAt(text, offset),
    about: null,
    message: `not JSON: ${inWords(printParseErrorCode(error))}.`,
    wrong: true,
    // Nobody knows what the rest was to guard.
    gate: true as const,
  }))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = 'the settings must be one JSON object.'
    return { settings: {}, problems: [...syntax, { line: null, about: null, message, wrong: true, gate: true }] }
  }
  const tree = parseTree(text)
  const lines = linesOfKeys(text, tree)
  const lineOf = (path: readonly PropertyKey[]) => lineOfPart(text, tree, path)
  const read = Object.entries(value).map(([key, given]) => readKey(lines.get(key) ?? 1, key, given, lineOf))
  return {
    settings: Object.fromEntries(read.flatMap(({ entry }) => (entry ? [entry] : []))),
    problems: [...syntax, ...repeatedNames(text, tree), ...read.flatMap(({ problem }) => (problem ? [problem] : []))],
  }
}

/** Settings, and names in them, that stand twice. JSON allows that, and only the last one counts. */
function repeatedNames(text: string, tree: Node | undefined): readonly SettingsProblem[] {
  const settings = tree?.children ?? []
  const inner = settings.flatMap(({ children: [key, value] = [] }) =>
    value?.type === 'object'
      ? repeatedIn(value.children ?? []).map((one) => ({ ...one, about: String(key?.value), where: `${key?.value}: ` }))
      : [],
  )
  const outer = repeatedIn(settings).map((one) => ({ ...one, about: one.name, where: '' }))
  return [...outer, ...inner].slice(0, mostErrors).map(({ name, about, where, offset }) => ({
    line: lineAt(text, offset),
    about,
    message: `${where}"${name}" stands here twice. Only the last one is used.`,
    wrong: true,
    twice: true,
    ...(guards.has(about) && { gate: true as const }),
  }))
}

function repeatedIn(properties: readonly Node[]) {
  const seen = new Set<string>()
  return properties.flatMap(({ children: [key] = [], offset }) => {
    const name = String(key?.value)
    const isRepeated = seen.has(name)
    seen.add(name)
    return isRepeated ? [{ name, offset }] : []
  })
}

/**
 * Settings that restrict agents: what they may do, what asks, what they may spend, what must be green. A value of one that
 * is not used would leave something open in silence.
 */
const guards: ReadonlySet<string> = new Set([
  ...['approval_mode', 'approvals', 'interrupt_on', 'permissions', 'middleware', 'memory', 'quarantine', 'sandbox'],
  ...['budgets', 'unknown_price', 'max_iterations', 'max_subagent_depth', 'batch_concurrency', 'processes', 'runner'],
  ...['checks', 'checks_by_folder', 'goal', 'hooks'],
])

/** Keys by which other systems restrict agents, with what takes their place here. */
const foreignGuards: ReadonlyMap<string, string> = new Map([
  ['defaultMode', 'Write approval_mode.'],
  ['permissionMode', 'Write approval_mode.'],
  ['disallowedTools', 'Write permissions.deny.'],
  ['allowedTools', 'Write permissions.allow.'],
  ['disabledMcpjsonServers', 'Write permissions.deny, such as mcp__name.'],
])

/** What a person probably meant by an unknown key that was to restrict agents. Undefined for any other key. */
function guardMeant(key: string): string | undefined {
  const plain = key.replace(/[A-Z]/g, (letter) => `_${letter}`).replaceAll('-', '_')
  const nearest = nearestName(plain, [...guards], 2)
  return foreignGuards.get(key) ?? (nearest && `Did you mean ${nearest}?`)
}

/** Mistakes in the syntax that are named. One of them may cause thousands. */
const mostErrors = 50

const noneUsed = 'None of it is used.'

const defaultUsed = 'The default is used.'

/** Turns the parser's error code, such as `CloseBraceExpected`, into words. */
function inWords(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

interface ReadKey {
  readonly entry?: readonly [SettingsKey, unknown]
  readonly problem?: SettingsProblem
}

function readKey(line: number, key: string, given: unknown, lineOf: LineOfPart): ReadKey {
  if (reservedKeys.has(key)) return {}
  if (!isSettingsKey(key)) {
    const meant = guardMeant(key)
    const message = `unknown setting "${key}"; it is kept and not used.${meant === undefined ? '' : ` ${meant}`}`
    return { problem: { line, about: key, message, wrong: false, ...(meant !== undefined && { gate: true }) } }
  }
  const asks = key === 'interrupt_on'
  const wrong: string[] = []
  let firstLine: number | null = null
  let value = given
  // A part may be looked at only after the parts before it are right.
  for (let round = 0; round < mostRounds; round += 1) {
    const parsed = settingsShape[key].safeParse(value)
    if (parsed.success) return { entry: [key, parsed.data], ...(wrong.length > 0 && { problem: problemOf(true) }) }
    const issues = parsed.error.issues.flatMap((issue) => partsOf(issue, value))
    wrong.push(...issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': ')))
    // A route without one of its parts would be another route.
    const whole = depthsOfWholes[key]
    const paths = issues.flatMap((issue) => wrongPaths(issue)).map((path) => path.slice(0, depthOfWhole(key, path)))
    // Parts that are gone move the numbers of those after them, so only the first round knows the lines.
    if (round === 0 && whole !== undefined && key !== 'routes') firstLine = lineOf([key, ...(paths[0] ?? [])])
    if (paths.some(({ length }) => length === 0)) break
    value = without(value, paths, asks ? true : undefined)
  }
  return { problem: problemOf(false) }

  function problemOf(isRestUsed: boolean): SettingsProblem {
    const rest = asks
      ? `Until that is fixed, the tool asks; the rest of ${key} is used.`
      : `The rest of ${key} is used.`
    const why = `${key}: ${wrong.join('; ').replace(/\.$/, '')}.`
    const message = `${why} ${isRestUsed ? rest : defaultUsed}`
    // What is wrong in `interrupt_on` asks until it is right.
    const isGate = guards.has(key) && !(asks && isRestUsed)
    return { line: firstLine ?? line, about: key, message, wrong: true, ...(isGate && { gate: true }) }
  }
}

const mostRounds = 3

type LineOfPart = (path: readonly PropertyKey[]) => number | null

/** How deep the parts are that are used as a whole or not at all. */
const depthsOfWholes: Partial<Record<SettingsKey, number>> = { routes: 1, checks: 1, checks_by_folder: 2, providers: 1 }

/**
 * A profile without one of its parts would be another way to reach models, with another key. What is known of one of its
 * models is not: a fact that is wrong is left out alone, and prices together, because half of them would count wrong.
 */
function depthOfWhole(key: SettingsKey, path: readonly PropertyKey[]): number | undefined {
  const isFact = key === 'providers' && path[1] === 'models'
  return isFact ? 4 : depthsOfWholes[key]
}

/** A union says only that none of its shapes fits. For an object, the mistakes inside the shape of an object count. */
function partsOf(issue: z.core.$ZodIssue, given: unknown): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.path.length > 0 || typeof given !== 'object') return [issue]
  const shape = issue.errors.find((errors) => errors.every((one) => wrongPaths(one).every(({ length }) => length > 0)))
  return shape ?? [issue]
}

function wrongPaths(issue: z.core.$ZodIssue): readonly (readonly PropertyKey[])[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((name) => [...issue.path, name]) : [issue.path]
}

/** Removes the invalid parts, or replaces them. A mistake in one rule must not remove the rules beside it. */
function without(value: unknown, paths: readonly (readonly PropertyKey[])[], replacement: unknown): unknown {
  if (typeof value !== 'object' || value === null || paths.length === 0) return value
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const own = paths.filter(([first]) => String(first) === name).map((path) => path.slice(1))
    const isWrong = own.some(({ length }) => length === 0)
    if (isWrong) return replacement === undefined ? [] : [[name, replacement] as const]
    return [[name, without(inner, own, replacement)] as const]
  })
  return Array.isArray(value) ? kept.map(([, inner]) => inner) : Object.fromEntries(kept)
}

function isSettingsKey(key: string): key is SettingsKey {
  return Object.hasOwn(settingsShape, key)
}

/** The line of each key of the outermost object. One pass, because a hostile file has thousands of unknown keys. */
function linesOfKeys(text: string, tree: Node | undefined): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  let [line, at] = [1, 0]
  for (const { children: [name, value] = [] } of tree?.children ?? []) {
    if (name === undefined || value === undefined || found.has(String(name.value))) continue
    for (; at < value.offset; at += 1) if (text[at] === '\n') line += 1
    found.set(String(name.value), line)
  }
  return found
}

/** The line on which a part of a value begins; null when there is no such part. */
function lineOfPart(text: string, tree: Node | undefined, path: readonly PropertyKey[]): number | null {
  const steps = path.map((step) => (typeof step === 'number' ? step : String(step)))
  const node = tree && findNodeAtLocation(tree, steps)
  return node ? lineAt(text, node.offset) : null
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
