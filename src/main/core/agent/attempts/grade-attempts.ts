import { z } from 'zod'
import type { JsonObject } from '#shared/base/json.ts'
import { failure, type Result, success } from '#shared/base/result.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { gradeAttemptsPrompt, gradeAttemptsTask } from '../../prompts/grade-attempts.ts'
import type { Question } from '../runtime/ask-beside.ts'

/** What a grader sees of one attempt. */
export interface GradedEvidence {
  readonly index: number
  readonly change: string
  readonly checks: string
}

/** More attempts than this are not compared in one question. */
export const mostGraded = 12
const mostFindings = 20
const mostOfFinding = 500
const mostTokens = 4_000

const answer = z.object({
  attempts: z.array(z.object({ attempt: z.string(), findings: z.array(z.string()) })),
})
const answerSchema: JsonObject = {
  type: 'object',
  properties: {
    attempts: {
      type: 'array',
      items: {
        type: 'object',
        properties: { attempt: { type: 'string' }, findings: { type: 'array', items: { type: 'string' } } },
        required: ['attempt', 'findings'],
        additionalProperties: false,
      },
    },
  },
  required: ['attempts'],
  additionalProperties: false,
}

/** The question to a grader: the attempts in a random order, under letters that say nothing of who made them. */
export function gradeQuestion(
  task: string,
  evidence: readonly GradedEvidence[],
  { random, word }: { readonly random: () => number; readonly word: string },
): { readonly question: Question; readonly order: readonly number[] } {
  const shuffled = shuffle(evidence, random)
  const labelled = shuffled.map(({ change, checks }, place) => ({ label: labelOf(place), change, checks }))
  return {
    order: shuffled.map(({ index }) => index),
    question: {
      ...{ purpose: 'grade', system: gradeAttemptsPrompt, task: gradeAttemptsTask(task, labelled, word) },
      ...{ outputSchema: answerSchema, maxTokens: mostTokens },
    },
  }
}

/** The findings by the index of the attempt. Fails for an answer that leaves an attempt out or is none. */
export function readGrades(
  text: string,
  order: readonly number[],
): Result<ReadonlyMap<number, readonly string[]>, string> {
  const parsed = parse(text)
  if (parsed === null) return failure('The grader gave no list of findings.')
  const found = new Map<number, readonly string[]>()
  for (const { attempt, findings } of parsed.attempts) {
    const index = order[[...order.keys()].findIndex((place) => labelOf(place) === attempt.trim())]
    if (index === undefined || found.has(index)) continue
    const said = findings.map((one) => one.trim()).filter((one) => one !== '')
    found.set(
      index,
      said.slice(0, mostFindings).map((one) => beginningOf(one, mostOfFinding)),
    )
  }
  return order.every((index) => found.has(index)) ? success(found) : failure('The grader left attempts out.')
}

function parse(text: string): z.infer<typeof answer> | null {
  try {
    return answer.safeParse(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))).data ?? null
  } catch {
    return null
  }
}

function labelOf(place: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + place)
}

function shuffle<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const left = [...items]
  return items.flatMap(() => left.splice(Math.floor(random() * left.length), 1))
}
