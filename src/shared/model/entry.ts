import { type ZodType, z } from 'zod'
import { stageNote } from './calls/hooks.ts'
import { checkOccasions } from './check.ts'
import {
  blobHash,
  branchId,
  checkout,
  checkResult,
  commandUse,
  composition,
  decision,
  delivery,
  drifts,
  goal,
  handle,
  interrupt,
  interruptId,
  jsonObject,
  judgedAttempt,
  layerId,
  list,
  mergeBases,
  mergeResult,
  message,
  messageId,
  nodeSteps,
  notice,
  origin,
  outcome,
  parentLink,
  patch,
  path,
  processId,
  threadId,
  toolCallId,
  toolResult,
  usage,
  userParts,
} from './entry-parts.ts'
import type { BlobHash, BranchId, MessageId, Sequence, ThreadId } from './ids.ts'
import { efforts } from './models/model-facts.ts'
import type { Patch } from './patch.ts'
import { processEnders } from './process.ts'
import { approvalModes, type QueuedMessage } from './thread.ts'
import { type Todo, todoStatuses } from './todos/todo.ts'
import type { VirtualPath } from './virtual-path.ts'

/**
 * Declares everything that can be written to the journal; the types come from these schemas. The journal is
 * append-only: an entry says what happened and never changes. Every state that the app shows or resumes from is a fold
 * of entries (`fold/` for threads and branches, `core/branches` for trees).
 */
function entry<Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape })
}

const sequence = z.int().min(0)
const contentHashes: ZodType<readonly (readonly [VirtualPath, BlobHash])[]> = z.array(z.tuple([path, blobHash]))
const diskVersions: ZodType<readonly (readonly [VirtualPath, string])[]> = z.array(z.tuple([path, z.string()]))
const pastes: ZodType<readonly (readonly [MessageId, string])[]> = z.array(z.tuple([messageId, z.string()]))
const todo: ZodType<Todo> = z.object({
  content: z.string(),
  status: z.enum(todoStatuses),
  error: z.string().exactOptional(),
})

/** The change that one entry makes to one branch. */
export interface BranchPatch {
  readonly branchId: BranchId
  readonly patch: Patch
}
const queuedMessage: ZodType<QueuedMessage> = z.object({
  messageId,
  origin,
  content: userParts,
  notice: notice.exactOptional(),
  command: commandUse.exactOptional(),
  delivery: z.enum(['queue', 'steer']),
})

const branchPatches: ZodType<readonly BranchPatch[]> = z.array(z.object({ branchId, patch }))

/** An end as it is stored. The place of a merge is known without it. */
const queuedMergeEnd = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('merged') }),
  z.object({ kind: z.literal('conflict'), paths: list(path) }),
  z.object({
    kind: z.literal('red'),
    failed: list(z.object({ check: z.string(), sequence })),
    greenAlone: z.boolean(),
  }),
  z.object({ kind: z.literal('cancelled') }),
  z.object({ kind: z.literal('refused'), reason: z.string() }),
])

const by = z.enum(['agent', 'person'])
const approvalMode = z.enum(approvalModes)
const paths = list(z.string())
/** `content` is equal for the same files in `.git`. */
const appliedRepositories = list(z.object({ folder: path, content: z.string() }))

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
    /** The JSON Schema that its answers must fit. */
    answerSchema: jsonObject.exactOptional(),
    /** With the scope `off`: only this part of the parent's conversation. Absent for all of it. */
    inputFilter: z.enum(['last_message', 'no_tools']).optional(),
    /** The commit that the project's folder was at. Absent where it has none, for subagents, and in older journals. */
    commit: z.string().exactOptional(),
  }),
  /**
   * What the agent is told and offered, as a frozen prompt. The first is its prompt for life; a message tells it about
   * later ones.
   */
  entry('thread.prepared', { prompt: blobHash }),
  /** The agent is shown these tools from now on, after all that it was shown before. */
  entry('tools.found', {
    tools: z.array(z.object({ name: z.string(), description: z.string(), inputSchema: jsonObject })),
  }),
  /** The thread begins with the conversation of another thread, as it was at one of its checkpoints. */
  entry('thread.copied', { from: threadId, to: sequence }),
  entry('thread.titled', { title: z.string() }),
  entry('thread.configured', {
    model: z.string(),
    approvalMode,
    /** Whether the thread's agents know the project's memory; absent for no change. */
    memory: z.boolean().optional(),
    /** The JSON Schema that its answers must fit; null for none, absent for no change. */
    answerSchema: jsonObject.nullable().exactOptional(),
    /** What it must reach before it is done; null for nothing, absent for no change. */
    goal: goal.nullable().exactOptional(),
    /** How long the model thinks; null for as the settings say, absent for no change. */
    effort: z.enum(efforts).nullable().exactOptional(),
    /** Whether a model thinks that can do without; null for the model's own default, absent for no change. */
    thinking: z.boolean().nullable().exactOptional(),
    /** The mode of its own that an external agent works in; null for the one that fits, absent for no change. */
    agentMode: z.string().nullable().exactOptional(),
  }),
  entry('thread.pinned', { pinned: z.boolean() }),
  entry('thread.archived', { archived: z.boolean() }),
  /** Removed from every list and restorable for seven days. Its entries stay. */
  entry('thread.deleted', {}),
  entry('thread.restored', { undoes: sequence.exactOptional() }),
  /** A folder on disk stands for a branch from now on, in which its person works. */
  entry('checkout.made', { branchId, checkout }),
  /** The folder is the person's alone again, or gone. */
  entry('checkout.ended', { branchId, checkoutId: z.string() }),
  /** Changes of the thread became commits of a branch in a repository of the person. */
  entry('thread.delivered', { delivery }),
  /** The branch is again where it was before. */
  entry('delivery.undone', { of: sequence }),
  /** The commits were pushed, and perhaps a pull request was opened. */
  entry('delivery.published', { of: sequence, remote: z.string(), pullRequest: z.string().nullable() }),
  entry('run.started', {
    /** The run pauses after every turn. */
    step: z.literal(true).exactOptional(),
    /** US dollars that this run and its subagents may cost; null without a limit. */
    costLimit: z.number().nullable().optional(),
    /** Set when the price of the model is unknown: what the limit counts with, in US dollars per million tokens. */
    assumedPrice: z.object({ input: z.number(), output: z.number() }).optional(),
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
      'goal',
      'model_error',
      'refusal',
      'max_tokens',
      'context_window_exceeded',
      'invalid_answer',
      'internal_error',
    ]),
    message: z.string(),
    /** What a failed request to the model was about, such as `rate_limited`. */
    cause: z.string().max(100).exactOptional(),
    /** Hosts that the sandbox kept an external agent from. */
    refusedHosts: z.array(z.string().max(300)).max(20).readonly().exactOptional(),
  }),
  entry('message', { message }),
  entry('message.queued', {
    queued: queuedMessage,
    /** A queued message that this one makes out of date. It leaves the queue. */
    replaces: messageId.exactOptional(),
  }),
  /** A person removed, moved or rewrote messages that wait. */
  entry('queue.changed', {
    /** Every message that still waits, in its new order. */
    order: z.array(messageId).readonly(),
    /** Takes the place of the message with its id. */
    edited: queuedMessage.exactOptional(),
  }),
  entry('tool.started', {
    callId: toolCallId,
    name: z.string(),
    input: jsonObject,
    /**
     * Set for a call with effects that no transaction can hold. If it has started without a result, a person is asked
     * after a crash.
     */
    outside: z.literal(true).exactOptional(),
    /** Set for a run that counts only when it is kept. If the entries say nothing of its end, the call did not run. */
    holds: z.literal(true).exactOptional(),
  }),
  /**
   * Stages of the person or of the project were asked at this moment: hooks, or programs of `middleware`. What they add for
   * the agent is a message of the same commit. They are not asked again about the same.
   */
  entry('stages.asked', {
    moment: z.string(),
    callId: toolCallId.nullable(),
    notes: list(stageNote),
    /** What became of that about which they were asked. Absent when they had nothing against it. */
    verdict: z.object({ kind: z.enum(['refuse', 'ask', 'allow']), by: z.string(), reason: z.string() }).exactOptional(),
    /** The arguments of the call about which they were asked. Absent for those that it had, or that they knew already. */
    about: jsonObject.exactOptional(),
    /** Those that it has from now on, and who gave them. */
    input: jsonObject.exactOptional(),
    changedBy: z.string().exactOptional(),
    /** The message of a person about which they were asked. */
    messageId: messageId.exactOptional(),
    /** Why the run is to end. */
    stop: z.string().exactOptional(),
  }),
  /** The call was tried, and nothing of it counts before it is kept. Replaces what an earlier trial of it did. */
  entry('effects.held', { callId: toolCallId, held: outcome }),
  entry('tool.finished', {
    callId: toolCallId,
    name: z.string(),
    result: toolResult,
    durationMs: z.number(),
    /** Content hashes of the files that the call read or wrote. */
    reads: contentHashes,
    /** Fingerprints of the disk versions that existed beside changed files when the call read them. */
    besides: diskVersions.exactOptional(),
  }),
  /** A call that the loop adds, stored with the result of the call that declared its tasks. */
  /** `awaited`: the call that it comes from has no result yet, and goes on with what these tasks came to. */
  entry('call.derived', {
    ...{ callId: toolCallId, from: toolCallId, name: z.string(), input: jsonObject },
    awaited: z.literal(true).exactOptional(),
  }),
  /** The tasks are the input of the call; the result files go to `folder`, a virtual path that ends with a slash. */
  entry('batch.started', {
    ...{ callId: toolCallId, folder: z.string(), concurrency: z.int() },
    /** Its own limit in US dollars. */
    cost: z.number().positive().exactOptional(),
  }),
  /** What was found of attempts: after a round, and at their end. Those that are not named stay as they were found before. */
  entry('batch.judged', { callId: toolCallId, attempts: list(judgedAttempt), note: z.string() }),
  /** Tasks that cannot start, each with the reason. The others run. */
  entry('batch.refused', { callId: toolCallId, tasks: z.array(z.object({ index: z.int(), reason: z.string() })) }),
  /**
   * A person changes a batch while it runs. `cost`: its own limit in US dollars, null for that of the settings; `add`: tasks
   * behind all others; `drop`: the indexes of tasks that have not started.
   */
  entry('batch.changed', {
    callId: toolCallId,
    concurrency: z.int().min(1).exactOptional(),
    cost: z.number().nonnegative().nullable().exactOptional(),
    add: z.array(jsonObject).exactOptional(),
    drop: z.array(z.int().nonnegative()).exactOptional(),
  }),
  /** A person has the unsuccessful tasks of a finished batch run again. */
  entry('batch.retried', { callId: toolCallId }),
  /** The message stored with this entry told the agent which of its files changed on disk. */
  entry('drift.told', { files: drifts }),
  /** The message stored with this entry told the agent the instructions of the folders it works in. */
  entry('instructions.told', { files: paths }),
  /**
   * What the thread's Python and JavaScript have from now on, as the call with this id left it; that of a subagent begins
   * with its parent's. The state is a blob that only the runners understand; null for none.
   */
  entry('python.kept', { callId: toolCallId, state: blobHash.nullable() }),
  /** A command that stays runs from now on, in the branch of the thread. Without an end it ended with the app. */
  entry('process.started', { processId, branchId, command: z.string(), callId: toolCallId.nullable() }),
  entry('process.ended', {
    processId,
    branchId,
    by: z.enum(processEnders),
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    /** The limit that it reached and what became of its changes, in sentences. Empty when there is nothing to say. */
    note: z.string(),
  }),
  /** A person opened a terminal in the branch. Without an end it ended with the app, which may have been killed. */
  entry('terminal.started', { branchId, terminalId: z.string() }),
  /** What was changed in the terminal waits for its person. Empty when nothing was, or nothing of it is left. */
  entry('terminal.ended', { branchId, terminalId: z.string(), patch }),
  /** Stored with the change of the branch when it was kept. */
  entry('terminal.decided', { branchId, terminalId: z.string(), kept: z.boolean() }),
  /**
   * An external agent works in a view of the branch from now on, which is named by `view`. `session` is the agent's own id of
   * the conversation. Without an end it ended with the app.
   */
  entry('session.began', { branchId, view: z.string(), session: z.string(), agent: z.string() }),
  /** What became of what it changed last, in sentences. Empty when there is nothing to say. */
  entry('session.ended', { branchId, view: z.string(), note: z.string() }),
  entry('todos.written', {
    todos: list(todo),
    by: z.enum(['agent', 'person', 'loop']),
    /** A person changed the text of one todo. Subagents that work on it stay linked to it. */
    renamed: z.object({ from: z.string(), to: z.string() }).exactOptional(),
    /** The todo that a person took away, and its former index, for the undo. */
    removed: z.object({ todo, index: z.int().min(0) }).exactOptional(),
    undoes: sequence.exactOptional(),
  }),
  /** A check ran. `branchId` is the branch whose tree, or whose merge, it was run on. */
  entry('check.finished', { branchId, on: z.enum(checkOccasions), result: checkResult }),
  /** A person added these branches, in this order, to the end of the queue of merges when green. */
  entry('merge.queued', { branchIds: list(branchId) }),
  /** What became of one of them. A merge is the entry before this one, in the same transaction. */
  entry('merge.ended', { branchId, end: queuedMergeEnd }),
  /** A person approved the plan that the call hands in; its text is the input of the call. The mode holds from now on. */
  entry('plan.approved', { callId: toolCallId, approvalMode }),
  entry('interrupt.raised', { interrupt }),
  entry('interrupt.decided', { interruptId, decision }),
  /** Usage of a reply, of a compaction's summary, of the verdict on a goal's criteria, or of messages for commits. */
  entry('usage', {
    usage,
    model: z.string(),
    for: z.enum(['summary', 'grade', 'delivery']).optional(),
    /** A verdict in the model's own words, which no other entry holds. */
    said: z.string().exactOptional(),
    /** Tokens that the conversation holds, where an external agent tells that and counts none. */
    held: z.int().min(0).exactOptional(),
  }),
  /** The model could not answer, so another one of the person's list does until the run ends. */
  entry('model.fell_back', { from: z.string(), to: z.string(), reason: z.string() }),
  entry('compaction.requested', {
    /** The agent's own call that asked for it; absent when a person did. */
    callId: toolCallId.exactOptional(),
  }),
  /** There was nothing to summarise, or the model gave no summary. */
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
    /** The older version that this one brings back; null for a new text. */
    restores: sequence.nullable(),
  }),
  entry('memory.deleted', { name: z.string(), ...rememberer }),
  /** An agent's call read these memories. */
  entry('memory.recalled', { names: paths }),
  /**
   * Memories for all projects, below `/memories/user/`. Their store lies outside the project and takes these entries.
   * `restores` is a version of the store; `undoes` is the entry of this journal that this one takes back.
   */
  entry('user_memory.written', {
    name: z.string(),
    text: z.string(),
    ...rememberer,
    restores: sequence.nullable(),
    undoes: sequence.exactOptional(),
  }),
  entry('user_memory.deleted', { name: z.string(), ...rememberer, undoes: sequence.exactOptional() }),
  entry('user_memory.recalled', { names: paths }),
] as const

/**
 * Entries that change a branch's tree. `patch` applies to the branch's tree right before the entry. `undoes` names the
 * entry that this one undoes; journals of older versions lack it.
 */
const treeEntries = [
  entry('branch.forked', {
    branchId,
    parentId: branchId.nullable(),
    ownerThreadId: threadId,
    handle: handle.nullable(),
    name: z.string(),
  }),
  entry('tree.changed', { branchId, patch, callId: toolCallId.nullable(), undoes: sequence.exactOptional() }),
  /**
   * What commands of the branch find from now on in ignored files, in `.git` and in their home: these layers, the oldest
   * first. A fork begins with the list of its parent, and a rewind returns to an earlier one. No merge changes it.
   */
  entry('environment.changed', { branchId, layers: list(layerId), callId: toolCallId.nullable() }),
  entry('branch.merged', {
    branchId,
    into: branchId,
    patch,
    bases: mergeBases,
    result: mergeResult,
    forced: z.boolean(),
    by,
    /** What a person composed of several branches. `branchId` and `bases` are of the first of them. Absent for a plain merge. */
    composed: composition.exactOptional(),
  }),
  entry('branch.discarded', { branchId, patch, whole: z.boolean(), by }),
  entry('branch.restored', { branchId, patch, undoes: sequence.exactOptional() }),
  entry('merge.undone', {
    branchId,
    into: branchId,
    of: sequence,
    undoes: sequence.exactOptional(),
    patch,
    /** The other branches of a composition. */
    others: list(branchId).exactOptional(),
  }),
  entry('rewound', {
    to: sequence,
    /** The patch for each branch of the family. Branches forked after `to` are dropped. Null when the files stay. */
    files: branchPatches.nullable(),
    conversation: z.boolean(),
    undoes: sequence.nullable(),
  }),
  entry('apply.started', {
    branchId,
    paths,
    /** What will be done on disk, so that a crash on the way can be settled. Journals of older versions lack it. */
    steps: nodeSteps.exactOptional(),
    undoes: sequence.exactOptional(),
    repositories: appliedRepositories.exactOptional(),
  }),
  /**
   * An apply that started and failed. The folder is as it was before, except for the paths in `left`, which others
   * changed.
   */
  entry('apply.failed', { branchId, of: sequence, left: paths }),
  /** Applied paths leave the overlay. */
  entry('apply.finished', { branchId, paths, patch, repositories: appliedRepositories.exactOptional() }),
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
/** A repository that commands made and that an apply wrote. */
export type AppliedRepository = NonNullable<EntryOf<'apply.finished'>['repositories']>[number]
export type EntryDraft = EntryBody & { readonly threadId: ThreadId }
export type EntryType = EntryBody['type']
export type EntryOf<Type extends EntryType> = Extract<Entry, { type: Type }>

/** An entry that a tool writes. It belongs to the calling thread, unless it names another one. */
export type EntryFromTool = EntryBody & { readonly threadId?: ThreadId }

/** What every entry carries. */
export const entryHead = { sequence, threadId, at: z.number() }

const bodies = [...threadEntries, ...memoryEntries, ...treeEntries] as const

/** An entry as it is read from a store. */
export const entrySchema = z.discriminatedUnion(
  'type',
  bodies.map((body) => body.extend(entryHead)) as unknown as typeof bodies,
) as unknown as z.ZodDiscriminatedUnion & ZodType<Entry, unknown>
