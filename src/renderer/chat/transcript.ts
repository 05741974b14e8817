import { type Call, derivedCallsOf, isAsking } from '#shared/model/calls/call.ts'
import type { StageNotes } from '#shared/model/calls/hooks.ts'
import type { Interrupt } from '#shared/model/calls/interrupt.ts'
import type { MessageId, Sequence } from '#shared/model/ids.ts'
import { type AssistantMessage, textOf, toolCallsOf, type UserMessage } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import type { Compaction, ModelFallback, RewindNote, ThreadState } from '#shared/model/thread.ts'
import type { Streaming } from '../state/store/live.ts'
import type { RunEnd } from '../state/store/timeline.ts'

/** One article of the conversation. */
export type TranscriptItem =
  | { readonly kind: 'user'; readonly key: string; readonly message: UserMessage; readonly at: number | undefined }
  | {
      readonly kind: 'text'
      readonly key: string
      readonly text: string
      readonly at: number | undefined
      /** True if the agent was the last to speak, so its name is not repeated. */
      readonly continues: boolean
      /** The message of a structured answer; null for other texts. */
      readonly answer: MessageId | null
      /** The model that said it, when it is not the thread's; null otherwise. */
      readonly model: string | null
    }
  /** Another model took over, because the thread's could not answer. */
  | { readonly kind: 'fallback'; readonly key: string; readonly fallback: ModelFallback }
  /** Hooks or programs of the person said something. */
  | { readonly kind: 'stages'; readonly key: string; readonly said: StageNotes }
  /** The summary the agent sees in place of the earlier messages. */
  | { readonly kind: 'compacted'; readonly key: string; readonly compaction: Compaction }
  | { readonly kind: 'thinking'; readonly key: string; readonly text: string }
  | { readonly kind: 'calls'; readonly key: string; readonly calls: readonly Call[] }
  | { readonly kind: 'approvals'; readonly key: string; readonly interrupt: Interrupt }
  | { readonly kind: 'rewind'; readonly key: string; readonly note: RewindNote; readonly last: boolean }
  | { readonly kind: 'end'; readonly key: string; readonly end: RunEnd; readonly last: boolean }
  /** The run paused after a step. `step` counts the steps since the run began. */
  | {
      readonly kind: 'step'
      readonly key: string
      readonly end: RunEnd
      readonly last: boolean
      readonly step: number
      readonly calls: readonly Call[]
    }

/**
 * The conversation as articles. Consecutive calls of one tool become one article, also across messages without text.
 * Calls that wait for a person become the interrupt that asks.
 */
export function buildTranscript(
  thread: ThreadState,
  ends: readonly RunEnd[],
  times: ReadonlyMap<MessageId, number>,
): readonly TranscriptItem[] {
  const known = built.get(thread)
  if (known?.ends === ends) return known.items
  const items = buildItems(thread, ends, times)
  built.set(thread, { ends, items })
  return items
}

/** Caches the articles of a thread that did not change. `times` needs no check: a message never changes its time. */
const built = new WeakMap<
  ThreadState,
  { readonly ends: readonly RunEnd[]; readonly items: readonly TranscriptItem[] }
>()

function buildItems(
  thread: ThreadState,
  ends: readonly RunEnd[],
  times: ReadonlyMap<MessageId, number>,
): readonly TranscriptItem[] {
  const items: TranscriptItem[] = []
  const breaks = breaksOf(thread, ends)
  addBreaks(items, thread, breaks, null, 0)
  let structured = false
  thread.messages.forEach((message, index) => {
    const { compaction } = thread
    const at = times.get(message.messageId)
    if (compaction?.keptFrom === message.messageId) items.push({ kind: 'compacted', key: 'compacted', compaction })
    if (message.role === 'user') {
      items.push({ kind: 'user', key: message.messageId, message, at })
      if (message.origin === 'person') structured = readMessageNotes(textOf(message.content)).answerSchema !== null
    } else addReply(items, thread, message, { at, structured })
    addBreaks(items, thread, breaks, message.messageId, index + 1)
  })
  return items
}

/**
 * What to show between messages, by place. Prepared once, because in a long conversation every second message ends a
 * run.
 */
interface Breaks {
  readonly ends: ReadonlyMap<MessageId | null, readonly RunEnd[]>
  readonly lastEnd: RunEnd | undefined
  /** The number of each pause after a step. */
  readonly steps: ReadonlyMap<RunEnd, number>
  readonly notes: ReadonlyMap<number, readonly RewindNote[]>
  readonly fallbacks: ReadonlyMap<number, readonly ModelFallback[]>
  readonly stages: ReadonlyMap<number, readonly StageNotes[]>
}

function breaksOf(thread: ThreadState, ends: readonly RunEnd[]): Breaks {
  const shown = ends.filter((end) => end.reason !== 'interrupt' && !isRewound(thread, end.sequence))
  return {
    ends: Map.groupBy(shown, ({ after }) => after),
    lastEnd: shown.at(-1),
    steps: stepsOf(shown),
    notes: Map.groupBy(thread.rewinds, ({ after }) => after),
    fallbacks: Map.groupBy(thread.fallbacks ?? [], ({ after }) => after),
    stages: Map.groupBy(thread.stages?.shown ?? [], ({ after }) => after),
  }
}

/** Numbers the pauses after steps. The count starts again after a run that ended otherwise. */
function stepsOf(ends: readonly RunEnd[]): ReadonlyMap<RunEnd, number> {
  const steps = new Map<RunEnd, number>()
  let count = 0
  for (const end of ends) {
    count = end.reason === 'step' ? count + 1 : 0
    if (count > 0) steps.set(end, count)
  }
  return steps
}

/** The calls of the last reply before a place in the conversation. */
function callsBefore({ messages, calls }: ThreadState, index: number): readonly Call[] {
  const reply = messages.slice(0, index).findLast((message) => message.role === 'assistant')
  return reply ? toolCallsOf(reply).flatMap(({ callId }) => calls.get(callId) ?? []) : []
}

/** Whether a rewind of the conversation removed the entry. */
function isRewound({ rewinds }: ThreadState, sequence: Sequence): boolean {
  return rewinds.some((note) => note.conversation && note.to < sequence && sequence < note.sequence)
}

function addReply(
  items: TranscriptItem[],
  thread: ThreadState,
  message: AssistantMessage,
  { at, structured }: { readonly at: number | undefined; readonly structured: boolean },
): void {
  const answer = structured && toolCallsOf(message).length === 0 ? message.messageId : null
  const model = message.model !== undefined && message.model !== thread.model ? message.model : null
  message.content.forEach((part, index) => {
    const key = partKey(message.messageId, index)
    if (part.type === 'text' && part.text.trim() !== '') {
      items.push({ kind: 'text', key, text: part.text, at, continues: hasSpoken(items), answer, model })
    }
    if (part.type === 'thinking' && part.text.trim() !== '') items.push({ kind: 'thinking', key, text: part.text })
    const call = part.type === 'tool_call' ? thread.calls.get(part.callId) : undefined
    if (!call) return
    addCall(items, thread, call, key)
    derivedCallsOf(call).forEach((callId, place) => {
      const derived = thread.calls.get(callId)
      if (derived) addCall(items, thread, derived, `${key}-derived${place === 0 ? '' : place}`)
    })
  })
}

/** The key of the article for one part of a message. */
function partKey(messageId: MessageId, place: number): string {
  return `${messageId}-${place}`
}

const speakers: ReadonlySet<TranscriptItem['kind']> = new Set(['text', 'user', 'end', 'fallback', 'stages'])

/** Whether the agent was the last to speak, and by the same model. */
export function hasSpoken(items: readonly TranscriptItem[]): boolean {
  return items.findLast(({ kind }) => speakers.has(kind))?.kind === 'text'
}

function addCall(items: TranscriptItem[], thread: ThreadState, call: Call, key: string): void {
  const interrupt = isAsking(call) ? interruptOf(thread, call) : undefined
  const last = items.at(-1)
  if (interrupt) {
    const shown = items.some((item) => item.kind === 'approvals' && item.interrupt.id === interrupt.id)
    if (!shown) items.push({ kind: 'approvals', key: `interrupt-${interrupt.id}`, interrupt })
  } else if (last?.kind === 'calls' && last.calls[0]?.name === call.name) {
    items[items.length - 1] = { ...last, calls: [...last.calls, call] }
  } else {
    items.push({ kind: 'calls', key, calls: [call] })
  }
}

function interruptOf(thread: ThreadState, call: Call): Interrupt | undefined {
  return thread.interrupts.find((interrupt) =>
    interrupt.action_requests.some((request) => request.callId === call.callId),
  )
}

/**
 * Adds the models that took over, the ends of runs and the rewinds that follow a message. A run that waits for a decision has no end card,
 * because the approval stands for it.
 */
function addBreaks(
  items: TranscriptItem[],
  thread: ThreadState,
  { ends, lastEnd, notes, steps, fallbacks, stages }: Breaks,
  after: MessageId | null,
  index: number,
): void {
  // A model that takes over does so within a run, so no end of that run stands before it.
  for (const [place, fallback] of (fallbacks.get(index) ?? []).entries())
    items.push({ kind: 'fallback', key: `fallback-${index}-${place}`, fallback })
  for (const [place, said] of (stages.get(index) ?? []).entries())
    items.push({ kind: 'stages', key: `stages-${index}-${place}`, said })
  const [endsHere = [], notesHere = []] = [ends.get(after), notes.get(index)]
  if (endsHere.length + notesHere.length === 0) return
  const atEnd = index === thread.messages.length
  const breaks = [
    ...endsHere.map((end) => {
      const last = atEnd && end === lastEnd && end.at === thread.end?.at
      const key = `end-${end.sequence}`
      const step = steps.get(end)
      const item: TranscriptItem =
        step === undefined
          ? { kind: 'end', key, end, last }
          : { kind: 'step', key, end, last, step, calls: callsBefore(thread, index) }
      return { sequence: end.sequence, item }
    }),
    ...notesHere.map((note) => {
      const last = note === thread.rewinds.at(-1)
      return { sequence: note.sequence, item: { kind: 'rewind', key: `rewind-${note.sequence}`, note, last } as const }
    }),
  ]
  items.push(...breaks.sort((a, b) => a.sequence - b.sequence).map(({ item }) => item))
}

/** The text that an agent is writing, or its thinking before that. */
export type StreamingItem =
  | {
      readonly kind: 'writing'
      readonly key: string
      readonly text: string
      readonly at: undefined
      readonly continues: boolean
    }
  | { readonly kind: 'pondering'; readonly key: string; readonly thinking: string; readonly continues: boolean }

/** Uses the key that the text will have in the conversation, so that its article stays when the message is complete. */
export function streamingItem({ messageId, text, thinking }: Streaming, continues: boolean): StreamingItem {
  if (text.trim() === '') return { kind: 'pondering', key: `${messageId}-pondering`, thinking, continues }
  const place = thinking === '' ? 0 : 1
  return { kind: 'writing', key: partKey(messageId, place), text, at: undefined, continues }
}
