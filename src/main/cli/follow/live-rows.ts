import type { Call } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { noUsage, tokensOf } from '#shared/model/models/usage.ts'
import { familyOf, type ProjectState } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { formatCount, formatElapsed, formatMoney, formatPercent } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { describeCall } from '#shared/tools/tool-labels.ts'
import type { Line } from '../screen/spans.ts'
import type { Layout } from './lay-out.ts'

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const plainSpinner = ['|', '/', '-', '\\'] as const

export interface LiveRowsOptions {
  readonly state: ProjectState
  readonly root: ThreadId
  readonly now: number
  /** How many times the rows were drawn before. */
  readonly frame: number
  readonly hasMarks: boolean
  /** Rows for agents at most. */
  readonly most: number
  /** Tokens that fit the model of the main agent; null when that is not known. */
  readonly contextWindow: number | null
  readonly layout: Layout
}

/** A row for each agent that works, with what it does and for how long, and a row about the whole run. */
export function liveRows({
  state,
  root,
  now,
  frame,
  hasMarks,
  most,
  contextWindow,
  layout,
}: LiveRowsOptions): readonly Line[] {
  const family = familyOf(state, root)
  const busy = family.filter(({ status }) => status === 'working' || status === 'needs_you')
  const marks = hasMarks ? spinner : plainSpinner
  const mark = marks[frame % marks.length] ?? ''
  const shown = busy.slice(0, Math.max(1, most))
  const left = busy.length - shown.length
  return [
    ...shown.map((thread): Line => [...layout.nameColumn(thread.agent), ...agentRow(thread, family, { now, mark })]),
    ...(left > 0
      ? [
          [
            ...layout.nameColumn(null),
            { text: `and ${plural(left, 'more agent', 'more agents')}`, tone: 'dim' as const },
          ],
        ]
      : []),
    [...layout.nameColumn(null), { text: statusText(state, root, { now, contextWindow }), tone: 'dim' }],
  ]
}

function agentRow(
  thread: ThreadState,
  family: readonly ThreadState[],
  { now, mark }: { readonly now: number; readonly mark: string },
): Line {
  if (thread.status === 'needs_you') return [{ text: '? waits for you', tone: 'warn' }]
  const calls = [...thread.calls.values()].filter(({ state }) => state.kind === 'running')
  const call = calls.at(-1)
  const since = call?.startedAt ?? thread.runStartedAt ?? now
  const elapsed = formatElapsed(Math.max(0, now - since))
  const working = family.filter(({ parent, status }) => parent?.threadId === thread.id && status === 'working').length
  return [
    { text: `${mark} `, tone: 'accent' },
    { text: call ? activityOf(call, working) : 'Thinking' },
    { text: ` · ${elapsed}`, tone: 'dim' },
  ]
}

function activityOf({ name, input }: Call, working: number): string {
  if (findToolFacts(name).effect === 'agents' && working > 0) return `Waits for ${plural(working, 'agent', 'agents')}`
  const { verb, object } = describeCall(name, input)
  return `${inPresent(verb)} ${object}`.trim()
}

/** The verbs of calls that end otherwise than with `ed`. */
const presents: Readonly<Record<string, string>> = {
  ...{ Read: 'Reading', Wrote: 'Writing', Ran: 'Running', Set: 'Setting', Planned: 'Planning', Stopped: 'Stopping' },
  ...{ Moved: 'Moving', Merged: 'Merging', Deleted: 'Deleting', Typed: 'Typing', Used: 'Using', Added: 'Adding' },
}

/** `Ran JavaScript` as `Running JavaScript`, because the call has not ended. */
function inPresent(verb: string): string {
  const [first = '', ...rest] = verb.split(' ')
  return [presents[first] ?? first.replace(/ed$/, 'ing'), ...rest].join(' ')
}

function statusText(
  state: ProjectState,
  root: ThreadId,
  { now, contextWindow }: { readonly now: number; readonly contextWindow: number | null },
): string {
  const thread = state.threads.get(root)
  const usage = state.spending.get(root)?.run ?? noUsage
  const tokens = thread?.contextTokens ?? 0
  return [
    formatElapsed(Math.max(0, now - (thread?.runStartedAt ?? now))),
    ...(usage.cost === null ? [] : [formatMoney(usage.cost)]),
    `${formatCount(tokensOf(usage))} tokens`,
    ...(contextWindow === null || tokens === 0 ? [] : [`context ${formatPercent(tokens / contextWindow)}`]),
    'Ctrl+C stops',
  ].join(' · ')
}
