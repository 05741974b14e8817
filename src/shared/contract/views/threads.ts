import type { Snippet } from '../../model/derived/searched-text.ts'
import type { MessageId, Sequence, ThreadId } from '../../model/ids.ts'

/** Tokens are estimated as a quarter of the characters. */
export interface ContextPart {
  /** `messages` are texts and calls, `results` the results of calls. */
  readonly part: 'guidance' | 'instructions' | 'skills' | 'memory' | 'user_memory' | 'tools' | 'messages' | 'results'
  readonly tokens: number
}

/** Whether an answer fits the schema of its thread. Both fields are null when the thread has none. */
export interface AnswerCheck {
  /** The JSON in the answer; null when it does not fit. */
  readonly json: string | null
  /** Why it does not fit; null when it does. */
  readonly problem: string | null
}

/** A thread as a record, which can be replayed without its models. */
export interface RecordExport {
  /** A name for its file. */
  readonly name: string
  readonly text: string
  /** Lines in which texts that look like secrets were replaced, so that a replay may make other trees. */
  readonly replaced: number
}

/** A conversation as a page that is a single file. */
export interface PageExport {
  /** A name for its file. */
  readonly name: string
  /** HTML. */
  readonly text: string
}

/** How a file is given to an agent. */
export interface InputCheck {
  readonly kind: 'json' | 'csv' | 'text' | 'pdf'
  /** Kind and size in a few words: `3 columns, 120 rows`. */
  readonly about: string
}

/** The next request to the model of a thread. */
export interface ContextView {
  /** A part without content may be absent. */
  readonly parts: readonly ContextPart[]
  /** Tokens that the provider counted for the last request and its reply; null before the first one. */
  readonly counted: number | null
  /** Tokens that the model can take in. */
  readonly contextWindow: number
  /** What of it the model will not get, each as a sentence for a person. */
  readonly leftOut: readonly string[]
  /** The request as indented JSON, without images; very long texts are cut. */
  readonly request: string
}

/**
 * A memory that was written. `undo` has the arguments for `memory.restore`, or `userMemory.restore`; null when somebody
 * else wrote it too.
 */
export interface RememberedSince {
  /** Path of the memory below its place. */
  readonly name: string
  /** Present for a memory of all projects. */
  readonly user?: true
  /** `to` is null when the memory did not exist before; `latest` is the version it has now. */
  readonly undo: { readonly to: Sequence | null; readonly latest: Sequence } | null
}

/** The plan of a transfer from a folder to the memory, or back. */
export interface MemoryTransfer {
  /** Sorted by name. */
  readonly files: readonly TransferRow[]
  /** Fingerprint of this plan and of all contents. The transfer is refused when it no longer fits. */
  readonly fingerprint: string
}

export interface TransferRow {
  /** Path of the memory below its place. */
  readonly name: string
  /** `changed`: a different text with that name exists and would be replaced. */
  readonly state: 'new' | 'changed' | 'same' | 'refused'
  /** A sentence for a person; null unless it is `refused`. */
  readonly why: string | null
}

export interface MessageSearch {
  /** Latest first. */
  readonly hits: readonly MessageHit[]
  /** True when the search stopped before the last hit. */
  readonly more: boolean
}

export interface MessageHit {
  /** The entry that stores the message. */
  readonly sequence: Sequence
  /** A root thread or a subagent's. */
  readonly threadId: ThreadId
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly messageId: MessageId
  readonly role: 'user' | 'assistant'
  /** One line around the first match. */
  readonly snippet: Snippet
}

export type TerminalEvent =
  | { readonly type: 'output'; readonly text: string }
  /** Always the last event. `changed` are the paths changed in the mount of a branch, to be kept or dropped. */
  | { readonly type: 'ended'; readonly changed: readonly string[] }
