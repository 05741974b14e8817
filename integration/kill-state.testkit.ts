import { type Call, resultOf } from '#shared/model/calls/call.ts'
import { batchRows } from '#shared/model/derived/batch.ts'
import { fold } from '#shared/model/fold/project.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { toEntry } from '../src/main/adapters/sqlite/rows/entry-rows.ts'
import { filesIn, type Load, type StoredLine, storedJournal } from './kill-world.testkit.ts'

export function stateOf(lines: readonly StoredLine[]): ProjectState {
  return lines.map(toEntry).reduce(fold, emptyProject)
}

/** The remains of a load on disk. */
export interface Remains extends ReturnType<typeof storedJournal> {
  readonly made: Readonly<Record<string, number>>
  readonly files: Readonly<Record<string, string>>
}

export function remainsOf(load: Load): Remains {
  return { ...storedJournal(load), made: Object.fromEntries([...load.made].sort()), files: filesIn(load) }
}

/**
 * Everything that a person could see in the end: conversations, results, subagents, branches, the folder, and the
 * payments. Leaves out legitimate differences: ids, times, and the results of calls in `marked`, whose lost words a
 * person replaced.
 */
export function outcomeOf({ lines, integrity, made, files }: Remains, marked: ReadonlySet<string>): object {
  const state = stateOf(lines)
  return {
    integrity,
    made,
    files,
    threads: [...state.threads.values()].map((thread) => conversationOf(state, thread, marked)).sort(byText),
    branches: [...state.branches.values()].map(({ name, handle, status, merges }) => ({
      name,
      handle,
      status,
      merges: merges.map(({ paths, forced, undone }) => ({ paths, forced, undone })),
    })),
    counts: countsOf(lines),
  }
}

const byText = (left: object, right: object) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)

/** Calls that a person marked as done. */
export function markedDone(lines: readonly StoredLine[]): ReadonlySet<string> {
  return new Set(
    lines.flatMap((line) => {
      const entry = toEntry(line)
      return entry.type === 'interrupt.decided' && entry.decision.type === 'mark_done' ? [entry.decision.callId] : []
    }),
  )
}

function conversationOf(state: ProjectState, thread: ThreadState, marked: ReadonlySet<string>): object {
  return {
    title: thread.title,
    status: thread.status,
    interrupts: thread.interrupts,
    queue: thread.queue,
    todos: thread.todos,
    compacted: thread.compaction?.summary,
    messages: thread.messages.map(({ role, content }) => ({ role, content: content.map(withoutIds) })),
    calls: [...thread.calls.values()].map((call) => callOf(state, thread, call, marked)),
  }
}

function callOf(state: ProjectState, thread: ThreadState, call: Call, marked: ReadonlySet<string>): object {
  const {
    name,
    input,
    state: { kind: phase },
    changedPaths,
    batch,
  } = call
  const result = resultOf(call)
  const text = marked.has(call.callId) ? 'marked' : steady(JSON.stringify(result?.content))
  const rows = batch && batchRows(state, thread.id, call.callId).map(({ status, description }) => [description, status])
  return { name, input, phase, outcome: result?.outcome, text, changedPaths, rows }
}

function withoutIds(part: object): object {
  return { ...part, ...('callId' in part && { callId: '' }) }
}

/** Removes times, and names made from times. */
function steady(text = ''): string {
  return text.replace(/\d+\.\d s\./g, '').replace(/batch_results\/[^/"]+/g, 'batch_results')
}

/** Counts steps that must happen once each, however often their process was killed. */
function countsOf(lines: readonly StoredLine[]): Readonly<Record<string, number>> {
  const counted = [
    'memory.written',
    'tree.changed',
    'branch.merged',
    'batch.started',
    'compacted',
    'apply.finished',
    'tool.finished',
  ]
  return Object.fromEntries(counted.map((type) => [type, lines.filter((line) => line.type === type).length]))
}
