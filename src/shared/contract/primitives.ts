import { type ZodType, z } from 'zod'
import { type AttemptsWish, mostAttempts } from '../model/calls/attempts.ts'
import { branchId } from '../model/entry-parts.ts'
import type { MessageId, ProcessId, ProjectId } from '../model/ids.ts'
import { efforts } from '../model/models/model-facts.ts'
import { todoStatuses } from '../model/todos/todo.ts'
import type { TodoEdit } from '../model/todos/todo-edit.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { parseVirtualPath } from '../model/virtual-path.ts'

const identifier = z.string().min(1).max(200)

export const projectId = identifier as unknown as ZodType<ProjectId, string>
export const messageId = identifier as unknown as ZodType<MessageId, string>
export const processId = identifier as unknown as ZodType<ProcessId, string>
/** An address of the web. */
export const webAddress = z.url({ protocol: /^https?$/ }).max(32_768)

/** A virtual path in canonical form. Anything else is refused on arrival, with the reason. */
export const virtualPath = z
  .string()
  .max(32_768)
  .transform((input, context): VirtualPath => {
    const parsed = parseVirtualPath(input)
    if (parsed.ok) return parsed.value
    context.addIssue(parsed.error.message)
    return z.NEVER
  })

/** Text that a person types into a message, a task or a rule. */
export const typedText = z.string().max(2_000_000)

const todoText = z.string().trim().min(1).max(2000)
const todoStatus = z.enum(todoStatuses)
/** Names a card by its text and its position among cards with the same text. */
const todoCard = z.object({ content: z.string().min(1).max(100_000), occurrence: z.int().min(0) })
export const todoEdit: z.ZodType<TodoEdit, TodoEdit> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('add'), content: todoText, status: todoStatus }),
  z.object({ kind: z.literal('rename'), card: todoCard, content: todoText }),
  z.object({ kind: z.literal('move'), card: todoCard, status: todoStatus, before: todoCard.nullable() }),
  z.object({ kind: z.literal('remove'), card: todoCard }),
])

export const queueEdit = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['remove', 'deliver']), messageId }),
  z.object({ kind: z.literal('rewrite'), messageId, text: typedText }),
  z.object({ kind: z.literal('move'), messageId, by: z.int() }),
  z.object({ kind: z.literal('restore'), messageId, at: z.int().min(0) }),
])

const texts = z.record(z.string().min(1).max(200), z.string().max(10_000))
/** How a server is reached: as a program, or at an address. */
export const mcpTransport = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('stdio'),
    command: z.string().trim().min(1).max(4096),
    args: z.array(z.string().max(10_000)).max(200),
    env: texts,
  }),
  z.object({
    kind: z.literal('http'),
    url: webAddress,
    headers: texts,
    oauth: z
      .object({
        clientId: z.string().max(4096).exactOptional(),
        clientSecret: z.string().max(4096).exactOptional(),
        callbackPort: z.int().min(1).max(65_535).exactOptional(),
        scopes: z.string().max(4096).exactOptional(),
      })
      .exactOptional(),
  }),
])
/** A limit of a budget: an amount, the built-in one, or none. */
export const budgetAmount = z.union([z.number().positive().max(1_000_000), z.literal('default'), z.null()])

/** A branch of an open project. */
export const branch = z.object({ projectId, branchId })
/**
 * 0-based positions of hunks in a `FileDiff`, with its `fingerprint`. Fails as `CONFLICT` when the file changed since.
 */
export const hunks = branch.extend({
  path: virtualPath,
  hunks: z.array(z.int().min(0)).min(1).max(20_000),
  fingerprint: z.string().min(1).max(200),
})
/** Paths of changed files; null for all. */
export const paths = z.array(virtualPath).max(100_000).nullable()

const attemptWord = z.string().trim().min(1).max(200)
/** Several attempts at one message, as a person wants them. */
export const wantedAttempts: z.ZodType<AttemptsWish, AttemptsWish> = z.object({
  n: z.int().min(2).max(mostAttempts),
  variants: z
    .array(
      z.object({
        ...{ model: attemptWord.exactOptional(), agent: attemptWord.exactOptional() },
        effort: z.enum(efforts).exactOptional(),
        hint: z.string().trim().min(1).max(20_000).exactOptional(),
      }),
    )
    .max(mostAttempts)
    .exactOptional(),
  budget: z.number().positive().max(1_000_000).exactOptional(),
  checks: z.array(attemptWord).min(1).max(200).exactOptional(),
})
