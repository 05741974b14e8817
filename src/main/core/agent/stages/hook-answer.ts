import { z } from 'zod'
import type { JsonObject } from '#shared/base/json.ts'
import { isJson } from '#shared/base/json.ts'
import type { HookEvent } from '#shared/model/calls/hooks.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { jsonLimit } from '#shared/text/text-limits.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { HookEnd } from '../../ports/programs/hook-programs.ts'
import type { StageAnswer } from './stage.ts'

/** Characters of a text of a hook that an agent or a person gets. */
const mostText = 10_000

const text = z.string().transform((given) => beginningOf(given.trim(), mostText))
const object = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value),
)

/** What a hook may print, as Claude Code has it. What has no meaning here is left alone. */
const fields = {
  continue: z.boolean(),
  stopReason: text,
  suppressOutput: z.boolean(),
  systemMessage: text,
  decision: z.enum(['approve', 'block']),
  reason: text,
}
const specific = {
  permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']),
  permissionDecisionReason: text,
  updatedInput: object,
  additionalContext: text,
  updatedToolOutput: z.unknown(),
  updatedMCPToolOutput: z.unknown(),
  decision: z.object({
    behavior: z.enum(['allow', 'deny']),
    message: text.optional(),
    interrupt: z.boolean().optional(),
    updatedInput: object.optional(),
  }),
}

type Read<Shape extends z.core.$ZodShape> = { readonly [Key in keyof Shape]?: z.core.output<Shape[Key]> }

/** What a hook said. A field that is not as it should be is left out and named. */
interface Said extends Read<Omit<typeof fields, never>> {
  readonly specific: Read<typeof specific>
  readonly wrong: readonly string[]
}

/** Events at which a plain text is for the agent. */
const takesText: ReadonlySet<HookEvent> = new Set(['UserPromptSubmit', 'SessionStart', 'SubagentStart'])
/** Events that nothing can stop: a refusal is only told to the person. */
const cannotRefuse: ReadonlySet<HookEvent> = new Set([
  ...(['SessionStart', 'SessionEnd', 'SubagentStart', 'Notification', 'BranchMerged'] as const),
])

/**
 * What the end of a hook means: exit code 2 refuses with what stands in its standard error, another one is a failure that lets
 * things go on, and 0 is an answer, as JSON or as text.
 */
export function readHookAnswer(event: HookEvent, end: HookEnd, blocksOnFailure = false): StageAnswer {
  const { exitCode, stdout, stderr, problem } = end
  const failed = (why: string): StageAnswer =>
    blocksOnFailure ? { problem: why, ...refusal(event, why) } : { problem: why }
  if (problem !== null) return failed(problem)
  if (exitCode === 2)
    return refusal(event, beginningOf(stderr.trim() || stdout.trim(), mostText) || 'It gave no reason.')
  if (exitCode !== 0) return failed(failureText(exitCode, stderr))
  const printed = stdout.trim()
  if (!printed.startsWith('{')) return takesText.has(event) && printed !== '' ? { add: cut(printed) } : {}
  const said = readSaid(printed)
  if (said === null)
    return failed(`It printed something that begins like JSON and is none: ${oneLine(beginningOf(printed, 200))}`)
  return answerOf(event, said)
}

function failureText(exitCode: number | null, stderr: string): string {
  const line = stderr.trim().split('\n').at(-1) ?? ''
  return `It ended with exit code ${exitCode}. ${oneLine(beginningOf(line, 300))}`.trim()
}

function cut(given: string): string {
  return beginningOf(given, mostText)
}

/** A refusal where nothing can be refused is told to the person; after a call it is told to the agent. */
function refusal(event: HookEvent, reason: string): StageAnswer {
  if (event === 'PostToolUse') return { add: reason, said: reason }
  return cannotRefuse.has(event) ? { said: reason } : { verdict: { kind: 'refuse', reason } }
}

/** Null for what is no JSON object. */
function readSaid(printed: string): Said | null {
  if (jsonLimit(printed) !== undefined) return null
  let value: unknown
  try {
    value = JSON.parse(printed)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const given = value as Readonly<Record<string, unknown>>
  const wrong: string[] = []
  const own = readFields(fields, given, '', wrong)
  const inner = given.hookSpecificOutput
  const isObject = typeof inner === 'object' && inner !== null
  if (inner !== undefined && !isObject) wrong.push('hookSpecificOutput')
  const more = isObject
    ? readFields(specific, inner as Readonly<Record<string, unknown>>, 'hookSpecificOutput.', wrong)
    : {}
  return { ...own, specific: more, wrong }
}

function readFields<Shape extends z.core.$ZodShape>(
  shape: Shape,
  given: Readonly<Record<string, unknown>>,
  where: string,
  wrong: string[],
): Read<Shape> {
  const read = Object.entries(shape).flatMap(([key, schema]) => {
    if (given[key] === undefined || given[key] === null) return []
    const parsed = z.safeParse(schema, given[key])
    if (!parsed.success) wrong.push(`${where}${key}`)
    return parsed.success ? [[key, parsed.data] as const] : []
  })
  return Object.fromEntries(read) as Read<Shape>
}

function answerOf(event: HookEvent, said: Said): StageAnswer {
  const { specific: more, wrong, systemMessage, stopReason } = said
  const content = more.updatedToolOutput ?? more.updatedMCPToolOutput
  const input = more.updatedInput ?? more.decision?.updatedInput
  const verdict = verdictOf(event, said)
  return {
    ...verdict,
    ...(input && (event === 'PreToolUse' || event === 'PermissionRequest') && { input }),
    ...(content !== undefined && event === 'PostToolUse' && { content: outputText(content) }),
    ...(more.additionalContext && { add: joined(verdict.add, more.additionalContext) }),
    ...(systemMessage && { said: systemMessage }),
    ...(said.continue === false && { stop: stopReason || 'It gave no reason.' }),
    ...(wrong.length > 0 && { problem: `It said something that cannot be read in ${wrong.join(', ')}.` }),
  }
}

function joined(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first}\n${second}`
}

function verdictOf(event: HookEvent, { specific: more, decision, reason = '', wrong }: Said): StageAnswer {
  if (event === 'PermissionRequest' && more.decision) {
    const { behavior, message = '' } = more.decision
    return { verdict: { kind: behavior === 'deny' ? 'refuse' : 'allow', reason: message } }
  }
  const why = more.permissionDecisionReason ?? reason
  if (more.permissionDecision === 'deny' || decision === 'block') return refusal(event, why || 'It gave no reason.')
  // A decision that nobody can read may have been meant to guard.
  const unreadable = wrong.some((key) => /ecision$/.test(key))
  if (more.permissionDecision === 'ask' || (unreadable && event === 'PreToolUse'))
    return { verdict: { kind: 'ask', reason: why } }
  if (more.permissionDecision === 'allow' || decision === 'approve') return { verdict: { kind: 'allow', reason: why } }
  return {}
}

/** The text of an output in one of the shapes that tools of Claude Code have. */
function outputText(given: unknown): string {
  if (typeof given === 'string') return given
  if (typeof given === 'object' && given !== null)
    for (const key of ['stdout', 'content', 'text', 'result']) {
      const value = (given as Readonly<Record<string, unknown>>)[key]
      if (typeof value === 'string') return value
    }
  return JSON.stringify(given) ?? ''
}
