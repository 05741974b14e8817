import type { z } from 'zod'
import { type JsonObject, type JsonValue, structureIn } from '#shared/base/json.ts'

/** Arguments as a tool takes them. */
export interface FittedArguments<Arguments> {
  readonly parsed: z.ZodSafeParseResult<Arguments>
  /** What was taken as something else than it was written as, in sentences for the model. */
  readonly understood: readonly string[]
}

/**
 * Reads the arguments of a call. Where a value is of the wrong kind and its meaning is plain, it is taken as what the tool
 * wants: `"10"` as 10, `"[1]"` as a list, null as an argument that is not there. Nothing is lost by that, and everything
 * else stays an error. Texts and words of logic are never made, because rules judge those as they were written: paths,
 * command lines, and whether a command stays in the background.
 */
export function fitArguments<Arguments>(schema: z.ZodType<Arguments>, args: JsonObject): FittedArguments<Arguments> {
  let given: JsonValue = args
  const understood: string[] = []
  // A list that was text may hold such values again.
  for (let round = 0; round < mostRounds; round += 1) {
    const parsed = schema.safeParse(given)
    const fixes = parsed.success ? [] : parsed.error.issues.flatMap((issue) => fixOf(issue, given))
    if (fixes.length === 0) return { parsed, understood: parsed.success ? understood : [] }
    for (const { path, value, said } of fixes) {
      given = replaced(given, path, value)
      understood.push(said)
    }
  }
  return { parsed: schema.safeParse(given), understood }
}

const mostRounds = 4

type Path = readonly (string | number)[]

interface Fix {
  readonly path: Path
  /** Undefined for one that is left out. */
  readonly value: JsonValue | undefined
  readonly said: string
}

function fixOf(issue: z.core.$ZodIssue, args: JsonValue): readonly Fix[] {
  const expected = expectedBy(issue)
  const path = issue.path.filter((step): step is string | number => typeof step !== 'symbol')
  const given = path.reduce<JsonValue | undefined>(
    (value, step) =>
      typeof value === 'object' && value !== null ? (value as Readonly<Record<string, JsonValue>>)[step] : undefined,
    args,
  )
  if (expected === undefined || path.length === 0 || given === undefined) return []
  const name = path.join('.')
  if (given === null && typeof path.at(-1) === 'string')
    return [{ path, value: undefined, said: `${name} was null and counts as not given.` }]
  const value = losslessly(given, expected)
  if (value === undefined) return []
  const shown = JSON.stringify(value)
  const what = shown.length > 60 ? `a value of the kind ${expected}` : shown
  return [{ path, value, said: `${name} was given as text and taken as ${what}.` }]
}

/** The kind of value that an issue asks for. A tool of a server passes it on in `params`. */
function expectedBy(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'invalid_type') return issue.expected
  const params: unknown = issue.code === 'custom' ? issue.params : undefined
  const expected = typeof params === 'object' && params !== null && 'expected' in params ? params.expected : undefined
  return typeof expected === 'string' ? expected : undefined
}

/** The same as a value of another kind. Undefined when something would be lost, or guessed. */
function losslessly(given: JsonValue, expected: string): JsonValue | undefined {
  switch (expected) {
    case 'number':
    case 'int':
    case 'integer':
      return typeof given === 'string' && /^-?(0|[1-9]\d{0,14})(\.\d{1,6})?$/.test(given.trim())
        ? Number(given)
        : undefined
    case 'array': {
      const read = typeof given === 'string' ? structureIn(given) : undefined
      return Array.isArray(read) ? read : undefined
    }
    case 'object':
    case 'record': {
      const read = typeof given === 'string' ? structureIn(given) : undefined
      return typeof read === 'object' && read !== null && !Array.isArray(read) ? read : undefined
    }
    default:
      return undefined
  }
}

function replaced(value: JsonValue, [step, ...rest]: Path, next: JsonValue | undefined): JsonValue {
  if (step === undefined) return next ?? null
  if (Array.isArray(value)) return value.map((one, at) => (at === step ? replaced(one, rest, next) : one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      if (key !== step) return [[key, one] as const]
      return rest.length === 0 && next === undefined ? [] : [[key, replaced(one, rest, next)] as const]
    }),
  )
}
