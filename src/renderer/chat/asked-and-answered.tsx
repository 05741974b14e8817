import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { JsonObject } from '#shared/base/json.ts'
import { choicesIn, questionsIn } from '#shared/tools/questions.ts'
import { plainWords } from '#shared/tools/tool-labels.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { withKeys } from '../ui/react/elements.tsx'

/** Questions of an agent as they were asked, each with what its person chose and wrote. */
export function AskedAndAnswered({ args, answer }: { readonly args: JsonObject; readonly answer: string }): ReactNode {
  const questions = questionsIn(args)
  const choices = choicesIn(questions, answer)
  return withKeys(questions).map(({ key, item: { text, options } }, index) => {
    const { chosen = [], other = '' } = choices[index] ?? {}
    return (
      <section key={key} aria-label={plainWords(text)} className="flex flex-col gap-1">
        <p className="whitespace-pre-wrap font-medium">{plainWords(text)}</p>
        <ul className="flex max-h-72 flex-col gap-0.5 overflow-auto">
          {withKeys(options).map(({ key: at, item: { label } }) => (
            <li key={at} className={chosen.includes(label) ? undefined : 'ml-5.5 text-muted'}>
              {chosen.includes(label) && (
                <CircleCheck size={14} aria-label={strings.chat.chosen} className="mr-2 inline text-good" />
              )}
              <VisibleText text={label} />
            </li>
          ))}
        </ul>
        {other !== '' && (
          <p dir="auto" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
            <span className="text-muted">{strings.chat.answered}</span> {other}
          </p>
        )}
      </section>
    )
  })
}
