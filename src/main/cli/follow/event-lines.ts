import { createPortLines, processLine } from '#host/headless/process-line.ts'
import type { JsonObject } from '#shared/base/json.ts'
import { isShown, noteText } from '#shared/model/calls/hooks.ts'
import type { ActionRequest, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { EntryOf } from '#shared/model/entry.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { type AssistantMessage, textOf, toolCallsOf } from '#shared/model/message.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import type { Todo } from '#shared/model/todos/todo.ts'
import { oneLine, printableJson, shownName } from '#shared/text/control-characters.ts'
import { formatDuration } from '#shared/text/format.ts'
import { findOddCharacters } from '#shared/text/odd-characters.ts'
import { plural } from '#shared/text/plural.ts'
import { wasTried } from '#shared/tools/card.ts'
import { endText } from '../decide/card.ts'
import { lineOf } from '../screen/spans.ts'
import { callLines, isToldElsewhere, rawLines } from './call-lines.ts'
import { noteOf, problemOf, type ShownLine } from './shown-line.ts'
import { todoLines } from './todo-lines.ts'

export type LineCounts = { readonly added: number | null; readonly removed: number | null }

export interface EventLinesOptions {
  /** The project with everything that the event did. */
  readonly state: () => Pick<ProjectState, 'threads'>
  readonly isVerbose: boolean
  readonly hasMarks: boolean
  /** Counts the lines that an entry changed. */
  readonly countLines?: (entry: EntryOf<'tree.changed'>) => Promise<LineCounts | null>
  /** Which texts are shown: all, or those before more work. The main agent's last one is the answer, which comes last. */
  readonly texts: 'all' | 'before_work'
  /** Whether a waiting call is named, because nothing here answers it. */
  readonly namesWaiting: (interrupt: Interrupt, request: ActionRequest) => boolean
}

/** What a person reads of each event, as lines of agents. Call it for each event in order. */
export function createEventLines(options: EventLinesOptions): (event: CoppiceEvent) => Promise<readonly ShownLine[]> {
  const { state, isVerbose, hasMarks } = options
  const inputs = new Map<ToolCallId, JsonObject>()
  const counts = new Map<ToolCallId, Promise<LineCounts | null>>()
  const todos = new Map<ThreadId, readonly Todo[]>()
  const portLine = createPortLines()
  const names = createNames(state)

  async function finishedLines(event: EntryOf<'tool.finished'>): Promise<readonly ShownLine[]> {
    const { callId, name, result, durationMs, threadId } = event
    const agent = names.agent(threadId)
    const input = inputs.get(callId) ?? state().threads.get(threadId)?.calls.get(callId)?.input ?? {}
    const counted = (await counts.get(callId)) ?? null
    inputs.delete(callId)
    counts.delete(callId)
    const raw = isVerbose ? rawLines(agent, `result after ${formatDuration(durationMs)}:`, textOf(result.content)) : []
    if (result.outcome === 'ok' && isToldElsewhere(name)) return raw
    const nameOf = (handle: string): string => names.ofHandle(handle)
    return [...callLines({ agent, name, input, result, durationMs, counts: counted, nameOf }), ...raw]
  }

  return async (event) => {
    const agent = names.agent(event.threadId)
    const listening = portLine(event)
    switch (event.type) {
      case 'message':
        return event.message.role === 'assistant'
          ? textLines(agent, event.message, options.texts === 'all' || names.isSubagent(event.threadId))
          : options.texts === 'all' && event.message.origin === 'person'
            ? linesOfText('you', textOf(event.message.content))
            : []
      case 'tool.started':
        inputs.set(event.callId, event.input)
        return isVerbose ? rawLines(agent, event.name, event.input) : []
      case 'tree.changed':
        if (event.callId !== null && options.countLines) counts.set(event.callId, options.countLines(event))
        return []
      case 'tool.finished':
        return finishedLines(event)
      case 'todos.written': {
        const before = todos.get(event.threadId) ?? []
        todos.set(event.threadId, event.todos)
        return todoLines(agent, before, event.todos, hasMarks)
      }
      case 'interrupt.raised':
        return event.interrupt.action_requests
          .filter((request) => options.namesWaiting(event.interrupt, request))
          .flatMap((request) => waitingLines(event.interrupt.agent, request))
      case 'branch.forked':
        if (event.handle !== null) names.remember(event.handle, event.name)
        return event.parentId === null ? [] : [noteOf(agent, `started ${event.name} (${event.handle})`)]
      case 'process.started':
      case 'process.ended':
        return [noteOf(agent, processLine(event))]
      case 'process.changed':
        return listening === null ? [] : [noteOf(agent, listening)]
      default:
        return event.type === 'run.ended' && event.status === 'done' && !names.isSubagent(event.threadId)
          ? []
          : runLines(agent, event)
    }
  }
}

/** Lines about the run itself. */
function runLines(agent: string, event: CoppiceEvent): readonly ShownLine[] {
  switch (event.type) {
    case 'model.retrying':
      return [noteOf(agent, `${event.reason} Trying again in ${Math.ceil(event.delayMs / 1000)} s.`, 'warn')]
    case 'model.fell_back':
      return [noteOf(agent, `${event.reason} ${event.to} answers until this run ends.`, 'warn')]
    case 'message.dropped':
      return [noteOf(agent, 'The reply broke off and is asked for again.', 'warn')]
    case 'stages.asked':
      return event.notes
        .filter(isShown)
        .map((note) => noteOf(agent, oneLine(noteText(note)), note.problem ? 'warn' : undefined))
    case 'compacted':
      return [noteOf(agent, `Summarised ${plural(event.messages, 'message', 'messages')}.`)]
    case 'setup.changed':
      return setupLines(event.setup)
    case 'run.unstored':
      return [problemOf(agent, `stopped: ${event.message}`)]
    case 'run.ended':
      return endLines(agent, event)
    default:
      return []
  }
}

function endLines(agent: string, { status, reason, message }: EntryOf<'run.ended'>): readonly ShownLine[] {
  if (status === 'failed') return [problemOf(agent, `failed: ${message}`)]
  if (reason === 'budget') return [problemOf(agent, `stopped: ${message}`, 'warn')]
  return status === 'done' ? [noteOf(agent, 'done')] : []
}

/** Of a setup that runs, only the start and the end get a line. */
function setupLines(setup: Extract<CoppiceEvent, { type: 'setup.changed' }>['setup']): readonly ShownLine[] {
  switch (setup.kind) {
    case 'running':
      return setup.lines.length > 0 ? [] : [noteOf(null, `setting up: ${setup.command}`)]
    case 'ready': {
      const { durationMs, bytes, dropped, droppedCount } = setup
      const left =
        droppedCount === 0
          ? ''
          : `; changes of ${droppedCount} files that no .gitignore names were dropped: ${dropped.map(shownName).join(', ')}`
      return [noteOf(null, `set up in ${(durationMs / 1000).toFixed(1)} s, ${Math.ceil(bytes / 1e6)} MB${left}`)]
    }
    case 'failed':
      return [
        problemOf(null, `setup failed, so commands run without it: ${setup.reason}`),
        ...setup.lines.map((line) => noteOf(null, `  ${line}`)),
      ]
    default:
      return []
  }
}

function textLines(agent: string, message: AssistantMessage, isAnswerShown: boolean): readonly ShownLine[] {
  return isAnswerShown || toolCallsOf(message).length > 0 ? linesOfText(agent, textOf(message.content)) : []
}

function linesOfText(agent: string, text: string): readonly ShownLine[] {
  const lines = text.trim() === '' ? [] : text.trim().split('\n')
  return lines.map((line) => ({ agent, line: lineOf(line), kind: 'text' }))
}

/** A call that waits for somebody, whole: nobody may approve what they cannot see. */
function waitingLines(agent: string, request: ActionRequest): readonly ShownLine[] {
  const { callId, name, args, changed, changedBefore = [], scripts = [], environment } = request
  const texts = Object.values(args).filter((value) => typeof value === 'string')
  const odd = [...new Set(texts.flatMap((text) => findOddCharacters(text).map(({ reason }) => reason)))]
  const listed = (title: string, names: readonly string[]): readonly ShownLine[] =>
    names.length === 0 ? [] : [problemOf(agent, `  ${title}: ${names.join(', ')}`, 'warn')]
  return [
    problemOf(agent, `Needs a decision: ${name} ${JSON.stringify(args)} by ${agent} [callId ${callId}]`, 'warn'),
    ...(wasTried(request) ? [noteOf(agent, `  It was tried and is not kept yet: ${endText(request)}`)] : []),
    ...(changed ? listed(`changed by ${oneLine(changed.by)}; the agent had sent`, [printableJson(changed.given)]) : []),
    ...listed('not what it looks like', odd.slice(0, 10)),
    ...listed('the same reply changes before it', changedBefore.map(shownName)),
    ...listed('it uses changed files', scripts.map(shownName)),
    ...(environment === undefined ? [] : [noteOf(agent, `  Environment: ${environment}`)]),
  ]
}

function createNames(state: EventLinesOptions['state']) {
  const byHandle = new Map<string, string>()
  return {
    agent: (threadId: ThreadId): string => state().threads.get(threadId)?.agent ?? 'main',
    isSubagent: (threadId: ThreadId): boolean => (state().threads.get(threadId)?.parent ?? null) !== null,
    ofHandle: (handle: string): string => byHandle.get(handle) ?? handle,
    remember: (handle: string, name: string): void => void byHandle.set(handle, name),
  }
}
