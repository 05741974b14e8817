import type { Interrupt, WorkMode } from '#shared/model/calls/interrupt.ts'
import type { QuestionChoice } from '#shared/tools/questions.ts'

/** What a person has typed on the card of a call, and not sent yet. */
export interface Answer {
  /** The edited command or arguments; null before the first edit. It stays when the person leaves the edit. */
  readonly edited: string | null
  /** Whether the card shows `edited`, so that an approval runs it. */
  readonly editing: boolean
  /** The reason of a rejection, or words to the agent. */
  readonly reason: string
  /** The hosts that the command may reach, as typed. */
  readonly network: string
  /** The answer to a question. */
  readonly reply: string
  /** What is chosen so far for each of several questions. */
  readonly choices: readonly QuestionChoice[]
  /** The files of a tried call that are kept, by path; null for all of them. */
  readonly kept: readonly string[] | null
  /** The mode in which a plan is carried out; null while the person chose none. */
  readonly mode: WorkMode | null
}

/** The answers of the window, by interrupt and call. */
export type Answers = Readonly<Record<string, Answer>>

export const emptyAnswer: Answer = {
  edited: null,
  editing: false,
  reason: '',
  network: '',
  reply: '',
  choices: [],
  kept: null,
  mode: null,
}

type CallId = Interrupt['action_requests'][number]['callId']

export function answerKey({ id }: Pick<Interrupt, 'id'>, callId: CallId): string {
  return `${id} ${callId}`
}

/** Changes the answer under `key`. Forgets the others that are not under one of the `waiting` keys. */
export function changeAnswer(
  answers: Answers,
  key: string,
  change: Partial<Answer>,
  waiting: ReadonlySet<string>,
): Answers {
  const kept = Object.entries(answers).filter(([other]) => waiting.has(other))
  return { ...Object.fromEntries(kept), [key]: { ...(answers[key] ?? emptyAnswer), ...change } }
}

/** Forgets the answers to calls that were decided. */
export function forgetAnswers(answers: Answers, keys: readonly string[]): Answers {
  return Object.fromEntries(Object.entries(answers).filter(([key]) => !keys.includes(key)))
}
