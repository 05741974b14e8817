import { type ZodType, z } from 'zod'
import {
  blobHash,
  branchId,
  decision,
  drifts,
  handle,
  interrupt,
  interruptId,
  jsonObject,
  list,
  mergeBases,
  mergeResult,
  message,
  messageId,
  nodeSteps,
  origin,
  parentLink,
  patch,
  path,
  threadId,
  toolCallId,
  toolResult,
  usage,
  userParts,
} from './entry-parts.ts'
import type { BlobHash, BranchId, MessageId, Sequence, ThreadId } from './ids.ts'
import type { Patch } from './patch.ts'
import { approvalModes, type QueuedMessage } from './thread.ts'
import { type Todo, todoStatuses } from './todo.ts'
import type { VirtualPath } from './virtual-path.ts'

/**
 * What can be written to the journal, declared once: the types are those of these schemas. Append-only: an entry says what
 * happened and is never changed. Every state the app shows or resumes from is a fold of these (`fold/` for threads and
 * branches, `core/branches` for trees).
 */
function entry<Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape })
}

const sequence = z.int().min(0)
const contentHashes: ZodType<readonly (readonly [VirtualPath, BlobHash])[]> = z.array(z.tuple([path, blobHash]))
const diskVersions: ZodType<readonly (readonly [VirtualPath, string])[]> = z.array(z.tuple([path, z.string()]))
const pastes: ZodType<readonly (readonly [MessageId, string])[]> = z.array(z.tuple([messageId, z.string()]))
const todos: ZodType<readonly Todo[]> = z.array(
  z.object({ content: z.string(), status: z.enum(todoStatuses), error: z.string().exactOptional() }),
)

/** What one entry changes on one branch. */
export interface BranchPatch {
  readonly branchId: BranchId
  readonly patch: Patch
}
const queuedMessage: ZodType<QueuedMessage> = z.object({
  messageId,
  origin,
  content: userParts,
  delivery: z.enum(['queue', 'steer']),
})

const branchPatches: ZodType<readonly BranchPatch[]> = z.array(z.object({ branchId, patch }))

const by = z.enum(['agent', 'person'])
const approvalMode = z.enum(approvalModes)
const paths = list(z.string())

const threadEntries = [
  entry('thread.created', {
    agent: z.string(),
    agentType: z.string(),
    title: z.string(),
    branchId,
    parent: parentLink,
    depth: z.int().min(0),
    model: z.string(),
    approvalMode,
    contextScope: z.enum(['strict', 'scoped', 'off']),
  }),
  /** What the agent is told and offered, as a frozen prompt. The first is its prompt for life; of a later one it was told in a message. */
  entry('thread.prepared', { prompt: blobHash }),
  /** The thread begins with the conversation of another one, as it was at a checkpoint of it. */
  entry('thread.copied', { from: threadId, to: sequence }),
  entry('thread.titled', { title: z.string() }),
  entry('thread.configured', {
    model: z.string(),
    approvalMode,
    /** Whether the agents of the thread know the project's memory; absent: as before. */
    memory: z.boolean().optional(),
  }),
  entry('thread.pinned', { pinned: z.boolean() }),
  entry('thread.archived', { archived: z.boolean() }),
  /** Out of every list, and restorable for seven days; its entries stay. */
  entry('thread.deleted', {}),
  entry('thread.restored', {}),
  entry('run.started', {
    /** US dollars that this run and its subagents may cost; null without a limit. */
    costLimit: z.number().nullable().optional(),
  }),
  entry('run.ended', {
    status: z.enum(['done', 'failed', 'interrupted', 'stopped']),
    reason: z.enum([
      'completed',
      'budget',
      'user',
      'interrupt',
      'step',
      'restart',
      'storage',
      'model_error',
      'refusal',
      'max_tokens',
      'context_window_exceeded',
      'invalid_answer',
      'internal_error',
    ]),
    message: z.string(),
  }),
  entry('message', { message }),
  entry('message.queued', { queued: queuedMessage }),
  entry('tool.started', {
    callId: toolCallId,
    name: z.string(),
    input: jsonObject,
    /** It may have effects that no transaction holds, so a start without a result is asked about after a crash. */
    outside: z.literal(true).exactOptional(),
  }),
  entry('tool.finished', {
    callId: toolCallId,
    name: z.string(),
    result: toolResult,
    durationMs: z.number(),
    /** What the thread now knows of files the call read or wrote. */
    reads: contentHashes,
    /** The versions on disk, by name, that stood beside changed files when it read them. */
    besides: diskVersions.exactOptional(),
  }),
  /** A call the loop makes by itself, stored with the result of the call whose declarations it carries out. */
  entry('call.derived', { callId: toolCallId, from: toolCallId, name: z.string(), input: jsonObject }),
  /** The tasks are the input of the call; the result files go to `folder`, a virtual path that ends with a slash. */
  entry('batch.started', { callId: toolCallId, folder: z.string(), concurrency: z.int() }),
  /** A person has the tasks of a finished batch that did not end well run again. */
  entry('batch.retried', { callId: toolCallId }),
  /** The message stored with this told the agent which files moved on disk under it. */
  entry('drift.told', { files: drifts }),
  /** The message stored with this told the agent the instructions of folders it works in. */
  entry('instructions.told', { files: paths }),
  entry('todos.written', {
    todos,
    by: z.enum(['agent', 'person', 'loop']),
  }),
  entry('interrupt.raised', { interrupt }),
  entry('interrupt.decided', { interruptId, decision }),
  /** Of a reply, or of the summary that a compaction asked for. */
  entry('usage', { usage, model: z.string(), for: z.literal('summary').optional() }),
  entry('compaction.requested', {}),
  /** Nothing was there to summarise, or the model gave no summary. */
  entry('compaction.settled', {}),
  entry('compacted', {
    summary: z.string(),
    keptFrom: messageId,
    file: z.string(),
    pastes,
    messages: z.int(),
  }),
  entry('checkpoint', { step: z.int().min(0), treeHash: z.string() }),
] as const

/** Below `/memories/` without that prefix: `notes/style.md`. The agent is null for a person. */
const rememberer = { agent: z.string().nullable(), callId: toolCallId.nullable() }
const memoryEntries = [
  entry('memory.written', {
    name: z.string(),
    text: z.string(),
    ...rememberer,
    /** The version it is equal to, when it brings one back. */
    restores: sequence.nullable(),
  }),
  entry('memory.deleted', { name: z.string(), ...rememberer }),
  /** A call of an agent read these. */
  entry('memory.recalled', { names: paths }),
] as const

/** Entries that change a branch's tree; `patch` is over the tree of its branch as it was just before. `undoes` names the entry that is taken back; journals of older versions lack it. */
const treeEntries = [
  entry('branch.forked', {
    branchId,
    parentId: branchId.nullable(),
    ownerThreadId: threadId,
    handle: handle.nullable(),
    name: z.string(),
  }),
  entry('tree.changed', { branchId, patch, callId: toolCallId.nullable(), undoes: sequence.exactOptional() }),
  entry('branch.merged', {
    branchId,
    into: branchId,
    patch,
    bases: mergeBases,
    result: mergeResult,
    forced: z.boolean(),
    by,
  }),
  entry('branch.discarded', { branchId, patch, whole: z.boolean(), by }),
  entry('branch.restored', { branchId, patch, undoes: sequence.exactOptional() }),
  entry('merge.undone', { branchId, into: branchId, of: sequence, undoes: sequence.exactOptional(), patch }),
  entry('rewound', {
    to: sequence,
    /** What happens to each branch of the family, over its tree; those forked after `to` are dropped. Null: files stay. */
    files: branchPatches.nullable(),
    conversation: z.boolean(),
    undoes: sequence.nullable(),
  }),
  entry('apply.started', {
    branchId,
    paths,
    /** What is to be done on disk, so that a crash on the way can be settled; journals of older versions lack it. */
    steps: nodeSteps.exactOptional(),
    undoes: sequence.exactOptional(),
  }),
  /** One that was started and did not happen: the folder is as it was before, but for `left`, which others changed. */
  entry('apply.failed', { branchId, of: sequence, left: paths }),
  /** Applied paths leave the overlay. */
  entry('apply.finished', { branchId, paths, patch }),
  entry('apply.undone', { branchId, of: sequence, undoes: sequence.exactOptional(), patch }),
] as const

export type MemoryEntryBody = Readonly<z.infer<(typeof memoryEntries)[number]>>
export type TreeEntryBody = Readonly<z.infer<(typeof treeEntries)[number]>>
export type EntryBody = Readonly<z.infer<(typeof threadEntries)[number]>> | MemoryEntryBody | TreeEntryBody

interface EntryHead {
  readonly sequence: Sequence
  readonly threadId: ThreadId
  /** Milliseconds since the Unix epoch. */
  readonly at: number
}

export type Entry = EntryBody & EntryHead
export type EntryDraft = EntryBody & { readonly threadId: ThreadId }
export type EntryType = EntryBody['type']
export type EntryOf<Type extends EntryType> = Extract<Entry, { type: Type }>

/** An entry of the calling thread, unless it names another thread. */
export type EntryFromTool = EntryBody & { readonly threadId?: ThreadId }

/** What every entry carries. */
export const entryHead = { sequence, threadId, at: z.number() }

const bodies = [...threadEntries, ...memoryEntries, ...treeEntries] as const

/** An entry as it is read from a store, by its type. */
export const entrySchema = z.discriminatedUnion(
  'type',
  bodies.map((body) => body.extend(entryHead)) as unknown as typeof bodies,
) as unknown as z.ZodDiscriminatedUnion & ZodType<Entry, unknown>
