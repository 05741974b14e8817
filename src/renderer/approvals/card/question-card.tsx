import type { FormEvent, ReactNode } from 'react'
import { optionsOf } from '#shared/tools/card.ts'
import { type AskedQuestion, answerOfChoices, questionsIn, singleQuestion } from '#shared/tools/questions.ts'
import { plainWords } from '#shared/tools/tool-labels.ts'
import { cardStrings } from '../../strings/later/card.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextArea } from '../../ui/controls/field.tsx'
import { useAnswer } from '../use-answer.ts'
import { useArmed } from '../use-armed.ts'
import { CardFrame } from './card-frame.tsx'
import { ChangedBy } from './changed-by.tsx'
import { QuestionForm } from './question-form.tsx'
import type { CardProps } from './use-card.ts'

const labels = cardStrings
const mostButtons = 12

/** Only a few options that say all by their label are buttons that answer at once. */
function hasButtons(question: AskedQuestion | undefined): boolean {
  const { options = [] } = question ?? {}
  const isPlain = options.every(({ detail, preview }) => detail === '' && preview === undefined)
  return question !== undefined && options.length <= mostButtons && isPlain
}

/** A question of the agent, answered by one of its options or in words; or several that are answered together. */
export function QuestionCard({ interrupt, request, position, busy, onDecide }: CardProps): ReactNode {
  const armed = useArmed(request.callId)
  const [{ reply: answer, choices }, keep] = useAnswer(interrupt, request)
  const questions = questionsIn(request.args)
  const isPlain = hasButtons(singleQuestion(request.args))
  const isForm = questions.length > 0 && !isPlain
  const ready = armed && !busy
  const respond = (message: string): void => {
    if (ready && message.trim() !== '') onDecide({ type: 'respond', callId: request.callId, message })
  }
  /** An option is the answer. Beside words that are typed already, it goes in front of them, and both are sent together. */
  function choose(option: string): void {
    if (answer.trim() === '') respond(option)
    else keep({ reply: `${option}\n${answer}` })
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    respond(answer)
  }
  return (
    <CardFrame
      interrupt={interrupt}
      request={request}
      position={position}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
          respond(isForm ? (answerOfChoices(questions, choices) ?? '') : answer)
      }}
    >
      <ChangedBy request={request} />
      {isForm ? (
        <QuestionForm
          questions={questions}
          choices={choices}
          isAsked={questions.length === 1 && questions[0]?.text === request.description}
          ready={ready}
          onChoose={(next) => keep({ choices: next })}
          onAnswer={respond}
        />
      ) : (
        <>
          {typeof request.args.question === 'string' && request.args.question !== request.description && (
            <p className="whitespace-pre-wrap text-base">{plainWords(request.args.question)}</p>
          )}
          <div className="flex flex-wrap gap-2">
            {optionsOf(request).map((option) => (
              <Button key={option} disabled={!ready} onClick={() => choose(option)}>
                {option}
              </Button>
            ))}
          </div>
          <form onSubmit={submit} className="flex items-end gap-2">
            <TextArea
              aria-label={labels.answer}
              placeholder={labels.answer}
              rows={2}
              value={answer}
              onChange={(event) => keep({ reply: event.target.value })}
            />
            <Button type="submit" tone="primary" disabled={!ready || answer.trim() === ''}>
              {labels.sendAnswer}
            </Button>
          </form>
        </>
      )}
    </CardFrame>
  )
}
