import type { ThreadId, ToolCallId } from '../ids.ts'

/** One line of a form that a server asks a person to fill in. */
export interface QuestionField {
  readonly name: string
  /** What a person reads; the name when the server gives none. */
  readonly title: string
  /** Empty when the server gives none. */
  readonly description: string
  readonly required: boolean
  readonly kind: 'text' | 'number' | 'integer' | 'yes or no' | 'one of' | 'some of'
  /** For the last two kinds; empty for the others. */
  readonly options: readonly { readonly value: string; readonly title: string }[]
  /** What it holds at first; null for nothing. */
  readonly initial: FieldValue | null
}

export type FieldValue = string | number | boolean | readonly string[]

/** What a server asks a person during a call. */
export type AskedByServer =
  | { readonly kind: 'form'; readonly message: string; readonly fields: readonly QuestionField[] }
  /** A page to open. What the person does there, the server hears from there. */
  | { readonly kind: 'address'; readonly message: string; readonly address: string }

export type ServerQuestion = AskedByServer & {
  readonly id: string
  /** As the settings call it. */
  readonly server: string
  readonly threadId: ThreadId
  readonly callId: ToolCallId
}

export type ServerAnswer =
  /** `values` by the names of the fields; empty for a page. */
  | { readonly action: 'accept'; readonly values: Readonly<Record<string, FieldValue>> }
  | { readonly action: 'decline' | 'cancel' }

/** Why an answer does not fit the question, as a sentence. Null when it does. */
export function answerProblem(question: AskedByServer, answer: ServerAnswer): string | null {
  if (answer.action !== 'accept') return null
  const fields = question.kind === 'form' ? question.fields : []
  const unknown = Object.keys(answer.values).find((name) => fields.every((field) => field.name !== name))
  if (unknown !== undefined) return `Nothing called ${JSON.stringify(unknown)} was asked.`
  for (const field of fields) {
    const value = Object.hasOwn(answer.values, field.name) ? answer.values[field.name] : undefined
    const problem = value === undefined ? (field.required ? 'is missing' : null) : valueProblem(field, value)
    if (problem !== null) return `${JSON.stringify(field.title)} ${problem}.`
  }
  return null
}

function valueProblem({ kind, options }: QuestionField, value: FieldValue): string | null {
  const isOption = (one: string) => options.some((option) => option.value === one)
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? null : 'takes a text'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'takes a number'
    case 'integer':
      return Number.isInteger(value) ? null : 'takes a whole number'
    case 'yes or no':
      return typeof value === 'boolean' ? null : 'takes yes or no'
    case 'one of':
      return typeof value === 'string' && isOption(value) ? null : 'takes one of its options'
    case 'some of':
      return typeof value === 'object' && value.every(isOption) ? null : 'takes some of its options'
  }
}
