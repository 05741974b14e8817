import { type ZodType, z } from 'zod'
import { failure, type Result, success } from '#shared/base/result.ts'
import { commandUse, decision, goal, jsonObject, message, origin, usage, userParts } from '#shared/model/entry-parts.ts'
import type { AssistantMessage } from '#shared/model/message.ts'
import { approvalModes } from '#shared/model/thread.ts'
import type { ModelErrorCode } from '../ports/model-client.ts'
import { recordedSettings } from './recorded-settings.ts'

/**
 * A record: what the models of one thread said, what people decided, and which trees came of it. It is a file of JSON
 * Lines: a header, then lines in the order in which things happened. Agents are named by their path in the family, and
 * calls by their number, because ids are others when the same task runs again.
 */
export const recordVersion = 1

const count = z.int().min(0)
const agent = z.string().min(1)
/** Number of replies that the agent had given. */
const replies = count

const header = z.object({
  kind: z.literal('record'),
  version: z.literal(recordVersion),
  /** The version of the app that wrote it. */
  app: z.string(),
  /** ISO 8601. */
  madeAt: z.string(),
  title: z.string(),
  /** How the model is named. */
  model: z.string(),
  /** Tokens of the model's window. */
  contextWindow: z.number().min(1),
  agentType: z.string(),
  approvalMode: z.enum(approvalModes),
  answerSchema: jsonObject.optional(),
  settings: recordedSettings,
  /** The checked-out commit of the project's folder. Null without a repository. */
  commit: z.string().nullable(),
  /** Whether instructions, agents and servers of the folder were loaded. */
  trusted: z.boolean(),
  /** Where agents had the other folders of the project, such as `/lib`. Absent for none, and in records of earlier versions. */
  folders: z.array(z.string()).optional(),
  /** `replaced`: what looked like a secret is not in the record, so that a replay may make other trees. */
  secrets: z.enum(['replaced', 'kept']),
})

function line<Kind extends string, Shape extends z.core.$ZodLooseShape>(kind: Kind, shape: Shape) {
  return z.object({ kind: z.literal(kind), agent, ...shape })
}

/** What a tree had at a path that changed: how it is now, and how the folder had it. Null for nothing. */
export type ChangedPath = readonly [path: string, now: string | null, base: string | null]
const changedPath: ZodType<ChangedPath> = z.tuple([z.string(), z.string().nullable(), z.string().nullable()])

const assistantMessage = message.refine(({ role }) => role === 'assistant', 'It is not a reply') as unknown as ZodType<
  AssistantMessage,
  unknown
>

const errorCodes = [
  'no_key',
  'unauthorized',
  'forbidden',
  'not_found',
  'bad_request',
  'too_large',
  'context_window_exceeded',
  'rate_limited',
  'overloaded',
  'server',
  'unreachable',
  'cut',
  'malformed',
] as const satisfies readonly ModelErrorCode[]

const body = z.discriminatedUnion('kind', [
  line('agent', { type: z.string(), model: z.string() }),
  /** A name that is another one in every run: a thread, a branch, a process, the folder of a batch. */
  line('name', { of: z.enum(['thread', 'branch', 'process', 'folder']), name: z.string() }),
  /** A file beside the project that a person gave, as Base64. */
  line('input', { path: z.string(), data: z.string() }),
  /** A person started or continued the root agent. */
  line('start', { step: z.boolean() }),
  /** A person spoke; or the app did, with the origin `notice`. `delivery` is null for what found the agent at rest. */
  line('message', {
    ...{ replies, origin, content: userParts, delivery: z.enum(['queue', 'steer']).nullable() },
    command: commandUse.exactOptional(),
  }),
  /** `asks` counts the questions of all agents so far, because a mode decides which calls ask. */
  line('configure', {
    replies,
    asks: count,
    model: z.string(),
    approvalMode: z.enum(approvalModes),
    answerSchema: jsonObject.nullable().optional(),
    goal: goal.nullable().optional(),
  }),
  line('compact', { replies, atRest: z.boolean() }),
  line('reply', { number: z.int().min(1), message: assistantMessage, usage }),
  /** Null when the model gave none. */
  line('summary', { text: z.string().nullable(), usage }),
  /** Null when the version that stored the thread did not keep it. */
  line('grade', { text: z.string().nullable(), usage }),
  /** The model could not be asked for this reply. */
  line('error', { number: z.int().min(1), code: z.enum(errorCodes), message: z.string() }),
  /** Calls wait for a person. They are counted by agent, as in decisions. */
  line('ask', { calls: z.array(z.int()) }),
  /** `call` counts the calls of the agent. */
  line('decision', { call: count, decision }),
  /** The agent's tree after a call or a reply, where it is another than before. */
  line('tree', { step: count, tree: z.string(), changed: z.array(changedPath) }),
  /** `running` counts the calls that the end cut off. Calls that wait for other agents do not count. */
  line('end', { step: count, status: z.string(), reason: z.string(), tree: z.string(), running: z.array(count) }),
  /** A person did what no replay can repeat, such as a merge by hand. Holds the type of its entry. */
  line('act', { step: count, what: z.string() }),
])

export type RecordHeader = Readonly<z.infer<typeof header>>
export type RecordLine = Readonly<z.infer<typeof body>>
export type RecordKind = RecordLine['kind']
export type LineOf<Kind extends RecordKind> = Extract<RecordLine, { kind: Kind }>

export interface ThreadRecord {
  readonly header: RecordHeader
  readonly lines: readonly RecordLine[]
}

/** One line of the file, with its end. */
export function writeRecordLine(value: RecordHeader | RecordLine): string {
  return `${JSON.stringify(value)}\n`
}

/**
 * Reads a record. The error is a sentence for a person, with what to do next. A last line that was cut off is left out,
 * because a run may have been killed while it wrote.
 */
export function readRecord(text: string): Result<ThreadRecord, string> {
  const [first = '', ...rest] = text.split('\n')
  const head = readHeader(first)
  if (!head.ok) return head
  const texts = rest.at(-1) === '' ? rest.slice(0, -1) : rest
  const lines: RecordLine[] = []
  for (const [index, one] of texts.entries()) {
    const parsed = body.safeParse(parseJson(one))
    if (parsed.success) lines.push(parsed.data)
    else if (index === texts.length - 1 && parseJson(one) === undefined) break
    else return failure(damaged(index + 2, parsed.error))
  }
  return success({ header: head.value, lines })
}

function readHeader(text: string): Result<RecordHeader, string> {
  const value = parseJson(text)
  const known = z
    .object({ kind: z.literal('record'), version: z.number(), app: z.string().optional() })
    .safeParse(value)
  if (!known.success)
    return failure(
      'This is no record. Make one with: coppice run --record FILE, or coppice export THREAD --record FILE',
    )
  const { version, app } = known.data
  if (version > recordVersion)
    return failure(
      `This record is of a newer kind (${version}${app === undefined ? '' : `, written by Coppice ${app}`}). This version reads ${recordVersion}. Update Coppice, then replay it again.`,
    )
  const parsed = header.safeParse(value)
  return parsed.success ? success(parsed.data) : failure(damaged(1, parsed.error))
}

function damaged(number: number, { issues }: z.ZodError): string {
  const [issue] = issues
  const where = issue && issue.path.length > 0 ? ` (${issue.path.join('.')}: ${issue.message})` : ''
  return `Line ${number} of this record is damaged${where}. Make the record again, or restore the file.`
}

/** Undefined for a text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
