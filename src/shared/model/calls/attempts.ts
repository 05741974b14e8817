import type { JsonObject, JsonValue } from '../../base/json.ts'
import type { CheckOutcome } from '../check.ts'
import { type Effort, efforts } from '../models/model-facts.ts'

/** The tool that tries one task several times at once. Its call is a batch whose rows are the attempts. */
export const attemptsTool = 'attempts'

/** More attempts than this at one task count as a mistake. */
export const mostAttempts = 100

/** What is different in one attempt. */
export interface AttemptVariant {
  /** A model as settings name it. Absent for the one that was asked. */
  readonly model?: string | undefined
  /** A kind of subagent. Absent for the usual one. */
  readonly agent?: string | undefined
  readonly effort?: Effort | undefined
  /** A sentence that follows the task. */
  readonly hint?: string | undefined
}

/** Several attempts at one task, as a person wants them for a message. */
export interface AttemptsWish {
  readonly n: number
  /** Dealt out in turn: with fewer than `n`, the first is used again after the last. Absent for none. */
  readonly variants?: readonly AttemptVariant[] | undefined
  /** US dollars over all attempts. Absent for the limits of the settings alone. */
  readonly budget?: number | undefined
  /** Names of checks. Absent for every required one. */
  readonly checks?: readonly string[] | undefined
}

/**
 * What the checks say of one attempt. `none`: there is no check, or none could run. `no change`: its files are those of
 * the fork, so whatever a check says of them is no deed of it.
 */
export const attemptVerdicts = ['green', 'flaky', 'red', 'none', 'no change'] as const
export type AttemptVerdict = (typeof attemptVerdicts)[number]

/** What a check says of one attempt. */
export interface AttemptCheck {
  readonly name: string
  readonly outcome: CheckOutcome
  /** True when it was green before anything changed, so that a green one says only that nothing broke. */
  readonly before?: true
}

/** What was found of one attempt. Nothing of it is the word of its model. */
export interface JudgedAttempt {
  /** 0-based, in the order of the forks. */
  readonly index: number
  readonly verdict: AttemptVerdict
  readonly checks: readonly AttemptCheck[]
  readonly files: number
  /** Lines added and removed. */
  readonly lines: number
  /** US dollars when it was judged; null when a price is unknown. */
  readonly cost: number | null
  /** What a grader found wrong, who saw the change and the checks alone. Null for one that was not graded. */
  readonly findings: readonly string[] | null
  /** The first attempt with the same files; null for an attempt with files of its own. */
  readonly same: number | null
  /** Why it was stopped before its end. Null for one that was not. */
  readonly stopped: string | null
}

/**
 * The better one first: green, then fewer red checks, then fewer flaky ones, then fewer findings, the smaller change and the
 * lower cost. Attempts that nobody could judge come behind all that were, and those that changed nothing come last. What is
 * equal in all of it stays in the order of the forks.
 */
function compareAttempts(a: JudgedAttempt, b: JudgedAttempt): number {
  const before = evidenceOf(a)
  const after = evidenceOf(b)
  for (const [place, value] of before.entries()) {
    const other = after[place] ?? 0
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}

const notJudged: Readonly<Record<AttemptVerdict, number>> = { green: 0, flaky: 0, red: 0, none: 1, 'no change': 2 }
const unknown = Number.MAX_VALUE

function evidenceOf({ verdict, checks, findings, lines, files, cost, index }: JudgedAttempt): readonly number[] {
  const count = (wanted: CheckOutcome) => checks.filter(({ outcome }) => outcome === wanted).length
  return [
    ...[notJudged[verdict], count('red'), count('flaky')],
    // One that was not graded is no better than one in which nothing was found.
    ...[findings?.length ?? 0, lines, files, cost ?? unknown, index],
  ]
}

/** All of them, the best first. */
export function rankAttempts(judged: Iterable<JudgedAttempt>): readonly JudgedAttempt[] {
  return [...judged].sort(compareAttempts)
}

/** The one that may be taken without asking: it changed something and every check is green. Null when there is none. */
export function bestAttempt(judged: Iterable<JudgedAttempt>): JudgedAttempt | null {
  const [best] = rankAttempts(judged)
  return best?.verdict === 'green' ? best : null
}

/** The checks that were green before anything changed, and are so after an attempt. */
export function greenBefore(checks: JudgedAttempt['checks']): readonly string[] {
  return checks.flatMap(({ name, outcome, before }) => (before && outcome === 'green' ? [name] : []))
}

/** What checks and change make of an attempt together. */
export function verdictOf(isChanged: boolean, checks: JudgedAttempt['checks']): AttemptVerdict {
  if (!isChanged) return 'no change'
  const outcomes = new Set(checks.map(({ outcome }) => outcome))
  if (outcomes.has('red')) return 'red'
  if (outcomes.has('flaky')) return 'flaky'
  return outcomes.has('green') ? 'green' : 'none'
}

/** For each tree the first place of an equal one before it; null where there is none. */
export function sameAsBefore(trees: readonly string[]): readonly (number | null)[] {
  const first = new Map<string, number>()
  return trees.map((tree, place) => {
    const before = first.get(tree)
    if (before === undefined) first.set(tree, place)
    return before ?? null
  })
}

/** The variant of each attempt that a call asks for. Its schema has been checked. */
export function variantsOf({ n, variants }: JsonObject): readonly AttemptVariant[] {
  const given = Array.isArray(variants) ? variants.filter(isObject) : []
  return Array.from({ length: typeof n === 'number' ? Math.min(n, mostAttempts) : 0 }, (_, index) => {
    const variant = given.length > 0 ? given[index % given.length] : undefined
    return variant ? readVariant(variant) : {}
  })
}

function readVariant({ model, agent, effort, hint }: JsonObject): AttemptVariant {
  const level = efforts.find((one) => one === effort)
  return {
    ...(typeof model === 'string' && { model }),
    ...(typeof agent === 'string' && { agent }),
    ...(level !== undefined && { effort: level }),
    ...(typeof hint === 'string' && { hint }),
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The words of one attempt's task. */
export function taskOfAttempt(task: string, { hint }: AttemptVariant): string {
  return hint === undefined || hint.trim() === '' ? task : `${task}\n\nHint for this attempt: ${hint}`
}
