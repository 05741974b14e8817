import { type FormEvent, type ReactNode, useId } from 'react'
import { type AskedQuestion, answerOfChoices, choose, type QuestionChoice } from '#shared/tools/questions.ts'
import { plainWords } from '#shared/tools/tool-labels.ts'
import { cardStrings } from '../../strings/later/card.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextInput } from '../../ui/controls/field.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { withKeys } from '../../ui/react/elements.tsx'

const labels = cardStrings
const nothing: QuestionChoice = { chosen: [], other: '' }

interface QuestionFormProps {
  readonly questions: readonly AskedQuestion[]
  readonly choices: readonly QuestionChoice[]
  /** True for a question that stands above the form already. */
  readonly isAsked: boolean
  /** False while no answer can be sent. */
  readonly ready: boolean
  readonly onChoose: (choices: readonly QuestionChoice[]) => void
  readonly onAnswer: (message: string) => void
}

/** Questions that are answered together: options, one or several of each, and words beside them. */
export function QuestionForm({ questions, choices, isAsked, ready, onChoose, onAnswer }: QuestionFormProps): ReactNode {
  const answer = answerOfChoices(questions, choices)
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (ready && answer !== null) onAnswer(answer)
  }
  const change = (at: number, choice: QuestionChoice): void =>
    onChoose(questions.map((_, index) => (index === at ? choice : (choices[index] ?? nothing))))
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {withKeys(questions).map(({ key, item }, at) => (
        <QuestionFields
          key={key}
          question={item}
          choice={choices[at] ?? nothing}
          isAsked={isAsked}
          onChange={(choice) => change(at, choice)}
        />
      ))}
      <Button type="submit" tone="primary" className="self-start" disabled={!ready || answer === null}>
        {labels.sendAnswer}
      </Button>
    </form>
  )
}

interface QuestionFieldsProps {
  readonly question: AskedQuestion
  readonly choice: QuestionChoice
  readonly isAsked: boolean
  readonly onChange: (choice: QuestionChoice) => void
}

function QuestionFields({ question, choice, isAsked, onChange }: QuestionFieldsProps): ReactNode {
  const name = useId()
  const { text, options, isMultiple } = question
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className={isAsked ? 'sr-only' : 'mb-1 whitespace-pre-wrap font-medium text-base'}>
        {plainWords(text)}
      </legend>
      {withKeys(options).map(({ key, item: { label, detail } }) => (
        <label key={key} className="flex items-start gap-2">
          <input
            type={isMultiple ? 'checkbox' : 'radio'}
            name={name}
            checked={choice.chosen.includes(label)}
            onChange={() => onChange(choose(question, choice, label))}
            className="mt-0.5 size-4 accent-accent-solid"
          />
          <span className="min-w-0">
            <VisibleText text={label} />
            {detail !== '' && (
              <span className="block text-muted text-xs">
                <VisibleText text={detail} />
              </span>
            )}
          </span>
        </label>
      ))}
      <TextInput
        aria-label={options.length === 0 ? labels.answer : labels.otherAnswer}
        placeholder={options.length === 0 ? labels.answer : labels.otherAnswer}
        value={choice.other}
        onChange={({ target }) =>
          onChange({ chosen: isMultiple || target.value === '' ? choice.chosen : [], other: target.value })
        }
      />
    </fieldset>
  )
}
