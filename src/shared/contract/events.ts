import { type ZodType, z } from 'zod'
import { entryHead, entrySchema } from '../model/entry.ts'
import { branchId, drifts, messageId, processId, setupState, toolCallId } from '../model/entry-parts.ts'
import type { CoppiceEvent, LiveEvent } from '../model/event.ts'
import { type ProcessView, processEnders } from '../model/process.ts'

function event<Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...entryHead, ...shape })
}

const processView: ZodType<ProcessView, unknown> = z.object({
  id: processId,
  threadId: entryHead.threadId,
  branchId,
  command: z.string(),
  startedAt: z.number(),
  end: z
    .object({
      by: z.enum(processEnders),
      exitCode: z.int().nullable(),
      signal: z.string().nullable(),
      note: z.string(),
      at: z.number(),
    })
    .nullable(),
  isKept: z.boolean(),
  ports: z.array(z.int()),
  branchPorts: z.array(z.int()),
  outputBytes: z.int(),
})

const liveEvents = [
  event('message.delta', { messageId, part: z.enum(['text', 'thinking']), text: z.string() }),
  event('message.dropped', { messageId }),
  event('tool.output', { callId: toolCallId, text: z.string() }),
  event('model.retrying', {
    attempt: z.int(),
    delayMs: z.number(),
    reason: z.string(),
    cause: z.string().exactOptional(),
  }),
  event('model.waiting', { ahead: z.int() }),
  event('drift.changed', { branchId, files: drifts }),
  event('apply.progress', { branchId, done: z.int(), total: z.int() }),
  event('process.changed', { process: processView }),
  event('setup.changed', { setup: setupState }),
  event('checks.changed', { branchId }),
  event('server.asked', { callId: toolCallId }),
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

const liveSchema = z.discriminatedUnion('type', liveEvents) satisfies ZodType<LiveEvent, unknown>

/** Every event that a client or `coppice run --json` can receive. */
export const eventSchema: ZodType<CoppiceEvent, unknown> = z.discriminatedUnion('type', [
  entrySchema,
  liveSchema,
]) as unknown as ZodType<CoppiceEvent, unknown>
