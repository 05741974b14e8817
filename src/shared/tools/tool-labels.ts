import type { JsonObject, JsonValue } from '../base/json.ts'
import { variantsOf } from '../model/calls/attempts.ts'
import { type Call, resultOf } from '../model/calls/call.ts'
import { type ToolResult, textOf } from '../model/message.ts'
import { plural } from '../text/plural.ts'
import { planTitle } from './plans.ts'
import { questionsIn } from './questions.ts'

/** A call in one line, such as "Read /src/app.ts". */
export interface ToolLine {
  readonly verb: string
  readonly object: string
}

/** `nameOf` gives the name of the agent with a handle. */
type Phrase = (input: JsonObject, nameOf: (handle: string) => string) => ToolLine

const path: Phrase = (input) => ({ verb: '', object: text(input.file_path ?? input.path) })
const withVerb =
  (verb: string, phrase: Phrase = path): Phrase =>
  (input, nameOf) => ({ verb, object: phrase(input, nameOf).object })
const object =
  (read: (input: JsonObject, nameOf: (handle: string) => string) => string): Phrase =>
  (input, nameOf) => ({ verb: '', object: read(input, nameOf) })

/** An external agent says itself what it does: `Read src/app.ts`. */
const told: Phrase = ({ title }) => {
  const [verb = '', ...rest] = (firstLine(plainWords(text(title))) || 'Worked').split(' ')
  return { verb, object: rest.join(' ') }
}

const toolLabels: Readonly<Record<string, Phrase>> = {
  agent_read: told,
  agent_edit: told,
  agent_fetch: told,
  agent_call: told,
  agent_command: withVerb(
    'Ran',
    object((input) => firstLine(text(input.command))),
  ),
  ls: withVerb('Listed'),
  read_file: withVerb('Read'),
  write_file: withVerb('Wrote'),
  edit_file: withVerb('Edited'),
  multi_edit: withVerb('Edited'),
  delete: withVerb('Deleted'),
  move: withVerb(
    'Moved',
    object((input) => `${text(input.from)} to ${text(input.to)}`),
  ),
  glob: withVerb(
    'Looked for files',
    object((input) => text(input.pattern)),
  ),
  grep: withVerb(
    'Searched',
    object((input) => text(input.pattern)),
  ),
  write_todos: withVerb(
    'Planned',
    object((input) => plural(count(input.todos), 'todo', 'todos')),
  ),
  read_todos: withVerb(
    'Read todos',
    object(() => ''),
  ),
  update_todo_status: withVerb(
    'Set todo',
    object((input) => `${Number(input.todo_index) + 1} to ${text(input.status).replace('_', ' ')}`),
  ),
  compact: withVerb(
    'Asked for a summary',
    object(() => ''),
  ),
  fetch_url: withVerb(
    'Fetched',
    object((input) => text(input.url)),
  ),
  search_tools: withVerb(
    'Searched for tools',
    object((input) => text(input.query)),
  ),
  execute: withVerb(
    'Ran',
    object((input) => firstLine(text(input.command))),
  ),
  process_output: withVerb(
    'Read output of',
    object((input) => text(input.id)),
  ),
  process_input: withVerb(
    'Typed into',
    object((input) => `${text(input.id)}: ${firstLine(text(input.text))}`),
  ),
  process_stop: withVerb(
    'Stopped',
    object((input) => text(input.id)),
  ),
  process_list: withVerb(
    'Looked at processes',
    object(() => ''),
  ),
  run_js_code: withVerb(
    'Ran JavaScript',
    object((input) => firstLine(text(input.code))),
  ),
  run_js_file: withVerb('Ran JavaScript'),
  run_python_code: withVerb(
    'Ran Python',
    object((input) => firstLine(text(input.code))),
  ),
  run_python_file: withVerb('Ran Python'),
  task: withVerb(
    'Started agent',
    object((input) => firstLine(text(input.description))),
  ),
  spawn_subagents: withVerb(
    'Started',
    object((input) => plural(count(input.tasks), 'agent', 'agents')),
  ),
  agent_wait: withVerb(
    'Waited for',
    object((input, nameOf) => list(input.handles, nameOf) || 'agents'),
  ),
  agent_status: withVerb(
    'Looked at',
    object((input, nameOf) => list(input.handle, nameOf) || 'agents'),
  ),
  agent_message: withVerb(
    'Told',
    object((input, nameOf) => list(input.handle, nameOf)),
  ),
  agent_stop: withVerb(
    'Stopped',
    object((input, nameOf) => list(input.handle, nameOf)),
  ),
  batch_task: withVerb(
    'Ran batch',
    object((input) => text(input.tasks_file) || plural(count(input.tasks), 'task', 'tasks')),
  ),
  attempts: withVerb(
    'Tried',
    object((input) => plural(variantsOf(input).length, 'way', 'ways')),
  ),
  run_checks: withVerb(
    'Ran checks',
    object((input) => list(input.names, (name) => name)),
  ),
  merge_subagent: withVerb(
    'Merged',
    object((input, nameOf) => list(input.handle, nameOf)),
  ),
  discard_subagent: withVerb(
    'Discarded',
    object((input, nameOf) => list(input.handle, nameOf)),
  ),
  present_plan: withVerb(
    'Handed in the plan',
    object((input) => plainWords(planTitle(text(input.plan)))),
  ),
  ask_user: withVerb(
    'Asked',
    object((input) => firstLine(plainWords(questionsIn(input)[0]?.text ?? text(input.question)))),
  ),
}

const foldedLabels: Readonly<Record<string, (calls: number) => string>> = {
  agent_read: (calls) => `Looked at files ${times(calls)}`,
  agent_edit: (calls) => `Made ${plural(calls, 'edit', 'edits')}`,
  agent_command: (calls) => `Ran ${plural(calls, 'command', 'commands')}`,
  agent_fetch: (calls) => `Read ${plural(calls, 'page', 'pages')}`,
  agent_call: (calls) => `Used its tools ${times(calls)}`,
  read_file: (calls) => `Read ${plural(calls, 'file', 'files')}`,
  write_file: (calls) => `Wrote ${plural(calls, 'file', 'files')}`,
  edit_file: (calls) => `Made ${plural(calls, 'edit', 'edits')}`,
  ls: (calls) => `Listed ${plural(calls, 'folder', 'folders')}`,
  grep: (calls) => `Searched ${times(calls)}`,
  glob: (calls) => `Looked for files ${times(calls)}`,
  execute: (calls) => `Ran ${plural(calls, 'command', 'commands')}`,
  process_output: (calls) => `Read output ${times(calls)}`,
  process_input: (calls) => `Typed ${times(calls)}`,
  process_stop: (calls) => `Stopped ${plural(calls, 'process', 'processes')}`,
  process_list: (calls) => `Looked at processes ${times(calls)}`,
  task: (calls) => `Started ${plural(calls, 'agent', 'agents')}`,
  update_todo_status: (calls) => `Updated ${plural(calls, 'todo', 'todos')}`,
  run_checks: (calls) => `Ran checks ${times(calls)}`,
  merge_subagent: (calls) => `Merged ${plural(calls, 'branch', 'branches')}`,
  discard_subagent: (calls) => `Discarded ${plural(calls, 'branch', 'branches')}`,
  multi_edit: (calls) => `Made several edits in ${plural(calls, 'file', 'files')}`,
  delete: (calls) => `Deleted ${plural(calls, 'file', 'files')}`,
  move: (calls) => `Moved ${plural(calls, 'file', 'files')}`,
  write_todos: (calls) => `Planned ${times(calls)}`,
  read_todos: (calls) => `Read todos ${times(calls)}`,
  run_js_code: (calls) => `Ran JavaScript ${times(calls)}`,
  run_js_file: (calls) => `Ran JavaScript files ${times(calls)}`,
  run_python_code: (calls) => `Ran Python ${times(calls)}`,
  run_python_file: (calls) => `Ran Python files ${times(calls)}`,
  agent_wait: (calls) => `Waited for agents ${times(calls)}`,
  agent_status: (calls) => `Looked at agents ${times(calls)}`,
  agent_message: (calls) => `Told agents ${times(calls)}`,
  agent_stop: (calls) => `Stopped ${plural(calls, 'agent', 'agents')}`,
  spawn_subagents: (calls) => `Started agents ${times(calls)}`,
  batch_task: (calls) => `Ran ${plural(calls, 'batch', 'batches')}`,
  attempts: (calls) => `Tried several ways ${times(calls)}`,
  compact: (calls) => `Asked for a summary ${times(calls)}`,
  fetch_url: (calls) => `Fetched ${plural(calls, 'page', 'pages')}`,
  search_tools: (calls) => `Searched for tools ${times(calls)}`,
  present_plan: (calls) => `Handed in ${plural(calls, 'plan', 'plans')}`,
  ask_user: (calls) => `Asked ${plural(calls, 'question', 'questions')}`,
}

/** Says what a call did. Unknown tools are named by their own name, MCP tools by server and tool. */
export function describeCall(
  name: string,
  input: JsonObject,
  nameOf: (handle: string) => string = (handle) => handle,
): ToolLine {
  const phrase = toolLabels[name]
  if (phrase) return phrase(input, nameOf)
  const [, server, tool] = name.match(/^mcp__(.+?)__(.+)$/) ?? []
  return server && tool ? { verb: server, object: tool } : { verb: name, object: firstLine(text(input.path)) }
}

/** Several consecutive calls of one tool in one line: "Read 14 files". */
export function describeCalls(name: string, calls: number): string {
  const [, server, tool] = name.match(/^mcp__(.+?)__(.+)$/) ?? []
  return foldedLabels[name]?.(calls) ?? (server && tool ? `${server} ${tool} ${times(calls)}` : `${name} × ${calls}`)
}

const namedInStep = 3

/** Everything that a step did, in one line: "Read 3 files · Ran npm test (1 failed)". */
export function describeStep(calls: readonly Call[]): string {
  if (calls.length === 0) return 'Answered without a tool'
  const groups = [...Map.groupBy(calls, ({ name }) => name).values()]
  const named = groups.slice(0, namedInStep).map(describeGroup)
  const left = groups.slice(namedInStep).flat().length
  return [...named, ...(left > 0 ? [plural(left, 'more call', 'more calls')] : [])].join(' · ')
}

function describeGroup(calls: readonly Call[]): string {
  const failed = calls.filter((call) => outcomeOf(call) !== 'ok' && outcomeOf(call) !== 'pending').length
  const note = failed > 0 ? ` (${failed} failed)` : ''
  const [first] = calls
  if (!first) return ''
  if (calls.length > 1) return `${describeCalls(first.name, calls.length)}${note}`
  const { verb, object: what } = describeCall(first.name, first.input)
  return `${verb} ${what}`.trim() + note
}

/** The first line of the error; empty for a call that succeeded or still runs. */
export function resultLine(call: Call): string {
  const result = resultOf(call)
  if (!result || result.outcome === 'ok') return ''
  const said = textOf(result.content)
  return firstLine(errorIn(said) ?? said).slice(0, 160) || result.outcome
}

/** A runner answers with JSON. Returns the text of its `error`; null if there is none. */
export function errorIn(said: string): string | null {
  if (!said.startsWith('{')) return null
  try {
    const { error }: { error?: unknown } = JSON.parse(said)
    if (typeof error === 'string') return error
    const { message }: { message?: unknown } = Object(error)
    return typeof message === 'string' ? message : null
  } catch {
    return null
  }
}

/** How a call ended; `pending` while it has no result. */
export function outcomeOf(call: Call): ToolResult['outcome'] | 'pending' {
  return resultOf(call)?.outcome ?? 'pending'
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
}

/** The first line of a text, without the space around the text. */
export function firstLine(value: string): string {
  return value.trim().split('\n', 1)[0] ?? ''
}

function count(value: JsonValue | undefined): number {
  return Array.isArray(value) ? value.length : 0
}

function list(value: JsonValue | undefined, nameOf: (handle: string) => string): string {
  return Array.isArray(value) ? value.map((item) => nameOf(text(item as JsonValue))).join(', ') : nameOf(text(value))
}

function times(count: number): string {
  return plural(count, 'time', 'times')
}

/** Code, or words between marks that stand outside of a word. */
const marked = /`(\S(?:.*?\S)?)`|(?<!\w)(\*\*|__)(\S(?:(?:(?!\2).)*?\S)?)\2(?!\w|\.\w)/g

/**
 * Without the marks of Markdown that stand around words. A single word between `__` stays, because it is rather a name
 * such as `__init__`.
 */
export function plainWords(markdown: string): string {
  return markdown.replace(marked, (whole: string, code?: string, mark?: string, words = '') =>
    mark === '__' && !words.includes(' ') ? whole : (code ?? words),
  )
}
