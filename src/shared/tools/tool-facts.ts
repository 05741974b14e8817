import type { JsonObject, JsonValue } from '../base/json.ts'
import { variantsOf } from '../model/calls/attempts.ts'
import { batchTasks } from '../model/derived/batch.ts'
import { parseVirtualPath, type VirtualPath } from '../model/virtual-path.ts'
import { planTitle } from './plans.ts'
import { questionsIn } from './questions.ts'
import { hostOf } from './web-address.ts'

/**
 * How the loop may schedule a call. `read`: changes nothing and runs beside its neighbours. `plan`: changes only the
 * todo list or the agent's own conversation, or ends what the agent began. `overlay`: changes only the branch, in the transaction that stores its result. `outside`: has effects that
 * a database cannot undo, so its start is stored first. `agents`: runs other agents and can continue after a restart.
 */
export type ToolEffect = 'read' | 'plan' | 'overlay' | 'outside' | 'agents'

/** Which arguments of a tool say what it does to files. Rules judge these, never the tool's name. */
export interface ToolAccess {
  /** Arguments that name a file, or a list of files, whose content the call shows or copies to where it can be shown. */
  readonly reads: readonly string[]
  /** Arguments that name files or folders the call changes. */
  readonly writes: readonly string[]
  /** Arguments that name folders of which the call shows only the names. */
  readonly lists: readonly string[]
  /** The argument that is a command line; null for a tool that runs no commands. */
  readonly command: string | null
  /** The argument that is an address of the web; absent for a tool that asks none. */
  readonly address?: string
}

/** What is known about a built-in tool everywhere: in the loop, in rules, on the approval card. */
export interface ToolFacts {
  readonly name: string
  readonly effect: ToolEffect
  readonly access: ToolAccess
  /** One sentence for the approval card: what would happen. The card shows the exact arguments below it. */
  describe(args: JsonObject): string
  /** The argument that is shown and edited as text, and its language; absent for tools without one. */
  readonly code?: { readonly argument: string; readonly language: string }
  /** Set when the call runs in a view of its own: it finds the project's setup, and a person can grant it hosts. */
  readonly opensView?: true
  /**
   * True for a call whose effects stay aside until they are kept: an edit, code over files, or a command that ends by
   * itself. Absent for a tool without such calls.
   */
  runsAside?(args: JsonObject): boolean
  /** Set when the call is a question, whose result is a person's answer. */
  readonly isQuestion?: true
  /** Set when the call hands in a plan. A person always decides about it. */
  readonly isPlan?: true
}

/** What one call does to files, as canonical paths, and the command line it runs. */
export interface CallAccess {
  readonly reads: readonly VirtualPath[]
  readonly writes: readonly VirtualPath[]
  readonly lists: readonly VirtualPath[]
  /** Null for a call that runs no command. */
  readonly command: string | null
  /** The host that the call asks, with a port unless that is the usual one; empty when nobody can tell. Absent for none. */
  readonly host?: string
}

/** Access that names no file. The call works on its input alone, or asks for each file while it runs. */
export const noAccess: ToolAccess = { reads: [], writes: [], lists: [], command: null }

/**
 * What a call with these arguments does to files. Arguments that are not paths are ignored here; the tool will
 * complain.
 */
export function accessOf({ reads, writes, lists, command, address }: ToolAccess, args: JsonObject): CallAccess {
  const line = command === null ? null : args[command]
  return {
    reads: pathsIn(args, reads),
    writes: pathsIn(args, writes),
    lists: pathsIn(args, lists),
    command: command === null ? null : typeof line === 'string' ? line : '',
    ...(address !== undefined && { host: hostOf(args[address]) }),
  }
}

/** Every file and folder that a call names, without duplicates. */
export function pathsOf({ reads, writes, lists }: CallAccess): readonly VirtualPath[] {
  return [...new Set([...reads, ...writes, ...lists])]
}

function pathsIn(args: JsonObject, names: readonly string[]): readonly VirtualPath[] {
  return names.flatMap((name) => {
    const given = args[name]
    return (Array.isArray(given) ? given : [given]).flatMap((one: JsonValue | undefined) => {
      const parsed = typeof one === 'string' ? parseVirtualPath(one) : undefined
      return parsed?.ok ? [parsed.value] : []
    })
  })
}

const readsFile: ToolAccess = { ...noAccess, reads: ['file_path'] }
const editsFile: ToolAccess = { ...noAccess, reads: ['file_path'], writes: ['file_path'] }
const listsFolder: ToolAccess = { ...noAccess, lists: ['path'] }
const editSentence = (args: JsonObject) => `Edit ${textOf(args.file_path)}.`

const scriptSentence = (args: JsonObject) => `Run the script ${textOf(args.file_path)} over the files of the branch.`

/** What an external agent says that it does. */
const titleOf = (args: JsonObject) => `${textOf(args.title)}.`

/** Every built-in tool by its name. Those that begin with `agent_` are the calls of external agents, as they tell them. */
export const toolFacts = {
  ls: factsOf('ls', 'read', listsFolder),
  glob: factsOf('glob', 'read', listsFolder),
  grep: factsOf('grep', 'read', { ...noAccess, reads: ['path'] }),
  read_file: factsOf('read_file', 'read', readsFile, (args) => `Read ${textOf(args.file_path)}.`),
  write_file: editFacts(
    'write_file',
    { ...noAccess, writes: ['file_path'] },
    (args) => `Write ${textOf(args.file_path)}.`,
  ),
  edit_file: editFacts('edit_file', editsFile, editSentence),
  multi_edit: editFacts('multi_edit', editsFile, editSentence),
  delete: editFacts('delete', { ...noAccess, writes: ['path'] }, (args) => `Delete ${textOf(args.path)}.`),
  move: editFacts(
    'move',
    { ...noAccess, reads: ['from'], writes: ['from', 'to'] },
    (args) => `Move ${textOf(args.from)} to ${textOf(args.to)}.`,
  ),
  write_todos: factsOf('write_todos', 'plan', noAccess),
  read_todos: factsOf('read_todos', 'read', noAccess),
  update_todo_status: factsOf('update_todo_status', 'plan', noAccess),
  execute: {
    ...factsOf('execute', 'outside', { ...noAccess, command: 'command' }, ({ background }) =>
      background === true
        ? 'Run a command that stays in the background, in a view of the branch.'
        : 'Run a command in a throw-away view of the branch.',
    ),
    code: { argument: 'command', language: 'shell' },
    opensView: true,
    runsAside: ({ background }) => background !== true,
  },
  process_output: factsOf('process_output', 'read', noAccess),
  process_input: {
    ...factsOf(
      'process_input',
      'outside',
      { ...noAccess, command: 'text' },
      (args) => `Type into ${textOf(args.id)}, a command that runs in the background.`,
    ),
    code: { argument: 'text', language: 'shell' },
  },
  process_stop: factsOf('process_stop', 'plan', noAccess),
  process_list: factsOf('process_list', 'read', noAccess),
  run_js_code: {
    ...editFacts('run_js_code', noAccess, () => 'Run JavaScript over the files of the branch.'),
    code: { argument: 'code', language: 'typescript' },
  },
  run_js_file: editFacts('run_js_file', readsFile, scriptSentence),
  run_python_code: {
    ...editFacts('run_python_code', noAccess, () => 'Run Python over the files of the branch.'),
    code: { argument: 'code', language: 'python' },
  },
  run_python_file: editFacts('run_python_file', readsFile, scriptSentence),
  run_checks: factsOf('run_checks', 'read', noAccess, () => 'Run the project’s checks on the branch.'),
  task: factsOf('task', 'agents', noAccess),
  spawn_subagents: factsOf('spawn_subagents', 'agents', noAccess),
  agent_wait: factsOf('agent_wait', 'agents', noAccess, () => 'Wait for subagents.'),
  agent_status: factsOf('agent_status', 'read', noAccess, () => 'Look at subagents.'),
  agent_message: factsOf('agent_message', 'agents', noAccess, (args) => `Tell ${textOf(args.handle)} something more.`),
  agent_stop: factsOf('agent_stop', 'agents', noAccess, (args) => `Stop ${textOf(args.handle)}.`),
  batch_task: factsOf(
    'batch_task',
    'agents',
    { ...noAccess, reads: ['tasks_file'] },
    (args) => `Run ${batchTasks(args).length} tasks, each by a subagent on a branch of its own.`,
  ),
  attempts: factsOf(
    'attempts',
    'agents',
    noAccess,
    (args) => `Try ${variantsOf(args).length} ways at once, each by an agent on a branch of its own.`,
  ),
  merge_subagent: factsOf('merge_subagent', 'overlay', noAccess),
  discard_subagent: factsOf('discard_subagent', 'overlay', noAccess),
  compact: factsOf('compact', 'plan', noAccess),
  search_tools: factsOf('search_tools', 'plan', noAccess, (args) => `Search for tools: ${textOf(args.query)}.`),
  fetch_url: factsOf('fetch_url', 'read', { ...noAccess, address: 'url' }, (args) => `Fetch ${textOf(args.url)}.`),
  agent_read: factsOf('agent_read', 'read', { ...noAccess, reads: ['paths'] }, titleOf),
  agent_edit: factsOf('agent_edit', 'overlay', { ...noAccess, writes: ['paths'] }, titleOf),
  agent_command: {
    ...factsOf('agent_command', 'outside', { ...noAccess, command: 'command' }, titleOf),
    code: { argument: 'command', language: 'shell' },
  },
  agent_fetch: factsOf('agent_fetch', 'read', { ...noAccess, address: 'url' }, titleOf),
  agent_call: factsOf('agent_call', 'overlay', noAccess, titleOf),
  present_plan: {
    ...factsOf('present_plan', 'plan', noAccess, ({ plan }) => `Carry out the plan “${planTitle(textOf(plan))}”.`),
    code: { argument: 'plan', language: 'markdown' },
    isPlan: true,
  },
  ask_user: { ...factsOf('ask_user', 'read', noAccess, firstQuestion), isQuestion: true },
} as const satisfies Readonly<Record<string, ToolFacts>>

export type ToolName = keyof typeof toolFacts

/** Servers choose their own argument names, so rules with a pattern apply to the usual names of paths. */
const serverAccess: ToolAccess = { ...noAccess, lists: ['file_path', 'path', 'from', 'to'] }

/** The facts of a tool by its name. A tool that is not built in belongs to a server. */
export function findToolFacts(name: string): ToolFacts {
  return isToolName(name) ? toolFacts[name] : factsOf(name, 'outside', serverAccess)
}

/** For the calls of external agents: the tool of ours that does the same. */
const sameAs: Readonly<Record<string, ToolFacts>> = {
  agent_read: toolFacts.read_file,
  agent_edit: toolFacts.edit_file,
  agent_command: toolFacts.execute,
  agent_fetch: toolFacts.fetch_url,
}

/** True for what an external agent does with tools of its own. */
export function isExternalCall(name: string): boolean {
  return name === toolFacts.agent_call.name || Object.hasOwn(sameAs, name)
}

/** The tool by whose name rules, settings and modes judge a call: its own, or the one of ours that does the same. */
export function ruledBy(name: string): ToolFacts {
  return sameAs[name] ?? findToolFacts(name)
}

function isToolName(name: string): name is ToolName {
  return Object.hasOwn(toolFacts, name)
}

function factsOf(
  name: string,
  effect: ToolEffect,
  access: ToolAccess,
  describe: ToolFacts['describe'] = () => `Call ${name}.`,
): ToolFacts {
  return { name, effect, access, describe }
}

/** The facts of a tool that changes only the files of its branch. */
function editFacts(name: string, access: ToolAccess, describe: ToolFacts['describe']): ToolFacts {
  return { ...factsOf(name, 'overlay', access, describe), runsAside: () => true }
}

/** The question of a call, or the first of several. */
function firstQuestion(args: JsonObject): string {
  const [first, ...more] = questionsIn(args)
  return `${first?.text ?? textOf(args.question)}${more.length === 0 ? '' : ` (and ${more.length} more)`}`
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
