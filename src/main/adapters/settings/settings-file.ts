import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { applyEdits, findNodeAtLocation, getNodeValue, type JSONPath, modify, parseTree } from 'jsonc-parser'
import { sync as writeFileAtomic } from 'write-file-atomic'
import type { SettingsProblem } from '#shared/model/settings.ts'
import { readBounded } from '../system/read-bounded.ts'
import { checkSettings } from './settings-check.ts'
import type { Settings } from './settings-schema.ts'

export type { Settings } from './settings-schema.ts'

export interface SettingsReading {
  readonly settings: Settings
  /** Invalid values, each with file and line. Everything else is used. */
  readonly problems: readonly string[]
  /** Those of them that leave open what somebody wanted to guard. */
  readonly gateProblems: readonly string[]
  /** The same problems, with what they are about. */
  readonly found: readonly FoundProblem[]
}

/** A problem of a file. */
export interface FoundProblem extends SettingsProblem {
  /** With file and line, for a person. */
  readonly said: string
}

/** Settings of a file that is not there. */
export const noSettings: SettingsReading = { settings: {}, problems: [], gateProblems: [], found: [] }

/** Reads JSON with comments. A missing file and one without text are empty settings. An invalid value is reported and left out. */
export function readSettings(file: string): SettingsReading {
  const text = readText(file)
  return text === undefined || text.trim() === '' ? noSettings : parseSettings(file, text)
}

/** Like `readSettings`, for a text. Problems name `file`. */
export function parseSettings(file: string, text: string): SettingsReading {
  const { settings, problems } = checkSettings(text)
  const place = (line: number | null): string => (line === null ? file : `${file}:${line}`)
  const found = problems.map((problem) => ({ ...problem, said: `${place(problem.line)}: ${problem.message}` }))
  const inWords = (some: typeof found) => some.map(({ said }) => said)
  return { settings, problems: inWords(found), gateProblems: inWords(found.filter(({ gate }) => gate)), found }
}

/** The file's text, for editing by hand. An empty object when the file is missing. */
export function settingsText(file: string): string {
  return readText(file) ?? '{}\n'
}

export function replaceSettings(file: string, text: string): void {
  writeText(file, text)
}

/** Sets one value of the file, or removes it when `value` is undefined. Comments and everything else stay. */
export function putSetting(file: string, path: JSONPath, value: unknown): void {
  writeText(file, edit(settingsText(file), path, value))
}

/** One value of a settings text. Undefined removes it, and the index -1 adds to a list. */
export interface SettingEdit {
  readonly path: JSONPath
  readonly value: unknown
}

/** A settings text after some edits, one after the other. Comments and everything else stay. Writes nothing. */
export function editedSettings(text: string, edits: readonly SettingEdit[]): string {
  return edits.reduce((edited, { path, value }) => edit(edited, path, value), text)
}

/** Changes only the given keys. Comments and everything else in the file stay. */
export async function updateSettings(file: string, change: Settings): Promise<void> {
  const edited = Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .reduce((text, [key, value]) => edit(text, [key], value === null ? undefined : value), settingsText(file))
  writeText(file, edited)
}

export interface RuleChange {
  readonly effect: 'deny' | 'ask' | 'allow'
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** Adds and removes single permission rules. Comments between the others stay. */
export async function updateRules(file: string, { effect, add, remove }: RuleChange): Promise<void> {
  const text = settingsText(file)
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

/** The raw list including invalid rules, so that indexes match the file. */
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

/** A pipe that a person names as settings is waited for so long. In milliseconds. */
const longestWait = 10_000

function readText(file: string): string | undefined {
  try {
    return readBounded(file, { waitMs: longestWait })
      .toString('utf8')
      .replace(/^\uFEFF/, '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`The settings in ${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
