import { lastingVariable, type ProjectScripts, type RunScript } from '#shared/model/setup.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { BaseTree } from '../ports/base-tree.ts'
import { openFolder, type SetupFolder } from './setup-folder.ts'
import { commandIn, commandsIn, inOrder, json, listIn, memberOf, rootVariables, toml } from './tool-files.ts'

/** What one file of another tool has beside its setup. Commands are as they stand there, in the order in which they run. */
interface ToolScripts {
  readonly runs: readonly { readonly name: string; readonly commands: readonly string[] }[]
  readonly archive: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
  readonly ports?: ProjectScripts['ports']
  /** The keys of the file that mean nothing here, and why where that helps. */
  readonly leftOut: readonly string[]
}

type System = 'darwin' | 'linux' | 'win32'

/** The files of each tool, the first of which counts, and how it is read. */
const tools: readonly (readonly [readonly string[], (text: string, system: System) => ToolScripts | undefined])[] = [
  [['conductor.json'], conductor],
  [['.codex/environments/environment.toml'], codex],
  [['.superset/config.json'], superset],
  [['.cursor/worktrees.json'], cursor],
  [['.devcontainer/devcontainer.json', '.devcontainer.json'], devcontainer],
]

const mostRuns = 20
const mostVariables = 100
const mostPorts = 200
const mostLeftOut = 50
const mostOfLine = 100

/**
 * What a project keeps for other tools beside a setup: commands that a person starts, one that takes down what a branch set
 * up, variables and the names of ports. Each is as the tool's own documentation has it. Nothing runs, and no variable of the
 * person's environment is read. `system` is the platform's name, as Node has it.
 */
export async function findScripts(base: BaseTree, system: string): Promise<ProjectScripts> {
  const folder = await openFolder(base, rootPath)
  const runs: RunScript[] = []
  const leftOut: string[] = []
  const ports: ProjectScripts['ports'][number][] = []
  let archive: ProjectScripts['archive'] = null
  let variables: Readonly<Record<string, string>> = {}
  for (const [files, read] of tools) {
    const found = await firstOf(folder, files, (text) => read(text, system as System))
    if (found === undefined) continue
    const { file, scripts } = found
    const source = `/${file}` as VirtualPath
    for (const { name, commands } of scripts.runs)
      if (commands.length > 0) runs.push({ name: shortLine(name), command: await oneCommand(folder, commands), source })
    if (archive === null && scripts.archive.length > 0)
      archive = { command: await oneCommand(folder, scripts.archive), source }
    variables = { ...scripts.variables, ...variables }
    ports.push(...(scripts.ports ?? []).slice(0, mostPorts - ports.length))
    if (scripts.leftOut.length > 0) leftOut.push(`${source}: ${shortList(scripts.leftOut)}`)
  }
  return {
    runs: withOwnNames(runs).slice(0, mostRuns),
    archive,
    variables: Object.fromEntries(Object.entries(variables).slice(0, mostVariables)),
    ports,
    leftOut,
  }
}

async function firstOf(
  folder: SetupFolder,
  files: readonly string[],
  read: (text: string) => ToolScripts | undefined,
): Promise<{ readonly file: string; readonly scripts: ToolScripts } | undefined> {
  for (const file of files) {
    const scripts = read(await folder.read(file))
    if (scripts !== undefined) return { file, scripts }
  }
  return undefined
}

async function oneCommand(folder: SetupFolder, commands: readonly string[]): Promise<string> {
  return `${await rootVariables(folder, commands)}${inOrder(commands)}`
}

/** The same command once, and a number for each further one of a name. */
function withOwnNames(runs: readonly RunScript[]): readonly RunScript[] {
  const once = runs.filter((run, at) => runs.findIndex(({ command }) => command === run.command) === at)
  return once.map((run, at) => {
    const before = once.slice(0, at).filter(({ name }) => name === run.name).length
    return before === 0 ? run : { ...run, name: `${run.name} ${before + 1}` }
  })
}

function conductor(text: string): ToolScripts | undefined {
  const file = json(text)
  if (!isTable(file)) return undefined
  const scripts = memberOf(file, 'scripts')
  const run = memberOf(scripts, 'run')
  return {
    runs: isTable(run)
      ? Object.entries(run).map(([name, one]) => ({ name, commands: commandIn(memberOf(one, 'command') ?? one) }))
      : [{ name: 'run', commands: commandIn(run) }],
    archive: commandsIn(memberOf(scripts, 'archive')),
    // A run of each branch has its own network, so none has to end for another one.
    leftOut: [
      ...otherKeys(file, ['$schema', 'scripts', 'runScriptMode']),
      ...otherKeys(scripts, ['setup', 'run', 'archive']).map((key) => `scripts.${key}`),
    ],
  }
}

function codex(text: string, system: System): ToolScripts | undefined {
  const file = toml(text)
  if (!isTable(file)) return undefined
  const actions = memberOf(file, 'actions')
  const all = Array.isArray(actions) ? actions.filter(isTable) : []
  const isHere = (action: unknown) => {
    const platform = memberOf(action, 'platform')
    return typeof platform !== 'string' || namesOfSystem[system]?.includes(platform.toLowerCase()) === true
  }
  const nameOf = (action: unknown) => textIn(memberOf(action, 'name'), 'run')
  return {
    runs: all
      .filter(isHere)
      .map((action) => ({ name: nameOf(action), commands: commandIn(memberOf(action, 'command')) })),
    archive: commandIn(memberOf(memberOf(file, 'cleanup'), 'script')),
    leftOut: [
      ...otherKeys(file, ['version', 'name', 'setup', 'cleanup', 'actions']),
      ...otherKeys(memberOf(file, 'setup'), ['script']).map((key) => `setup.${key}`),
      ...otherKeys(memberOf(file, 'cleanup'), ['script']).map((key) => `cleanup.${key}`),
      ...all.filter((action) => !isHere(action)).map((action) => `the action ${nameOf(action)} of another system`),
    ],
  }
}

const namesOfSystem: Readonly<Record<System, readonly string[]>> = {
  darwin: ['darwin', 'macos', 'mac'],
  linux: ['linux'],
  win32: ['windows', 'win32'],
}

function superset(text: string): ToolScripts | undefined {
  const file = json(text)
  if (!isTable(file)) return undefined
  return {
    runs: [{ name: 'run', commands: listIn(memberOf(file, 'run')) }],
    archive: listIn(memberOf(file, 'teardown')),
    leftOut: otherKeys(file, ['$schema', 'setup', 'teardown', 'run']),
  }
}

/** Cursor documents a setup alone. */
function cursor(text: string): ToolScripts | undefined {
  const file = json(text)
  if (!isTable(file)) return undefined
  const known = ['$schema', 'setup-worktree', 'setup-worktree-unix', 'setup-worktree-windows']
  return { runs: [], archive: [], leftOut: otherKeys(file, known) }
}

const ofContainer = ['name', '$schema', 'onCreateCommand', 'updateContentCommand', 'postCreateCommand', 'forwardPorts']

function devcontainer(text: string): ToolScripts | undefined {
  const file = json(text)
  if (!isTable(file)) return undefined
  const sets = ['containerEnv', 'remoteEnv'].flatMap((key) =>
    Object.entries(tableIn(memberOf(file, key))).map(([name, value]) => ({ key, name, value })),
  )
  const isUsed = ({ name, value }: { readonly name: string; readonly value: unknown }) =>
    typeof value === 'string' && !value.includes('${') && lastingVariable(name, value)
  const labels = tableIn(memberOf(file, 'portsAttributes'))
  const forwarded = memberOf(file, 'forwardPorts')
  const wanted = Array.isArray(forwarded) ? forwarded : []
  const own = [...new Set([...wanted, ...Object.keys(labels)].flatMap((one) => portIn(one) ?? []))]
  return {
    runs: [],
    archive: [],
    variables: Object.fromEntries(sets.filter(isUsed).map(({ name, value }) => [name, String(value)])),
    ports: own.map((port) => {
      const label = memberOf(labels[String(port)] ?? labels[`localhost:${port}`], 'label')
      return { port, label: typeof label === 'string' && label.trim() !== '' ? shortLine(label) : null }
    }),
    leftOut: [
      ...otherKeys(file, [...ofContainer, 'portsAttributes', 'containerEnv', 'remoteEnv']),
      ...sets.filter((one) => !isUsed(one)).map(({ key, name }) => `${key}.${name}`),
      ...[...wanted, ...Object.keys(labels)]
        .filter((one) => portIn(one) === undefined)
        .map((one) => `port ${textIn(one, 'without a number')}`),
    ],
  }
}

/** A port of the container itself. Undefined for that of another one, for a range, and for a pattern. */
function portIn(value: unknown): number | undefined {
  const [, digits] = /^(?:localhost:)?(\d{1,5})$/.exec(textIn(value, '')) ?? []
  const port = Number(digits)
  return port >= 1 && port <= 65_535 ? port : undefined
}

/** A file may hold a table or a list in the place of a text, which need not have one. */
function textIn(value: unknown, otherwise: string): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise
}

function shortList(names: readonly string[]): string {
  const more = names.length > mostLeftOut ? ` and ${names.length - mostLeftOut} more` : ''
  return `${names
    .slice(0, mostLeftOut)
    .map((name) => shortLine(name))
    .join(', ')}${more}`
}

/** One line, as long as a person reads. */
function shortLine(text: string, most = mostOfLine): string {
  return oneLine(beginningOf(text, most)).slice(0, most)
}

function otherKeys(value: unknown, known: readonly string[]): readonly string[] {
  return Object.keys(tableIn(value)).filter((key) => !known.includes(key))
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function tableIn(value: unknown): Readonly<Record<string, unknown>> {
  return isTable(value) ? value : {}
}
