import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { sync as writeFileAtomic } from 'write-file-atomic'
import { reservedKeys, type Settings, type SettingsKey, settingsShape } from './settings-schema.ts'

export type { Settings } from './settings-schema.ts'

export interface SettingsReading {
  readonly settings: Settings
  /** What is wrong, with file and line; everything else is used. */
  readonly problems: readonly string[]
}

/** JSON with comments. A missing file is an empty one; a wrong value is named and left out. */
export function readSettings(file: string): SettingsReading {
  const text = readText(file)
  return text === undefined ? { settings: {}, problems: [] } : parseSettings(file, text)
}

/** The same of a text; `file` is what problems name. */
export function parseSettings(file: string, text: string): SettingsReading {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const syntax = errors.map(({ error, offset }) => `${file}:${lineAt(text, offset)}: ${printParseErrorCode(error)}`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { settings: {}, problems: [...syntax, `${file}: the settings must be one JSON object.`] }
  }
  const read = Object.entries(value).map(([key, given]) => readKey(file, text, key, given))
  return {
    settings: Object.fromEntries(read.flatMap(({ entry }) => (entry ? [entry] : []))),
    problems: [...syntax, ...read.flatMap(({ problem }) => (problem ? [problem] : []))],
  }
}

/** Changes only the given keys; comments and everything else in the file stay. */
export async function updateSettings(file: string, change: Settings): Promise<void> {
  const edited = Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .reduce((text, [key, value]) => edit(text, [key], value === null ? undefined : value), readText(file) ?? '{}\n')
  writeText(file, edited)
}

export interface RuleChange {
  readonly effect: 'deny' | 'ask' | 'allow'
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** Adds and removes single permission rules; comments between the others stay. */
export async function updateRules(file: string, { effect, add, remove }: RuleChange): Promise<void> {
  const text = readText(file) ?? '{}\n'
  const written = writtenRules(text, effect)
  const missing = add.filter((rule) => !written.includes(rule))
  const removed = written.reduceRight<string>(
    (rest, rule, index) =>
      remove.some((one) => one === rule) ? edit(rest, ['permissions', effect, index], undefined) : rest,
    text,
  )
  writeText(
    file,
    missing.reduce((rest, rule) => edit(rest, ['permissions', effect, -1], rule), removed),
  )
}

/** The list as it stands in the file, with what is no rule, so that positions are those of the file. */
function writtenRules(text: string, effect: RuleChange['effect']): readonly unknown[] {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const list = tree && findNodeAtLocation(tree, ['permissions', effect])
  return list?.type === 'array' ? (getNodeValue(list) as readonly unknown[]) : []
}

function edit(text: string, path: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, path, value, formatting))
}

function writeText(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileAtomic(file, text, { mode: 0o600 })
}

const formatting = { formattingOptions: { insertSpaces: true, tabSize: 2 } }

interface ReadKey {
  readonly entry?: readonly [SettingsKey, unknown]
  readonly problem?: string
}

function readKey(file: string, text: string, key: string, given: unknown): ReadKey {
  if (!isSettingsKey(key))
    return reservedKeys.has(key)
      ? {}
      : { problem: `${file}:${lineOf(text, key)}: unknown setting "${key}"; it is kept and not used.` }
  const parsed = settingsShape[key].safeParse(given)
  if (parsed.success) return { entry: [key, parsed.data] }
  const { issues } = parsed.error
  const why = issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': ')).join('; ')
  const wrong = `${file}:${lineOf(text, key)}: ${key}: ${why}.`
  const paths = issues.map(({ path }) => path)
  const rest = settingsShape[key].safeParse(without(given, paths))
  if (rest.success && paths.every(({ length }) => length > 0))
    return { entry: [key, rest.data], problem: `${wrong} The rest of ${key} holds.` }
  return { problem: `${wrong} The default is used.` }
}

/** The value without what is wrong in it: a slip in one rule must not take the rules beside it with it. */
function without(value: unknown, paths: readonly (readonly PropertyKey[])[]): unknown {
  if (typeof value !== 'object' || value === null || paths.length === 0) return value
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const own = paths.filter(([first]) => String(first) === name).map((path) => path.slice(1))
    return own.some(({ length }) => length === 0) ? [] : [[name, without(inner, own)] as const]
  })
  return Array.isArray(value) ? kept.map(([, inner]) => inner) : Object.fromEntries(kept)
}

function isSettingsKey(key: string): key is SettingsKey {
  return Object.hasOwn(settingsShape, key)
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function lineOf(text: string, key: string): number {
  const tree = parseTree(text)
  const node = tree && findNodeAtLocation(tree, [key])
  return lineAt(text, node?.offset ?? 0)
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
