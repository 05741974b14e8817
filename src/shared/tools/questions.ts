import type { JsonObject, JsonValue } from '../base/json.ts'
import { isJsonObject } from '../base/json.ts'

/** How the preview of an option is drawn. */
export const previewKinds = ['text', 'markdown', 'diff'] as const
export type PreviewKind = (typeof previewKinds)[number]

/** The most options of a question, and the most characters of a preview. */
export const mostOptions = 200
export const mostPreviewCharacters = 10_000

/** An answer to choose from. */
export interface AskedOption {
  readonly label: string
  /** What it means, in a line; empty for nothing. */
  readonly detail: string
  /** What it would look like. Absent for most. */
  readonly preview?: { readonly text: string; readonly kind: PreviewKind }
}

/** A question of an agent, as a person reads it. */
export interface AskedQuestion {
  readonly text: string
  /** The answers to choose from; empty for one that is answered in words. */
  readonly options: readonly AskedOption[]
  /** True when several of them may be chosen together. */
  readonly isMultiple: boolean
}

/** What a person has chosen so far for one question. */
export interface QuestionChoice {
  /** Labels of options. */
  readonly chosen: readonly string[]
  /** An answer in words, alone or beside the options. */
  readonly other: string
}

/** The questions of a call of `ask_user`, one or several. Arguments in another form make none. */
export function questionsIn(args: JsonObject): readonly AskedQuestion[] {
  const several = Array.isArray(args.questions) ? args.questions : []
  return [args, ...several].flatMap((one) => (isJsonObject(one) ? (questionIn(one) ?? []) : []))
}

function questionIn({ question, options, multiple }: JsonObject): AskedQuestion | undefined {
  if (typeof question !== 'string') return undefined
  return {
    text: question,
    options: Array.isArray(options) ? options.flatMap((one) => optionIn(one) ?? []) : [],
    isMultiple: multiple === true,
  }
}

function optionIn(option: JsonValue): AskedOption | undefined {
  if (typeof option === 'string') return { label: option, detail: '' }
  if (!isJsonObject(option) || typeof option.label !== 'string') return undefined
  const { label, detail, preview, preview_as: given } = option
  const kind = previewKinds.find((one) => one === given) ?? 'text'
  return {
    label,
    detail: typeof detail === 'string' ? detail : '',
    ...(typeof preview === 'string' && preview.trim() !== '' && { preview: { text: preview, kind } }),
  }
}

/** The question whose options can be buttons that answer at once. Undefined for several, and for several answers. */
export function singleQuestion(args: JsonObject): AskedQuestion | undefined {
  const [first, ...more] = questionsIn(args)
  return more.length > 0 || first?.isMultiple ? undefined : first
}

/** The questions as text, each with its options, for where no form can be shown. */
export function questionText(args: JsonObject): string {
  const questions = questionsIn(args)
  return questions
    .map(({ text, options }, index) => {
      const head = questions.length > 1 ? `${index + 1}. ${text}` : text
      const shown = questions.length > 1 || singleQuestion(args) === undefined ? options : []
      return [head, ...shown.map(({ label, detail }) => `   - ${label}${detail === '' ? '' : `: ${detail}`}`)].join(
        '\n',
      )
    })
    .join('\n')
}

/** The answer that the agent reads. Null while a question has none. */
export function answerOfChoices(
  questions: readonly AskedQuestion[],
  choices: readonly QuestionChoice[],
): string | null {
  const answers = questions.map((_, index) => {
    const { chosen = [], other = '' } = choices[index] ?? {}
    return [...chosen, other.trim()].filter((one) => one !== '')
  })
  if (answers.length === 0 || answers.some((given) => given.length === 0)) return null
  const [only = []] = answers
  if (questions.length === 1) return only.join('\n')
  return questions
    .map(({ text }, index) => `${text}\n${(answers[index] ?? []).map((one) => `- ${one}`).join('\n')}`)
    .join('\n\n')
}

/** What a person chose, read back from the answer that the agent got, for each question in order. */
export function choicesIn(questions: readonly AskedQuestion[], answer: string): readonly QuestionChoice[] {
  if (questions.length === 1) return questions.map((question) => choiceIn(question, answer.split('\n')))
  let rest = answer
  return questions.map((question, index) => {
    const next = questions[index + 1]?.text
    const end = next === undefined ? -1 : rest.indexOf(`\n\n${next}\n`, question.text.length)
    const part = end < 0 ? rest : rest.slice(0, end)
    rest = end < 0 ? '' : rest.slice(end + 2)
    const given = part.slice(question.text.length + 1).split(/\n(?=- )/)
    return choiceIn(
      question,
      given.map((line) => line.replace(/^- /, '')),
    )
  })
}

function choiceIn({ options }: AskedQuestion, given: readonly string[]): QuestionChoice {
  const labels = new Set(options.map(({ label }) => label))
  const chosen = given.filter((one) => labels.has(one))
  return { chosen, other: given.filter((one) => !labels.has(one)).join('\n') }
}

/** A choice with an option taken or given back. Where one answer counts, another option and words are given back. */
export function choose(
  { isMultiple }: AskedQuestion,
  { chosen, other }: QuestionChoice,
  label: string,
): QuestionChoice {
  if (chosen.includes(label)) return { chosen: chosen.filter((one) => one !== label), other }
  return isMultiple ? { chosen: [...chosen, label], other } : { chosen: [label], other: '' }
}
