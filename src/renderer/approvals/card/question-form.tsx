import { type FormEvent, type ReactNode, useId, useState } from 'react'
import {
  type AskedOption,
  type AskedQuestion,
  answerOfChoices,
  choose,
  type QuestionChoice,
} from '#shared/tools/questions.ts'
import { plainWords } from '#shared/tools/tool-labels.ts'
import { cardStrings } from '../../strings/later/card.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextInput } from '../../ui/controls/field.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { withKeys } from '../../ui/react/elements.tsx'
import { OptionPreview } from './option-preview.tsx'

const labels = cardStrings
const nothing: QuestionChoice = { chosen: [], other: '' }
/** A question with more options has a field that searches them. */
const fewOptions = 12

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
    <form onSubmit={submit} className="@container flex flex-col gap-3">
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
  const { text, options, isMultiple } = question
  /** The option that has the focus or the pointer. Its preview is shown, else that of the one chosen last. */
  const [looked, setLooked] = useState<string | null>(null)
  const [search, setSearch] = useState('')
  const shown = options.filter((option) => choice.chosen.includes(option.label) || fitsSearch(option, search))
  const named = options.find(({ label }) => label === (looked ?? choice.chosen.at(-1)))
  const first = options.find(({ preview }) => preview !== undefined)
  const previewed = named ?? first
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className={isAsked ? 'sr-only' : 'mb-1 whitespace-pre-wrap font-medium text-base'}>
        {plainWords(text)}
      </legend>
      {options.length > fewOptions && (
        <div className="flex items-center gap-2">
          <TextInput
            type="search"
            aria-label={labels.searchOptions}
            placeholder={labels.searchOptions}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
            // Enter would send the answer before it is chosen.
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
          <span role="status" className="shrink-0 text-muted text-xs tabular-nums">
            {labels.optionsShown(shown.length, options.length)}
          </span>
        </div>
      )}
      <div className={classNames('grid gap-2', first && '@xl:grid-cols-[minmax(10rem,2fr)_minmax(0,3fr)]')}>
        <OptionList
          question={question}
          options={shown}
          choice={choice}
          onLook={setLooked}
          onChoose={(label) => onChange(choose(question, choice, label))}
        />
        {previewed && <OptionPreview {...previewed} />}
      </div>
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

function fitsSearch({ label, detail }: AskedOption, search: string): boolean {
  const text = `${label} ${detail}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

interface OptionListProps {
  readonly question: AskedQuestion
  readonly options: readonly AskedOption[]
  readonly choice: QuestionChoice
  readonly onLook: (label: string | null) => void
  readonly onChoose: (label: string) => void
}

function OptionList({ question: { isMultiple }, options, choice, onLook, onChoose }: OptionListProps): ReactNode {
  const name = useId()
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1', options.length > fewOptions && 'max-h-72 overflow-auto')}>
      {withKeys(options).map(({ key, item: { label, detail } }) => (
        <label
          key={key}
          className="flex items-start gap-2"
          onPointerEnter={() => onLook(label)}
          onPointerLeave={() => onLook(null)}
        >
          <input
            type={isMultiple ? 'checkbox' : 'radio'}
            name={name}
            checked={choice.chosen.includes(label)}
            onChange={() => onChoose(label)}
            onFocus={() => onLook(label)}
            onBlur={() => onLook(null)}
            className="mt-0.5 size-4 shrink-0 accent-accent-solid"
          />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <VisibleText text={label} />
            {detail !== '' && (
              <span className="block text-muted text-xs">
                <VisibleText text={detail} />
              </span>
            )}
          </span>
        </label>
      ))}
    </div>
  )
}
