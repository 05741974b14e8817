import { type ZodType, z } from 'zod'
import type { CoppiceEvent } from '../model/event.ts'
import { approvalModes } from '../model/thread.ts'
import { todoStatuses } from '../model/todo.ts'
import {
  blobHash,
  decision,
  drifts,
  handle,
  interrupt,
  mergeBases,
  mergeResult,
  message,
  messageId,
  nodeSteps,
  origin,
  parentLink,
  patch,
  path,
  toolResult,
  usage,
  userParts,
} from './event-parts.ts'
import { branchId, interruptId, jsonObject, threadId, toolCallId } from './primitives.ts'

const sequence = z.int().min(0)

/** What every event carries: its place in the project's order, its thread, its time. */
const head = { sequence, threadId, at: z.number() }

function event<Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...head, ...shape })
}

const by = z.enum(['agent', 'person'])
const approvalMode = z.enum(approvalModes)
const paths = z.array(z.string())

const threadEvents = [
  event('thread.created', {
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
  event('thread.prepared', { prompt: blobHash }),
  event('thread.copied', { from: threadId, to: sequence }),
  event('thread.titled', { title: z.string() }),
  event('thread.configured', { model: z.string(), approvalMode, memory: z.boolean().optional() }),
  event('thread.pinned', { pinned: z.boolean() }),
  event('thread.archived', { archived: z.boolean() }),
  event('thread.deleted', {}),
  event('thread.restored', {}),
  event('run.started', { costLimit: z.number().nullable().optional() }),
  event('run.ended', {
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
  event('message', { message }),
  event('message.queued', {
    queued: z.object({ messageId, origin, content: userParts, delivery: z.enum(['queue', 'steer']) }),
  }),
  event('tool.started', {
    callId: toolCallId,
    name: z.string(),
    input: jsonObject,
    outside: z.literal(true).exactOptional(),
  }),
  event('tool.finished', {
    callId: toolCallId,
    name: z.string(),
    result: toolResult,
    durationMs: z.number(),
    reads: z.array(z.tuple([path, blobHash])),
    besides: z.array(z.tuple([path, z.string()])).exactOptional(),
  }),
  event('call.derived', { callId: toolCallId, from: toolCallId, name: z.string(), input: jsonObject }),
  event('batch.started', { callId: toolCallId, folder: z.string(), concurrency: z.int() }),
  event('batch.retried', { callId: toolCallId }),
  event('drift.told', { files: drifts }),
  event('instructions.told', { files: paths }),
  event('todos.written', {
    todos: z.array(z.object({ content: z.string(), status: z.enum(todoStatuses), error: z.string().exactOptional() })),
    by: z.enum(['agent', 'person', 'loop']),
  }),
  event('interrupt.raised', { interrupt }),
  event('interrupt.decided', { interruptId, decision }),
  event('usage', { usage, model: z.string(), for: z.literal('summary').optional() }),
  event('compaction.requested', {}),
  event('compaction.settled', {}),
  event('compacted', {
    summary: z.string(),
    keptFrom: messageId,
    file: z.string(),
    pastes: z.array(z.tuple([messageId, z.string()])),
    messages: z.int(),
  }),
  event('checkpoint', { step: z.int().min(0), treeHash: z.string() }),
] as const

const rememberer = { agent: z.string().nullable(), callId: toolCallId.nullable() }
const memoryEvents = [
  event('memory.written', { name: z.string(), text: z.string(), ...rememberer, restores: sequence.nullable() }),
  event('memory.deleted', { name: z.string(), ...rememberer }),
  event('memory.recalled', { names: paths }),
] as const

const treeEvents = [
  event('branch.forked', {
    branchId,
    parentId: branchId.nullable(),
    ownerThreadId: threadId,
    handle: handle.nullable(),
    name: z.string(),
  }),
  event('tree.changed', { branchId, patch, callId: toolCallId.nullable(), undoes: sequence.exactOptional() }),
  event('branch.merged', {
    branchId,
    into: branchId,
    patch,
    bases: mergeBases,
    result: mergeResult,
    forced: z.boolean(),
    by,
  }),
  event('branch.discarded', { branchId, patch, whole: z.boolean(), by }),
  event('branch.restored', { branchId, patch, undoes: sequence.exactOptional() }),
  event('merge.undone', { branchId, into: branchId, of: sequence, undoes: sequence.exactOptional(), patch }),
  event('rewound', {
    to: sequence,
    files: z.array(z.object({ branchId, patch })).nullable(),
    conversation: z.boolean(),
    undoes: sequence.nullable(),
  }),
  event('apply.started', {
    branchId,
    paths,
    steps: nodeSteps.exactOptional(),
    undoes: sequence.exactOptional(),
  }),
  event('apply.failed', { branchId, of: sequence, left: paths }),
  event('apply.finished', { branchId, paths, patch }),
  event('apply.undone', { branchId, of: sequence, undoes: sequence.exactOptional(), patch }),
] as const

const liveEvents = [
  event('message.delta', { messageId, part: z.enum(['text', 'thinking']), text: z.string() }),
  event('message.dropped', { messageId }),
  event('tool.output', { callId: toolCallId, text: z.string() }),
  event('model.retrying', { attempt: z.int(), delayMs: z.number(), reason: z.string() }),
  event('model.waiting', { ahead: z.int() }),
  event('drift.changed', { branchId, files: drifts }),
  event('apply.progress', { branchId, done: z.int(), total: z.int() }),
  event('context.compacting', { messages: z.int() }),
  event('run.unstored', { message: z.string() }),
  event('batch.progress', {
    callId: toolCallId,
    total: z.int(),
    done: z.int(),
    failed: z.int(),
    running: z.int(),
    perMinute: z.number().nullable(),
    leftMs: z.number().nullable(),
    cost: z.number().nullable(),
  }),
] as const

/** Every event a client or `coppice run --json` can meet. The compiler holds it against the model's own types. */
export const eventSchema: ZodType<CoppiceEvent, unknown> = z.discriminatedUnion('type', [
  ...threadEvents,
  ...memoryEvents,
  ...treeEvents,
  ...liveEvents,
])
