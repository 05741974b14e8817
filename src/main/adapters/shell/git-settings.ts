import { join } from 'node:path'

/** The file of `givenFiles` that git takes for the system's. */
export const gitSettingsName = 'gitconfig'

/** The person's git settings, as they are passed to git in a view. */
export interface GitSettings {
  /** From the weakest to the strongest, by key as git prints it. Null for a key without a value. */
  readonly values: readonly (readonly [key: string, value: string | null])[]
  /** Texts of files by the setting that leads to them. */
  readonly texts: Readonly<Record<string, string>>
  /** True when the person's commits or tags are signed. Absent when they are not. */
  readonly signs?: true
  /** Keys of settings that have a credential in them and are not passed on. Absent for none. */
  readonly withheld?: readonly string[]
}

/** No view has a key, so signing would end every commit. */
const unsigned = { 'commit.gpgSign': 'false', 'tag.gpgSign': 'false' }

/**
 * Variables for git that win over all settings but those of a command line: for the files of `gitTexts` in this folder, since what the
 * settings of the project call them is not in a view, and against signing.
 */
export function gitVariables({ texts, signs }: GitSettings, folder: string | null): Readonly<Record<string, string>> {
  const files = folder === null ? [] : Object.keys(texts).map((key) => [key, join(folder, fileOf(key))] as const)
  const all = [...(signs ? Object.entries(unsigned) : []), ...files]
  if (all.length === 0) return {}
  const pairs = all.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ])
  return { GIT_CONFIG_COUNT: `${all.length}`, ...Object.fromEntries(pairs) }
}

/** The files that a command is given: the settings, and the files that `gitVariables` names. */
export function gitTexts({ values, texts }: GitSettings): Readonly<Record<string, string>> {
  const named = Object.entries(texts).map(([key, text]) => [fileOf(key), text] as const)
  return { [gitSettingsName]: settingsText(values), ...Object.fromEntries(named) }
}

const fileOf = (key: string) => `git-${key.slice(key.indexOf('.') + 1)}`

const systemSettings = '/etc/gitconfig'

/**
 * In a view, files have another owner, another number and another time of their last change of state than in the folder
 * that the index of git is about. If git compared those, it would read every file again in each new view.
 */
const comparesLess = ['[core]', '\tcheckStat = minimal', '\ttrustctime = false']

/**
 * The person's settings, and what suits git to views. They take the place of the system's, the weakest ones, so that a project,
 * a command's home and `git -c` win over them.
 */
function settingsText(values: GitSettings['values']): string {
  const lines: string[] = []
  let last = ''
  for (const [key, value] of values) {
    const [start, end] = [key.indexOf('.'), key.lastIndexOf('.')]
    const section = key.slice(0, start)
    const header = start === end ? `[${section}]` : `[${section} ${inQuotes(key.slice(start + 1, end))}]`
    if (header !== last) lines.push(header)
    last = header
    lines.push(value === null ? `\t${key.slice(end + 1)}` : `\t${key.slice(end + 1)} = ${quote(value)}`)
  }
  return [`[include]`, `\tpath = ${systemSettings}`, ...lines, ...comparesLess, ''].join('\n')
}

/** The middle part of a key knows no other escapes. */
function inQuotes(name: string): string {
  return `"${name.replace(/["\\]/g, '\\$&')}"`
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\b': '\\b', '"': '\\"', '\\': '\\\\' }

function quote(value: string): string {
  return `"${value.replace(/[\n\t\b"\\]/g, (character) => escapes[character] ?? character)}"`
}
