import { reachWarnings } from '../base/reach/local-reach.ts'
import type { ActionRequest, Interrupt, WorkMode } from '../model/calls/interrupt.ts'
import { type CallEffects, type LeftBehind, type LeftKind, leftKinds, runsUnnamed } from '../model/calls/outcome.ts'
import { shownName } from '../text/control-characters.ts'
import { formatDuration } from '../text/format.ts'
import { plural } from '../text/plural.ts'
import { type cardKind, changedFiles, editsFiles, isCommand, runsAgain, type TriedRequest, wasTried } from './card.ts'
import { commitsText } from './commit-words.ts'
import { findToolFacts } from './tool-facts.ts'
import { describeCall } from './tool-labels.ts'

/** The words of the approval card that the window and the terminal both say. */

/** What a call wants, after “wants to”, and what it did, after its agent. */
const phrases: Readonly<Record<string, readonly [wish: string, deed: string]>> = {
  ls: ['list a folder', 'listed a folder'],
  glob: ['look for files', 'looked for files'],
  grep: ['search files', 'searched files'],
  read_file: ['read a file', 'read a file'],
  write_file: ['write a file', 'wrote a file'],
  edit_file: ['edit a file', 'edited a file'],
  multi_edit: ['edit a file', 'edited a file'],
  delete: ['delete a file', 'deleted a file'],
  move: ['move a file', 'moved a file'],
  execute: ['run a command', 'ran a command'],
  run_js_code: ['run JavaScript', 'ran JavaScript'],
  run_js_file: ['run a JavaScript file', 'ran a JavaScript file'],
  run_python_code: ['run Python', 'ran Python'],
  run_python_file: ['run a Python file', 'ran a Python file'],
  agent_read: ['read files', 'read files'],
  agent_edit: ['change files', 'changed files'],
  agent_command: ['run a command', 'ran a command'],
  agent_fetch: ['read a page', 'read a page'],
  agent_call: ['use a tool', 'used a tool'],
  task: ['start an agent', 'started an agent'],
  spawn_subagents: ['start agents', 'started agents'],
  agent_wait: ['wait for agents', 'waited for agents'],
  agent_status: ['look at agents', 'looked at agents'],
  agent_message: ['tell an agent more', 'told an agent more'],
  agent_stop: ['stop an agent', 'stopped an agent'],
  batch_task: ['start a batch', 'started a batch'],
  attempts: ['try several ways', 'tried several ways'],
  merge_subagent: ['merge a branch', 'merged a branch'],
  discard_subagent: ['discard a branch', 'discarded a branch'],
}

/** “run a command”, after “wants to”. */
export function wishOf(tool: string): string {
  return phrases[tool]?.[0] ?? `use ${tool}`
}

/** “ran a command” */
export function deedOf(tool: string): string {
  return phrases[tool]?.[1] ?? `used ${tool}`
}

/** What the header says after the name of the agent. */
export function headerOf(request: ActionRequest, kind: ReturnType<typeof cardKind>): string {
  const { name } = request
  if (kind === 'end') return `called ${name}, and nobody knows whether it had its effect`
  if (kind === 'question') return 'asks you'
  if (kind === 'plan') return 'hands in a plan'
  return wasTried(request) ? `${deedOf(name)} – look at what it did` : `wants to ${wishOf(name)}`
}

/** A tried call in one line: `Ran npm test`. */
export function deedLine({ name, args }: Pick<ActionRequest, 'name' | 'args'>): string {
  const { verb, object } = describeCall(name, args)
  return `${verb} ${object}`.trim()
}

/** The words of the buttons. A tried call is kept or dropped, another one approved or rejected. */
export function buttonsOf(request: ActionRequest, editing: boolean) {
  const tried = wasTried(request)
  const again = runsAgain(request)
  const isPlan = findToolFacts(request.name).isPlan === true
  return {
    approve: tried ? (editing && again ? 'Run again' : 'Keep') : 'Approve',
    edit: again ? 'Edit and run again' : 'Edit',
    reject: isPlan ? 'Ask for changes' : tried ? 'Drop' : 'Reject',
    some: 'Keep some files',
    allow: judgesEffects(request) ? 'Always…' : 'Always allow…',
  } as const
}

/** The names of the modes in which a plan can be carried out, as they stand on its buttons. */
export const workModeNames: Readonly<Record<WorkMode, string>> = { ask: 'Ask', 'auto-edit': 'Auto-edit', auto: 'Auto' }

/** Whether *Always* proposes rules about what a command did, in place of rules about calls. */
export function judgesEffects(request: ActionRequest): request is TriedRequest {
  return wasTried(request) && isCommand(request)
}

export const riskWords = { low: 'Low risk', medium: 'Medium risk', high: 'High risk' } as const

/** How a tried call ended, as `Exit 0`. Null for a call that is no command and changed files. */
export function endOf(request: TriedRequest): string | null {
  const { exit_code: code } = request.effects
  if (isCommand(request)) return code === null ? 'Ended by a signal' : `Exit ${code}`
  return changedFiles(request.effects).length === 0 ? 'Changed no file' : null
}

/** How long a tried call took. Null for a change of files below one second, which says nothing. */
export function timeOf({ name, effects: { duration_ms: time } }: TriedRequest): string | null {
  return editsFiles({ name }) && time < 1_000 ? null : formatDuration(time)
}

/** `Changed 3 files, deleted 1`. */
export function changedText(effects: CallEffects): string {
  const files = changedFiles(effects)
  const gone = files.filter(({ kind }) => kind === 'deleted').length
  const others = files.length - gone
  if (files.length === 0) return 'Changed no file'
  if (others === 0) return `Deleted ${plural(gone, 'file', 'files')}`
  return `Changed ${plural(others, 'file', 'files')}${gone === 0 ? '' : `, deleted ${gone}`}`
}

export const nameLists = {
  odd: 'Not what they look like:',
  changedBefore: 'Changed by the same reply before this runs:',
  scripts: 'It uses files that agents changed:',
} as const

/** Beside an answer of an external agent that holds for more than the call. */
export const rememberedAnswer = 'it remembers this itself and may not ask again'

export const noOutput = 'It printed nothing.'
export const notJson = 'This is not a JSON object.'
export const noRule = 'No rule can allow this call'

/** A fact about a tried call that its files and its output do not show. */
export interface CardNote {
  readonly about: 'again' | 'before' | 'environment' | 'commits' | 'missed' | 'secret' | 'tasks' | 'hosts'
  readonly text: string
  /** True for what a person should not overlook. */
  readonly warns: boolean
}

/** What a person must know before they read what a call did: why they see it again, and what it built on. */
export function notesBefore({ action_requests: requests }: Interrupt, { effects }: TriedRequest): readonly CardNote[] {
  const { ran_again: again, after } = effects
  const before = after === undefined ? undefined : requests.find(({ callId }) => callId === after)
  return [
    ...(again === undefined ? [] : [{ about: 'again', text: again, warns: true } as const]),
    ...(before
      ? [{ about: 'before', text: `Builds on the call before: ${deedLine(before)}`, warns: false } as const]
      : []),
  ]
}

/** What a call touched beside files and output: the environment, keys that it printed, tasks, hosts it could not reach. */
export function notesAfter({ effects }: TriedRequest): readonly CardNote[] {
  const {
    hosts_refused: hosts,
    ignored_changes: ignored,
    left_behind: left,
    commits,
    missed,
    secrets,
    tasks,
    hidden_secrets: hidden,
  } = effects
  const notes: readonly (CardNote | false)[] = [
    left !== undefined && {
      about: 'environment',
      text: `Left for later commands, in no patch: ${leftText(left)}. Keep keeps ${left.count === 1 ? 'it' : 'them'}.`,
      warns: left.files.some((one) => runsUnnamed(one) || one.kind === 'program'),
    },
    ignored > 0 &&
      left === undefined && {
        about: 'environment',
        text: `It changed ${plural(ignored, 'file that git ignores', 'files that git ignores')}, such as installed packages. Keep keeps them for later commands.`,
        warns: false,
      },
    commits !== undefined && {
      about: 'commits',
      text: `It left ${commitsText(commits)}. Keep keeps them in git of the agent's views. They are in no patch.`,
      warns: false,
    },
    missed !== undefined && {
      about: 'missed',
      text: `Hidden from it, because a rule protects them or they may hold secrets: ${namesOf(missed)}. What it wrote was made without them.`,
      warns: false,
    },
    secrets.length > 0 && {
      about: 'secret',
      text: `${secrets.length === 1 ? 'A part' : `${secrets.length} parts`} of the output ${secrets.length === 1 ? 'looks' : 'look'} like a key or a token. Keep shows it to the model.`,
      warns: true,
    },
    hidden === true && {
      about: 'secret',
      text: 'The part of the output that is not shown here holds what looks like a key or a token. Keep shows it to the model.',
      warns: true,
    },
    tasks !== undefined && {
      about: 'tasks',
      text: `It declared ${plural(tasks, 'task', 'tasks')} for subagents. Keep starts them.`,
      warns: false,
    },
    hosts.length > 0 && {
      about: 'hosts',
      text: [`It could not reach ${hosts.map(shownName).join(', ')}`, ...reachWarnings(hosts)].join('. '),
      warns: true,
    },
  ]
  return notes.filter((note) => note !== false)
}

const mostLeftNamed = 20

const kindWords: Readonly<Record<LeftKind, string>> = {
  ...{ hook: 'hooks', start_file: 'start files', setting: 'settings', program: 'programs', file: 'files' },
}

/** `hooks /.git/hooks/x; files /dist/a, /dist/b and 20 more files` */
function leftText({ files, count }: LeftBehind): string {
  const named = files.slice(0, mostLeftNamed)
  const groups = leftKinds.flatMap((kind) => {
    const names = named.filter((one) => one.kind === kind)
    const shown = names.map(({ path, gone }) => `${shownName(path)}${gone ? ' (removed)' : ''}`)
    return names.length === 0 ? [] : [`${kindWords[kind]} ${shown.join(', ')}`]
  })
  const more = count - named.length
  return `${groups.join('; ')}${more > 0 ? ` and ${plural(more, 'more file', 'more files')}` : ''}`
}

const mostNamed = 10

function namesOf(paths: readonly string[]): string {
  const more = paths.length - mostNamed
  return `${paths.slice(0, mostNamed).map(shownName).join(', ')}${more > 0 ? ` and ${plural(more, 'more file', 'more files')}` : ''}`
}

/** Stands before the arguments that the agent had sent, on the card of a call that a hook changed. */
export function changedByText(by: string): string {
  return `Changed by ${by}. The agent had sent:`
}
