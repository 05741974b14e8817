import { type ParseError, parse as parseJson } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import type { SetupFolder } from './setup-folder.ts'

/** How files of other tools are read, and how their commands become one that runs in a view. */

/** Each after the one before it went well. A comment, or a line for the background, would take the next one with it. */
export function inOrder(commands: readonly string[]): string {
  if (commands.length === 1) return commands.join()
  return commands.map((one) => (/[#\n]|&$/.test(one) ? `{ ${one}\n}` : one)).join(' && ')
}

/** The variables by which these tools name a working copy and the folder that it was made of. */
const rootVariable =
  /\b(?:CONDUCTOR_(?:ROOT|WORKSPACE)_PATH|ROOT_WORKTREE_PATH|SUPERSET_(?:ROOT|WORKSPACE)_PATH|CODEX_(?:SOURCE_TREE|WORKTREE)_PATH)\b/g
/** The first of the ports that Conductor gives to a workspace. A branch with a network of its own has all ports. */
const portVariable = /\bCONDUCTOR_PORT\b/
const firstPort = 3000

/**
 * A copy of a file that git leaves out, from the original folder to the same place. A view has all files of the folder, so
 * there is nothing to copy.
 */
export function copiesOwnFile(command: string): boolean {
  const copy = /^(?:cp|ln)(?:\s+-\w+)*\s+"?\$\{?(\w+)\}?\/([^"\s]+)"?\s+"?(?:\.\/)?([^"\s]+)"?$/.exec(command.trim())
  const [, variable = '', from = '', to = ''] = copy ?? []
  return variable.replace(rootVariable, '') === '' && from !== '' && [from, '.'].includes(to)
}

/** What sets the variables that a command, or a script of the project that it names, asks for. The view is that folder. */
export async function rootVariables(folder: SetupFolder, commands: readonly string[]): Promise<string> {
  const words = commands.flatMap((command) => command.split(/[\s"';&|()]+/))
  const scripts = words
    .flatMap((word) => /^(?:\.\/)?([\w.-]+(?:\/[\w.-]+)*\.\w+)$/.exec(word)?.[1] ?? [])
    .slice(0, mostScripts)
  const texts = [...commands]
  for (const name of new Set(scripts)) texts.push(await folder.read(name))
  const named = new Set(texts.flatMap((text) => text.match(rootVariable) ?? []))
  const port = texts.some((text) => portVariable.test(text)) ? `export CONDUCTOR_PORT=${firstPort}; ` : ''
  return `${[...named].map((name) => `export ${name}="$PWD"; `).join('')}${port}`
}

const mostScripts = 10

/** A command, its words, or several by their names. */
export function commandsIn(value: unknown): readonly string[] {
  const isNamed = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isNamed ? Object.values(value).flatMap(commandIn) : commandIn(value)
}

export function commandIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()]
  const words = Array.isArray(value) ? value.filter((word) => typeof word !== 'object') : []
  return words.length > 0 ? [words.map((word) => quote(String(word))).join(' ')] : []
}

export function listIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((one) => (typeof one === 'string' ? commandIn(one) : [])) : []
}

export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Comments and trailing commas are usual in these files. Undefined for anything that is no JSON even so, or nests too deep. */
export function json(text: string): unknown {
  const problems: ParseError[] = []
  try {
    const value: unknown = parseJson(text, problems, { allowTrailingComma: true })
    return problems.length > 0 ? undefined : value
  } catch {
    return undefined
  }
}

export function toml(text: string): unknown {
  try {
    return parseToml(text)
  } catch {
    return undefined
  }
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}
