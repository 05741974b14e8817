import { z } from 'zod'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { parseVirtualPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { oneLine, shellWord } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import type { ExternalCall, ExternalKind } from '../../ports/programs/external-agent.ts'
import { anyTool, failedOutput, type Tool } from '../../tools/tool.ts'

export const schema = z.looseObject({
  title: z.string(),
  paths: z.array(z.string()).exactOptional(),
  command: z.string().exactOptional(),
  url: z.string().exactOptional(),
})

const names = {
  read: 'agent_read',
  search: 'agent_read',
  edit: 'agent_edit',
  delete: 'agent_edit',
  move: 'agent_edit',
  execute: 'agent_command',
  think: 'agent_call',
  fetch: 'agent_fetch',
  switch_mode: 'agent_call',
  other: 'agent_call',
} as const satisfies Record<ExternalKind, keyof typeof toolFacts>

/** The tools as whose calls the journal knows what an external agent did. The agent runs them itself, and the loop never. */
const externalTools: readonly Tool[] = [...new Set(Object.values(names))].map((name) =>
  anyTool({
    ...toolFacts[name],
    description: 'A call of an external agent, as it tells it.',
    schema,
    run: async () => failedOutput('The agent that made this call is not there any more.'),
  }),
)

export interface RequestedCall {
  readonly tool: Tool
  readonly input: JsonObject
}

/** A call of the agent as one of ours. `folder` is where the agent finds the project. */
export function requestedCall(call: ExternalCall, folder: string): RequestedCall {
  const name = isSearch(call) ? 'agent_call' : names[call.kind]
  const tool = externalTools.find((one) => one.name === name)
  if (!tool) throw new Error(`There is no tool for ${call.kind}.`)
  const named = name === 'agent_command' ? [] : namedPaths(call)
  const paths = unique(named.flatMap((path) => pathBelow(path, folder) ?? []))
  const told = titleOf(call, paths)
  const title = told.length > mostTitle ? `${beginningOf(told, mostTitle)}…` : told
  // A card shows the command by itself.
  const { command, ...others } = call.input
  const rest = name === 'agent_command' && command === commandOf(call, told) ? others : call.input
  const beside = unique(named.flatMap((path) => (pathBelow(path, folder) === undefined ? wholePath(path, folder) : [])))
  return {
    tool,
    input: {
      title,
      ...(name === 'agent_command' && { command: commandOf(call, told) }),
      ...(name === 'agent_fetch' && { url: addressOf(call) }),
      ...(paths.length > 0 && { paths }),
      ...(beside.length > 0 && { outside: beside.slice(0, mostBeside) }),
      ...(Object.keys(rest).length > 0 && { input: shortened(rest) }),
    },
  }
}

const mostBeside = 50
/** Characters of a title, and of what the tool of the agent was given. What rules judge is never cut. */
const [mostTitle, mostInput] = [300, 100_000]

/** What is too long for the journal as the beginning of its JSON: what the call changed is known from the files. */
function shortened(input: JsonObject): JsonObject {
  const text = JSON.stringify(input)
  return text.length <= mostInput ? input : { beginning: beginningOf(text, mostInput), characters: text.length }
}

/** True where the journal has only the beginning of what the agent's tool was given. */
export function isShortened(input: JsonValue | undefined): boolean {
  return isJsonObject(input) && typeof input.beginning === 'string' && typeof input.characters === 'number'
}

/** Some agents tell no more than the name of their tool. */
function titleOf({ title, kind }: ExternalCall, [path]: readonly VirtualPath[]): string {
  const told = oneLine(title).replace(/^`(.*)`$/, '$1') || kind
  const isName = /^\w+$/.test(told)
  const worded = isName ? `${told.slice(0, 1).toUpperCase()}${told.slice(1)}` : told
  return isName && path !== undefined ? `${worded} ${path}` : worded
}

function commandOf({ input }: ExternalCall, title: string): string {
  const { command } = input
  if (typeof command === 'string') return command
  // A word may be a script of its own, as in `bash -c 'git push'`: without its quotes it would be another one.
  return Array.isArray(command) ? command.map((word) => shellWord(wordOf(word))).join(' ') : title
}

function wordOf(word: JsonValue): string {
  return typeof word === 'string' ? word : JSON.stringify(word)
}

/** Names of arguments that hold a path, in the words of many tools. */
const pathKey = /path$|^file$|^file_?name$/i
const ofFiles: ReadonlySet<ExternalKind> = new Set(['read', 'edit', 'delete', 'move'])
/** Levels of an input in which paths are looked for, and how many of them count. */
const [mostLevels, mostNamed] = [4, 200]

/** The paths of a call: those that it tells, and those that only its input names. What it does not tell of would not be judged. */
function namedPaths({ kind, paths, input }: ExternalCall): readonly string[] {
  return ofFiles.has(kind) ? [...paths, ...pathsIn(input, kind === 'move', 0).slice(0, mostNamed)] : paths
}

function pathsIn(value: JsonValue, isMove: boolean, level: number): readonly string[] {
  if (level === mostLevels || typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((one: JsonValue) => pathsIn(one, isMove, level + 1))
  return Object.entries(value as JsonObject).flatMap(([key, one]) => {
    const isPath = pathKey.test(key) || (isMove && /^(?:from|to|source|destination)$/i.test(key))
    if (typeof one === 'string') return isPath && one !== '' && !one.includes('\n') ? [one] : []
    return pathsIn(one, isMove, level + 1)
  })
}

const unique = <Item>(items: readonly Item[]): readonly Item[] => [...new Set(items)]

/** A search of the web, by its provider: no address is read. */
function isSearch({ kind, input }: ExternalCall): boolean {
  return kind === 'fetch' && typeof input.query === 'string' && input.url === undefined
}

/** Empty where it tells none: what cannot be read is asked about. */
function addressOf({ input: { url } }: ExternalCall): string {
  return typeof url === 'string' ? url : ''
}

/** The path of the file tools. Undefined for a path outside of the project. The agent may write anything, so dots are resolved; no file has a NUL or half a character in its name. */
export function pathBelow(path: string, folder: string): VirtualPath | undefined {
  const whole = wholePath(path, folder)
  if (whole === folder) return rootPath
  const below = whole.startsWith(`${folder}/`) ? parseVirtualPath(whole.slice(folder.length)) : undefined
  return below?.ok ? below.value : undefined
}

/** A path from the root on, without dots. */
function wholePath(path: string, folder: string): string {
  const parts: string[] = []
  for (const name of (path.startsWith('/') ? path : `${folder}/${path}`).split('/')) {
    if (name === '..') parts.pop()
    else if (name !== '' && name !== '.') parts.push(name)
  }
  return `/${parts.join('/')}`
}
