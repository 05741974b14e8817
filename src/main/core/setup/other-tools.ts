import { type ParseError, parse as parseJson } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { rootPath } from '#shared/model/virtual-path.ts'
import type { SetupFolder, SetupRecipe } from './setup-folder.ts'

/**
 * The setups that a project keeps for other tools, each as the tool's own documentation has it: Conductor, the Codex app,
 * Superset, Cursor, and development containers. They stand in the root alone.
 */
export const otherTools: readonly SetupRecipe[] = [
  inRoot(['conductor.json'], conductor),
  inRoot(['.codex/environments/environment.toml'], codex),
  inRoot(['.superset/config.json'], superset),
  inRoot(['.cursor/worktrees.json'], cursor),
  inRoot(['.devcontainer/devcontainer.json', '.devcontainer.json'], devcontainer),
]

/** Reads the first of the files that sets something up. `find` gives the commands in order, none for no setup. */
function inRoot(files: readonly string[], find: (text: string) => readonly string[]): SetupRecipe {
  return async (folder) => {
    if (folder.path !== rootPath) return undefined
    for (const file of files) {
      const commands = find(await folder.read(file)).filter((command) => !copiesOwnFile(command))
      if (commands.length === 0) continue
      const command = `${await rootVariables(folder, commands)}${inOrder(commands)}`
      return { command, inputs: [file], hosts: [], source: `/${file}` as typeof rootPath }
    }
    return undefined
  }
}

/** Each after the one before it went well. A comment, or a line for the background, would take the next one with it. */
function inOrder(commands: readonly string[]): string {
  if (commands.length === 1) return commands.join()
  return commands.map((one) => (/[#\n]|&$/.test(one) ? `{ ${one}\n}` : one)).join(' && ')
}

/** The variables by which these tools name the folder that a working copy was made of. */
const rootVariable = /\b(?:CONDUCTOR_ROOT_PATH|ROOT_WORKTREE_PATH|SUPERSET_ROOT_PATH)\b/g

/**
 * A copy of a file that git leaves out, from the original folder to the same place. A view has all files of the folder, so
 * there is nothing to copy.
 */
function copiesOwnFile(command: string): boolean {
  const copy = /^(?:cp|ln)(?:\s+-\w+)*\s+"?\$\{?(\w+)\}?\/([^"\s]+)"?\s+"?(?:\.\/)?([^"\s]+)"?$/.exec(command.trim())
  const [, variable = '', from = '', to = ''] = copy ?? []
  return variable.replace(rootVariable, '') === '' && from !== '' && [from, '.'].includes(to)
}

/** What sets the variables that a command, or a script of the project that it names, asks for. The view is that folder. */
async function rootVariables(folder: SetupFolder, commands: readonly string[]): Promise<string> {
  const words = commands.flatMap((command) => command.split(/[\s"';&|()]+/))
  const scripts = words
    .flatMap((word) => /^(?:\.\/)?([\w.-]+(?:\/[\w.-]+)*\.\w+)$/.exec(word)?.[1] ?? [])
    .slice(0, mostScripts)
  const texts = [...commands]
  for (const name of new Set(scripts)) texts.push(await folder.read(name))
  const named = new Set(texts.flatMap((text) => text.match(rootVariable) ?? []))
  return [...named].map((name) => `export ${name}="$PWD"; `).join('')
}

const mostScripts = 10

/** `scripts.setup`, which is a command. */
function conductor(text: string): readonly string[] {
  return commandsIn(memberOf(memberOf(json(text), 'scripts'), 'setup'))
}

/** `script` of the table `setup`. */
function codex(text: string): readonly string[] {
  return commandsIn(memberOf(memberOf(toml(text), 'setup'), 'script'))
}

/** `setup` is a list of commands. */
function superset(text: string): readonly string[] {
  return listIn(memberOf(json(text), 'setup'))
}

/** A list of commands, or the path of a script beside the file. That for this kind of system goes first. */
function cursor(text: string): readonly string[] {
  const file = json(text)
  const value = memberOf(file, 'setup-worktree-unix') ?? memberOf(file, 'setup-worktree')
  const script = typeof value === 'string' ? value.trim() : ''
  return script === '' ? listIn(value) : [`bash ${quote(`.cursor/${script.replace(/^\.\//, '')}`)}`]
}

/** The commands of a new container, in the order in which they run. Each is a command, a list of words, or commands by name. */
function devcontainer(text: string): readonly string[] {
  const file = json(text)
  return ['onCreateCommand', 'updateContentCommand', 'postCreateCommand'].flatMap((name) =>
    commandsIn(memberOf(file, name)),
  )
}

/** A command, its words, or several by their names. */
function commandsIn(value: unknown): readonly string[] {
  const isNamed = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isNamed ? Object.values(value).flatMap(commandIn) : commandIn(value)
}

function commandIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()]
  const words = Array.isArray(value) ? value.filter((word) => typeof word !== 'object') : []
  return words.length > 0 ? [words.map((word) => quote(String(word))).join(' ')] : []
}

function listIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((one) => (typeof one === 'string' ? commandIn(one) : [])) : []
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Comments and trailing commas are usual in these files. Undefined for anything that is no JSON even so, or nests too deep. */
function json(text: string): unknown {
  const problems: ParseError[] = []
  try {
    const value: unknown = parseJson(text, problems, { allowTrailingComma: true })
    return problems.length > 0 ? undefined : value
  } catch {
    return undefined
  }
}

function toml(text: string): unknown {
  try {
    return parseToml(text)
  } catch {
    return undefined
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}
