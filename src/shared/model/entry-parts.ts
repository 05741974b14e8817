import { type ZodType, z } from 'zod'
import { isJson, type JsonObject } from '../base/json.ts'
import { isGrantable } from '../base/reach/local-reach.ts'
import type { Composition, MergeBase, MergeResult } from './branch.ts'
import { type Checkout, checkoutKinds } from './branch.ts'
import { type AttemptsWish, attemptVerdicts, type JudgedAttempt, mostAttempts } from './calls/attempts.ts'
import { type Decision, decisionTypes, type Interrupt, riskLevels, workModes } from './calls/interrupt.ts'
import { type CallEffects, type LeftBehind, leftKinds, type MadeCommit, type Outcome } from './calls/outcome.ts'
import { type CheckResult, checkOutcomes, type Goal } from './check.ts'
import type { Delivery } from './delivery.ts'
import { type Drift, driftKinds } from './drift.ts'
import type {
  BlobHash,
  BranchId,
  Handle,
  InterruptId,
  LayerId,
  MessageId,
  ProcessId,
  ThreadId,
  ToolCallId,
} from './ids.ts'
import type { CommandUse, Message, Notice, ToolResult, UserPart } from './message.ts'
import { efforts } from './models/model-facts.ts'
import type { Usage } from './models/usage.ts'
import type { Patch } from './patch.ts'
import type { SetupState } from './setup.ts'
import type { ParentLink } from './thread.ts'
import type { NodeStep } from './tree-node.ts'
import type { VirtualPath } from './virtual-path.ts'

/**
 * Schemas of the model's own types, for use in entries. Paths are not parsed again, because they were parsed before
 * they were stored.
 */
const identifier = () => z.string().min(1).max(200)

export const threadId = identifier() as unknown as ZodType<ThreadId, string>
export const branchId = identifier() as unknown as ZodType<BranchId, string>
export const interruptId = identifier() as unknown as ZodType<InterruptId, string>
export const toolCallId = identifier() as unknown as ZodType<ToolCallId, string>
export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && !Array.isArray(value) && value !== null && isJson(value),
  'It is not a JSON object',
)

/** A schema for a read-only list. */
export function list<Item>(item: ZodType<Item>): ZodType<readonly Item[]> {
  return z.array(item)
}

const branded = <Type extends string>() => z.string() as unknown as ZodType<Type, string>

export const messageId = branded<MessageId>()
export const handle = branded<Handle>()
export const blobHash = branded<BlobHash>()
export const layerId = branded<LayerId>()
export const processId = branded<ProcessId>()
export const path = branded<VirtualPath>()
const count = z.int().min(0)

const textPart = z.object({ type: z.literal('text'), text: z.string() })
const imagePart = z.object({
  type: z.literal('image'),
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  data: z.string(),
})
export const userParts: ZodType<readonly UserPart[]> = z.array(z.discriminatedUnion('type', [textPart, imagePart]))
const assistantParts = z.array(
  z.discriminatedUnion('type', [
    textPart,
    z.object({
      type: z.literal('thinking'),
      text: z.string(),
      signature: z.string(),
      attached: jsonObject.optional(),
    }),
    z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
    z.object({
      type: z.literal('tool_call'),
      callId: toolCallId,
      name: z.string(),
      input: jsonObject,
      unreadable: z.string().optional(),
      attached: jsonObject.optional(),
    }),
  ]),
)
export const origin = z.enum(['person', 'parent', 'notice'])
export const notice: ZodType<Notice> = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['answer_misfit', 'last_reply', 'new_replies', 'empty_reply', 'todos', 'late_results']) }),
  z.object({ kind: z.literal('goal'), checks: list(z.string()) }),
  z.object({ kind: z.literal('files'), paths: list(path) }),
  z.object({ kind: z.literal('overlap'), files: list(z.object({ branchId, path })) }),
])
export const commandUse: ZodType<CommandUse> = z.object({
  name: z.string(),
  allowedTools: list(z.string()).nullable(),
  model: z.string().nullable(),
  effort: z.enum(efforts).nullable(),
})
const attemptVariant = z.object({
  ...{ model: z.string().exactOptional(), agent: z.string().exactOptional() },
  ...{ effort: z.enum(efforts).exactOptional(), hint: z.string().exactOptional() },
})
const attemptsWish: ZodType<AttemptsWish> = z.object({
  n: z.int().min(1).max(mostAttempts),
  variants: list(attemptVariant).exactOptional(),
  budget: z.number().positive().exactOptional(),
  checks: list(z.string()).exactOptional(),
})
export const judgedAttempt: ZodType<JudgedAttempt> = z.object({
  ...{ index: z.int().nonnegative(), verdict: z.enum(attemptVerdicts) },
  checks: list(z.object({ name: z.string(), outcome: z.enum(checkOutcomes), before: z.literal(true).exactOptional() })),
  ...{ files: z.int(), lines: z.int(), cost: z.number().nullable() },
  ...{ findings: list(z.string()).nullable(), same: z.int().nullable(), stopped: z.string().nullable() },
})
export const message: ZodType<Message> = z.discriminatedUnion('role', [
  z.object({
    ...{ role: z.literal('user'), messageId, origin, content: userParts },
    ...{ notice: notice.exactOptional(), command: commandUse.exactOptional(), attempts: attemptsWish.exactOptional() },
  }),
  z.object({
    role: z.literal('assistant'),
    messageId,
    content: assistantParts,
    stopReason: z.enum([
      'end_turn',
      'tool_use',
      'max_tokens',
      'stop_sequence',
      'refusal',
      'pause_turn',
      'context_window_exceeded',
      'unknown',
    ]),
    model: z.string().optional(),
  }),
])

export const toolResult: ZodType<ToolResult> = z.object({
  outcome: z.enum(['ok', 'error', 'rejected', 'cancelled']),
  content: userParts,
  login: z.string().exactOptional(),
})

const renames = z.array(z.object({ from: path, to: path }))
/** A commit or a stash that an agent left in git alone. */
export const madeCommit = z.object({
  kind: z.enum(['commit', 'stash']),
  repository: path,
  branch: z.string(),
  id: z.string(),
  subject: z.string(),
}) satisfies ZodType<MadeCommit>
const leftBehind: ZodType<LeftBehind> = z.object({
  count,
  deleted: count,
  files: z.array(z.object({ path: z.string(), kind: z.enum(leftKinds), gone: z.literal(true).optional() })),
  folders: z.array(z.string()).optional(),
})
const effects: ZodType<CallEffects> = z.object({
  exit_code: z.int().nullable(),
  output: z.string(),
  changes: z.object({ written: z.array(path), deleted: z.array(path), renamed: renames }),
  hosts_refused: z.array(z.string()),
  duration_ms: z.number(),
  ignored_changes: count,
  left_behind: leftBehind.optional(),
  commits: z.array(madeCommit).optional(),
  missed: z.array(path).optional(),
  secrets: z.array(z.tuple([count, count])),
  hidden_secrets: z.literal(true).optional(),
  tasks: count.optional(),
  after: toolCallId.optional(),
  ran_again: z.string().optional(),
})

export const interrupt: ZodType<Interrupt> = z.object({
  id: interruptId,
  threadId,
  agent: z.string(),
  action_requests: z.array(
    z.object({
      callId: toolCallId,
      name: z.string(),
      args: jsonObject,
      description: z.string(),
      rule: z.string(),
      risk: z.enum(riskLevels),
      riskReason: z.string().optional(),
      allowable: z.literal(false).optional(),
      changed: z.object({ by: z.string(), given: jsonObject }).optional(),
      changedBefore: z.array(path).optional(),
      scripts: z.array(path).optional(),
      environment: z.string().optional(),
      effects: effects.optional(),
      answers: z
        .array(z.object({ id: z.string(), name: z.string(), allows: z.boolean(), remembered: z.boolean() }))
        .optional(),
    }),
  ),
  review_configs: z.array(
    z.object({ callId: toolCallId, action_name: z.string(), allowed_decisions: z.array(z.enum(decisionTypes)) }),
  ),
})

const texts = list(z.string())
const ofSetup = { command: z.string() }
const time = z.number().meta({ description: 'Milliseconds since the Unix epoch.' })

/** The state of the project's setup, in a live event. */
export const setupState: ZodType<SetupState> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({ kind: z.literal('waiting'), ...ofSetup }),
  z.object({ kind: z.literal('running'), ...ofSetup, startedAt: time, lines: texts }),
  z.object({
    kind: z.literal('ready'),
    ...ofSetup,
    at: time,
    durationMs: z.number(),
    bytes: z.number(),
    dropped: texts,
    droppedCount: z.int(),
  }),
  z.object({ kind: z.literal('failed'), ...ofSetup, at: time, reason: z.string(), lines: texts }),
])

const hosts = z.array(z.string().max(260).refine(isGrantable)).max(50).optional()

/** The mode of the thread from now on, for a plan alone. */
const workMode = z.enum(workModes).optional()
const decisionMessage = z.string().max(2_000_000).optional()
const chosenAnswer = z.string().max(1_000).optional()

/** One answer to one call. Commands and the decisions file carry the same. */
export const decision: ZodType<Decision, unknown> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('approve'),
    callId: toolCallId,
    hosts,
    message: decisionMessage,
    paths: z
      .array(z.string().max(32_768) as unknown as typeof path)
      .max(100_000)
      .optional(),
    answer: chosenAnswer,
    mode: workMode,
  }),
  z.object({
    type: z.literal('edit'),
    callId: toolCallId,
    args: jsonObject,
    hosts,
    message: decisionMessage,
    hold: z.boolean().optional(),
    mode: workMode,
  }),
  z.object({ type: z.literal('reject'), callId: toolCallId, message: decisionMessage, answer: chosenAnswer }),
  z.object({ type: z.literal('respond'), callId: toolCallId, message: z.string().max(2_000_000) }),
  z.object({ type: z.enum(['run_again', 'mark_done', 'skip']), callId: toolCallId }),
])

export const usage: ZodType<Usage> = z.object({
  modelCalls: count,
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  cost: z.number().nullable(),
})

const large = z.object({ path, gitId: z.string() }).exactOptional()
const mode = z.number().int().min(0).max(0o777).exactOptional()
const node = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('file'), blob: blobHash, size: count, executable: z.boolean(), mode, large }),
    z.object({ kind: z.literal('symlink'), target: z.string() }),
    z.object({ kind: z.literal('directory') }),
  ])
  .nullable()
const overlayEntry = z
  .object({
    node,
    pin: node,
    opaque: z.literal(true).exactOptional(),
    renamedFrom: path.exactOptional(),
    changedAt: z.number().exactOptional(),
  })
  .nullable()
export const patch: ZodType<Patch> = z.array(z.tuple([path, z.tuple([overlayEntry, overlayEntry])]))
export const outcome: ZodType<Outcome> = z.object({
  input: jsonObject,
  edited: z.boolean(),
  tree: z.string(),
  environment: list(layerId),
  after: toolCallId.nullable(),
  ranAgain: z.string().nullable(),
  patch,
  layers: list(layerId).nullable(),
  places: list(z.object({ path, blob: blobHash.nullable(), was: blobHash.nullable().exactOptional() })),
  result: blobHash,
  exitCode: z.int().nullable(),
  refusedHosts: list(z.string()),
  ignoredChanges: count,
  left: leftBehind.exactOptional(),
  commits: z.array(madeCommit).exactOptional(),
  missed: z.array(path).exactOptional(),
  reads: z.array(z.tuple([path, blobHash])),
  declares: list(jsonObject),
  durationMs: z.number(),
  python: blobHash.nullable().exactOptional(),
  pythonBefore: blobHash.nullable().exactOptional(),
  besides: z.array(z.tuple([path, z.string()])).exactOptional(),
})
export const goal: ZodType<Goal> = z.object({
  checks: z.array(z.string().min(1).max(200)).max(200).nullable(),
  criteria: z.string().max(10_000).nullable().optional(),
  attempts: z.int().min(0).max(100),
})
/** What a check said about a tree. */
export const checkResult: ZodType<CheckResult> = z.object({
  check: z.string(),
  key: z.string(),
  tree: z.string(),
  environment: list(layerId),
  outcome: z.enum(checkOutcomes),
  exitCode: z.int().nullable(),
  output: z.string(),
  note: z.string(),
  dropped: list(path),
  durationMs: z.number(),
})
export const delivery: ZodType<Delivery> = z.object({
  branchId,
  repository: z.string(),
  branch: z.string(),
  before: z.string().nullable(),
  base: z.string(),
  commits: list(z.string()),
  files: count,
})
export const checkout: ZodType<Checkout> = z.object({
  id: z.string(),
  kind: z.enum(checkoutKinds),
  folder: z.string(),
  tree: z.string(),
  commit: z.string().nullable(),
  gitBranch: z.string().nullable(),
})
export const nodeSteps: ZodType<readonly NodeStep[]> = z.array(z.tuple([path, node, node]))
export const mergeBases: ZodType<readonly MergeBase[]> = z.array(z.tuple([path, overlayEntry]))

const side = z.object({ state: z.enum(['absent', 'file', 'symlink', 'directory']), size: count })
export const mergeResult: ZodType<MergeResult> = z.object({
  written: z.array(path),
  deleted: z.array(path),
  renamed: renames,
  merged: z.array(path),
  conflicts: z.array(
    z.object({
      path,
      reason: z.enum(['content', 'binary', 'delete_modify', 'rename', 'kind', 'mode']),
      mergeable: z.boolean(),
      base: side,
      ours: side,
      theirs: side,
    }),
  ),
  skipped: z.array(path),
})

export const composition: ZodType<Composition> = z.object({
  sources: list(z.object({ branchId, sequence: count })),
  others: list(z.object({ branchId, bases: mergeBases })),
  files: list(
    z.object({
      path,
      pieces: list(
        z.object({
          start: count,
          lines: count.nullable(),
          from: list(count),
          byHand: z.literal(true).exactOptional(),
        }),
      ),
    }),
  ),
})

export const drifts: ZodType<readonly Drift[]> = z.array(
  z.object({ path, kind: z.enum(driftKinds), since: z.enum(['read', 'changed']), disk: z.string() }),
)

export const parentLink: ZodType<ParentLink | null> = z
  .object({
    threadId,
    callId: toolCallId,
    handle,
    index: count,
    task: z.string(),
    todoIndex: count.nullable(),
    resolves: z.object({ branchId, path }).exactOptional(),
  })
  .nullable()
