import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import { textOf } from '#shared/model/message.ts'
import { parseVirtualPath } from '#shared/model/virtual-path.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { ruledBy } from '#shared/tools/tool-facts.ts'
import type { ToolOutput } from '../../tools/tool.ts'

/** The real folders of a project, as a hook finds them. */
export interface RealFolders {
  /** Null for a workspace without a folder. Its paths stay as they are. */
  readonly folder: string | null
  readonly others: readonly { readonly root: string; readonly folder: string }[]
}

interface ToolWords {
  /** The tool as Claude Code names it, and names that it had before. */
  readonly names: readonly [string, ...string[]]
  /** Our arguments that have another name there. */
  readonly keys?: Readonly<Record<string, string>>
  /** Its arguments that we have no word for. */
  readonly lacks?: readonly string[]
  /** Our arguments in seconds that are milliseconds there. */
  readonly seconds?: string
}

/** One table for both directions: what each tool and its arguments are called in hooks. All other names are the same. */
const words: Readonly<Record<string, ToolWords>> = {
  execute: {
    names: ['Bash'],
    keys: { background: 'run_in_background' },
    lacks: ['description'],
    seconds: 'timeout',
  },
  read_file: { names: ['Read'] },
  write_file: { names: ['Write'] },
  edit_file: { names: ['Edit'] },
  multi_edit: { names: ['MultiEdit'] },
  ls: { names: ['LS'] },
  glob: { names: ['Glob'] },
  grep: {
    names: ['Grep'],
    keys: { case_insensitive: '-i', context: '-C', limit: 'head_limit' },
    lacks: ['-n', '-A', '-B'],
  },
  task: { names: ['Task', 'Agent'], keys: { description: 'prompt' }, lacks: ['description'] },
  write_todos: { names: ['TodoWrite'] },
  read_todos: { names: ['TodoRead'] },
  process_output: { names: ['BashOutput', 'TaskOutput'], keys: { id: 'bash_id' } },
  process_stop: { names: ['KillShell', 'KillBash', 'TaskStop'], keys: { id: 'shell_id' } },
  ask_user: { names: ['AskUserQuestion'] },
  fetch_url: { names: ['WebFetch'], lacks: ['prompt'] },
  present_plan: { names: ['ExitPlanMode'] },
}

/** Every name under which matchers may mean a tool, that of Claude Code first. */
export function namesInHooks(tool: string): readonly [string, ...string[]] {
  const { name } = ruledBy(tool)
  const known = words[name]
  if (!known) return [name]
  return [...known.names, name]
}

/** The arguments of a call as Claude Code's tool has them, with real paths. */
export function toHookInput(tool: string, args: JsonObject, folders: RealFolders): JsonObject {
  const { keys = {}, seconds } = words[ruledBy(tool).name] ?? {}
  const paths = pathArguments(tool)
  const given = Object.entries(args).map(([key, value]): [string, JsonValue] => [
    keys[key] ?? key,
    key === seconds && typeof value === 'number'
      ? value * 1000
      : paths.has(key)
        ? eachPath(value, folders, real)
        : value,
  ])
  const task = args.description
  const short = ruledBy(tool).name === 'task' && typeof task === 'string' && { description: beginningOf(task, 60) }
  return { ...short, ...Object.fromEntries(given) }
}

/** The way back, for arguments that a hook gave. */
export function fromHookInput(tool: string, input: JsonObject, folders: RealFolders): JsonObject {
  const { keys = {}, lacks = [], seconds } = words[ruledBy(tool).name] ?? {}
  const own = new Map(Object.entries(keys).map(([ours, theirs]) => [theirs, ours]))
  const paths = pathArguments(tool)
  return Object.fromEntries(
    Object.entries(input).flatMap(([theirs, value]): [string, JsonValue][] => {
      if (lacks.includes(theirs)) return []
      const key = own.get(theirs) ?? theirs
      if (key === seconds && typeof value === 'number') return [[key, value / 1000]]
      return [[key, paths.has(key) ? eachPath(value, folders, virtual) : value]]
    }),
  )
}

/** What a call gave, in the shape that hooks look for. */
export function toHookResponse(tool: string, input: JsonObject, { content, ok }: ToolOutput): JsonObject {
  const text = textOf(content)
  const { name } = ruledBy(tool)
  if (name === 'execute') return { stdout: text, stderr: '', interrupted: false, isImage: false }
  const path = input.file_path
  const file = typeof path === 'string' && { filePath: path }
  if (name === 'read_file') return { type: 'text', file: { ...file, content: text } }
  return { ...file, success: ok, content: text }
}

/** Servers name their arguments as they like, so nothing of theirs is taken for a path of the project. */
function pathArguments(tool: string): ReadonlySet<string> {
  if (tool.startsWith('mcp__')) return new Set()
  const { reads, writes, lists } = ruledBy(tool).access
  return new Set([...reads, ...writes, ...lists])
}

type Way = (path: string, folders: RealFolders) => string

function eachPath(value: JsonValue, folders: RealFolders, way: Way): JsonValue {
  if (Array.isArray(value)) return value.map((one) => eachPath(one, folders, way))
  return typeof value === 'string' ? way(value, folders) : value
}

/** Another folder of the project is a name below the first one. */
function real(path: string, { folder, others }: RealFolders): string {
  const parsed = parseVirtualPath(path)
  if (!parsed.ok || folder === null) return path
  const other = others.find(({ root }) => parsed.value === root || parsed.value.startsWith(`${root}/`))
  if (other) return other.folder + parsed.value.slice(other.root.length)
  return parsed.value === '/' ? folder : folder + parsed.value
}

function virtual(path: string, { folder, others }: RealFolders): string {
  const all = [...others, ...(folder === null ? [] : [{ root: '', folder }])]
  const inside = all.find((one) => path === one.folder || path.startsWith(`${one.folder}/`))
  return inside ? inside.root + path.slice(inside.folder.length) || '/' : path
}
