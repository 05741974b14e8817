import { nearestName } from '#shared/text/nearest-name.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'

/** A tool of a connected server. */
export interface ServerToolName {
  /** The name by which a model calls it. */
  readonly name: string
  /** The name under which its server lists it. */
  readonly serverTool: string
}

/** The tools that a setting may name, besides the built-in ones. */
export interface KnownServerTools {
  /** Tools of the servers that are connected now. */
  readonly tools: readonly ServerToolName[]
  /** What the names of a server's tools begin with, for every defined server. Its tools may be unknown yet. */
  readonly prefixes: readonly string[]
}

export const noServerTools: KnownServerTools = { tools: [], prefixes: [] }

/** Names of other systems for our tools: of Claude Code, so that its rules can be pasted, and of deep agents. */
const foreignNames: ReadonlyMap<string, string> = new Map([
  ['Read', 'read_file'],
  ['Write', 'write_file'],
  ['Edit', 'edit_file'],
  ['MultiEdit', 'multi_edit'],
  ['NotebookEdit', 'edit_file'],
  ['Glob', 'glob'],
  ['Grep', 'grep'],
  ['LS', 'ls'],
  ['NotebookRead', 'read_file'],
  ['Bash', 'execute'],
  ['BashOutput', 'process_output'],
  ['KillBash', 'process_stop'],
  ['KillShell', 'process_stop'],
  ['WebFetch', 'fetch_url'],
  ['Task', 'task'],
  ['Agent', 'task'],
  ['AskUserQuestion', 'ask_user'],
  ['ExitPlanMode', 'present_plan'],
  ['TodoWrite', 'write_todos'],
  ['TodoRead', 'read_todos'],
  ['delete_file', 'delete'],
])

/** Tools of Claude Code that Coppice has nothing like. A rule about one has nothing to hold, and is no mistake. */
const absentTools: ReadonlySet<string> = new Set([
  ...['WebSearch', 'Skill', 'SlashCommand', 'EnterPlanMode', 'LSP', 'ToolSearch'],
  ...['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'TaskOutput', 'TaskStop', 'ListMcpResourcesTool'],
  ...['ReadMcpResourceTool', 'MCPSearch', 'CronCreate', 'CronDelete', 'CronList', 'EnterWorktree', 'SendMessage'],
])

/** True for a tool of another system that no tool of ours is like. */
export function isAbsentTool(name: string): boolean {
  return absentTools.has(name)
}

/**
 * Our name of a tool that is written with another system's name; any other name is returned unchanged. A server alone,
 * such as `mcp__github`, means all of its tools.
 */
export function ownToolName(name: string): string {
  return foreignNames.get(name) ?? (/^mcp__(?:(?!__)[\w-])+$/.test(name) ? `${name}__*` : name)
}

/** Names of tools in definitions of agents for other systems, in lower case. */
const definitionNames: ReadonlyMap<string, string> = new Map([
  ...[...foreignNames].map(([name, own]) => [name.toLowerCase(), own] as const),
  ...[...['list', 'list_directory', 'listdir', 'list_dir'].map((name) => [name, 'ls'] as const)],
  ...['patch', 'replace', 'apply_patch', 'editfiles', 'edit_files', 'search_replace'].map(
    (name) => [name, 'edit_file'] as const,
  ),
  ...['shell', 'terminal', 'run_shell_command', 'runcommands', 'run_terminal_cmd', 'runinterminal'].map(
    (name) => [name, 'execute'] as const,
  ),
  ...['search', 'codebase', 'search_file_content', 'grep_search', 'codebase_search'].map(
    (name) => [name, 'grep'] as const,
  ),
  ...([
    ['file_search', 'glob'],
    ['read_many_files', 'read_file'],
    ['filesearch', 'glob'],
    ['textsearch', 'grep'],
    ['readfile', 'read_file'],
    ['view', 'read_file'],
    ['createfile', 'write_file'],
    ['create_file', 'write_file'],
    ['listdirectory', 'ls'],
    ['getterminaloutput', 'process_output'],
    ['runsubagent', 'task'],
    ['todo', 'write_todos'],
    ['todos', 'write_todos'],
    ['question', 'ask_user'],
    ...['web', 'webfetch', 'web_fetch', 'web/fetch'].map((name) => [name, 'fetch_url'] as const),
    // These mean tools that Coppice does not have, so taking one away is no mistake.
    ...['websearch', 'web_search', 'google_web_search'].map((name) => [name, 'WebSearch'] as const),
    ['skill', 'Skill'],
    ['lsp', 'LSP'],
  ] as const),
])

/**
 * The tool that a definition of an agent means. Other systems write them in their own spelling, and with what a command
 * may be (`Bash(git:*)`); rules say that here, so the whole tool is meant.
 */
export function definedToolName(given: string): string {
  const name = /^([\w*-]+)\s*\(.*\)$/s.exec(given.trim())?.[1] ?? given.trim()
  if (isAbsentTool(name) || Object.hasOwn(toolFacts, name)) return name
  const own = ownToolName(name)
  const known = own === name ? definitionNames.get(name.toLowerCase()) : own
  if (known !== undefined) return known
  // Copilot writes the set or the server before the tool: `search/codebase`, `github/*`.
  const [, group = '', tool = ''] = /^([\w-]+)\/([\w*-]+)$/.exec(name) ?? []
  return tool === '' ? name : (definitionNames.get(tool.toLowerCase()) ?? `mcp__${group}__${tool}`)
}

/** The tool, or the glob of tools, that a name in a setting means, or a sentence that says why it means none. */
export type NameResolution =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly problem: string }

/**
 * Finds the tool that a name in a setting means: a built-in tool by any of its names, a server's tool by its full name
 * or by its bare name when only one server has it, or a glob that fits some tool.
 */
export function resolveToolName(given: string, known: KnownServerTools): NameResolution {
  const name = ownToolName(given)
  if (Object.hasOwn(toolFacts, name)) return { ok: true, name }
  if (isGlob(name)) return globFits(name, known) ? { ok: true, name } : unknownName(given, known)
  if (known.tools.some((tool) => tool.name === name)) return { ok: true, name }
  const bare = known.tools.filter(({ serverTool }) => serverTool === given)
  if (bare.length > 1) {
    const names = bare.map((tool) => tool.name).join(', ')
    return { ok: false, problem: `${quote(given)} is a tool of several servers. Write the full name: ${names}.` }
  }
  if (bare[0]) return { ok: true, name: bare[0].name }
  return isOfAbsentServer(name, known) ? { ok: true, name } : unknownName(given, known)
}

/** True for a pattern like `mcp__github__*`, which a setting may use instead of a name. */
function isGlob(name: string): boolean {
  return name.includes('*')
}

/** True when the name of a tool, or a glob of names, fits a tool. */
export function namesTool(given: string, tool: string): boolean {
  return given === tool || (isGlob(given) && fitsGlob(given, tool))
}

/** Matches a name against a pattern in which `*` stands for any text. Never tries a star twice, so it cannot hang. */
function fitsGlob(glob: string, name: string): boolean {
  const [first = '', ...rest] = glob.split('*')
  const last = rest.pop() ?? ''
  if (!name.startsWith(first)) return false
  let from = first.length
  for (const part of rest) {
    const at = name.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return name.length - last.length >= from && name.endsWith(last)
}

function globFits(glob: string, { tools, prefixes }: KnownServerTools): boolean {
  const names = [...Object.keys(toolFacts), ...tools.map(({ name }) => name), ...prefixes.map((prefix) => `${prefix}x`)]
  const isOfAbsent = prefixes.some(
    (prefix) => glob.startsWith(prefix) && tools.every((tool) => !tool.name.startsWith(prefix)),
  )
  return glob.startsWith('mcp__*') || isOfAbsent || names.some((name) => fitsGlob(glob, name))
}

/** True for a tool of a defined server that is not connected, so nobody knows its tools. None of them can be called. */
function isOfAbsentServer(name: string, { tools, prefixes }: KnownServerTools): boolean {
  const prefix = prefixes.find((one) => name.startsWith(one) && name.length > one.length)
  return prefix !== undefined && tools.every((tool) => !tool.name.startsWith(prefix))
}

function unknownName(given: string, { tools }: KnownServerTools): NameResolution {
  if (isAbsentTool(given)) return { ok: false, problem: `${given} is a tool that Coppice does not have.` }
  const names = [...Object.keys(toolFacts), ...foreignNames.keys(), ...tools.map(({ serverTool }) => serverTool)]
  const nearest = nearestName(given, names)
  const hint = nearest === undefined ? 'Correct or remove it.' : `Did you mean ${nearest}?`
  return { ok: false, problem: `There is no tool ${quote(given)}. ${hint}` }
}

/** True for a tool of a server that is not defined here and whose name is no misspelling of one that is. */
export function isOfOtherServer(given: string, { prefixes }: KnownServerTools): boolean {
  const server = /^mcp__(.+?)(?:__|$)/.exec(given)?.[1]
  return (
    server !== undefined &&
    nearestName(
      server,
      prefixes.map((prefix) => prefix.slice(5, -2)),
      1,
    ) === undefined
  )
}

function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${beginningOf(name, 79)}…` : name)
}
