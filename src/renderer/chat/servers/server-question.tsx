import { CircleHelp, ExternalLink } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Call } from '#shared/model/calls/call.ts'
import type { FieldValue, QuestionField, ServerAnswer, ServerQuestion } from '#shared/model/calls/server-question.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useOpenLink } from '../../parts/use-open-link.ts'
import { useApp, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { outputKey } from '../../state/store/live.ts'
import { serverQuestionStrings } from '../../strings/later/server-questions.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Field, Select, TextInput } from '../../ui/controls/field.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

const labels = serverQuestionStrings

/** Below a running call of a server's tool: what the server asks meanwhile. */
export function ServerQuestions({ threadId, call }: { threadId: ThreadId; call: Call }): ReactNode {
  const projectId = useProjectId()
  const asked = useApp((state) => state.live.asked.get(outputKey(threadId, call.callId)) ?? 0)
  const [questions] = useQuery('mcp.questions', { projectId }, asked)
  const own = questions.value?.filter((one) => one.threadId === threadId && one.callId === call.callId)
  return own?.map((question) => <QuestionCard key={question.id} question={question} />)
}

function QuestionCard({ question }: { question: ServerQuestion }): ReactNode {
  const { id, server, message } = question
  const client = useClient()
  const projectId = useProjectId()
  const openLink = useOpenLink()
  const answering = useCommand()
  const [values, setValues] = useState<Values>(() => initialOf(question))
  const answer = (given: ServerAnswer): void =>
    void answering.run(() => client.mcp.answer({ projectId, id, answer: given as never }))
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (question.kind === 'address') openLink(question.address)
    answer({ action: 'accept', values: question.kind === 'form' ? given(question.fields, values) : {} })
  }
  return (
    <form
      aria-label={labels.title(server)}
      onSubmit={send}
      className="my-1 ml-6 flex flex-col gap-2 rounded-md border border-line bg-panel p-3"
    >
      <p className="flex items-center gap-2 font-medium">
        <CircleHelp size={14} aria-hidden className="shrink-0 text-accent" />
        <VisibleText text={labels.title(server)} />
      </p>
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
        <VisibleText text={message} />
      </p>
      {question.kind === 'form' ? (
        question.fields.map((field) => (
          <Input
            key={field.name}
            field={field}
            value={values[field.name] ?? null}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))
      ) : (
        <div>
          <p>{labels.page}</p>
          <p className="font-mono text-xs [overflow-wrap:anywhere]">
            <VisibleText text={question.address} />
          </p>
        </div>
      )}
      <p className="text-muted text-xs">{labels.warning}</p>
      {answering.refusal && <RefusalNotice refusal={answering.refusal} />}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          tone="primary"
          disabled={answering.busy}
          icon={question.kind === 'address' && <ExternalLink size={14} aria-hidden />}
        >
          {question.kind === 'address' ? labels.open : labels.send}
        </Button>
        <Button disabled={answering.busy} onClick={() => answer({ action: 'decline' })}>
          {labels.decline}
        </Button>
        <Button disabled={answering.busy} onClick={() => answer({ action: 'cancel' })}>
          {labels.cancel}
        </Button>
      </div>
    </form>
  )
}

/** What the person has typed so far. Numbers stay texts until they are sent. */
type Values = Readonly<Record<string, string | boolean | readonly string[] | null>>

function initialOf(question: ServerQuestion): Values {
  if (question.kind !== 'form') return {}
  return Object.fromEntries(
    question.fields.map(({ name, initial, kind }) => [
      name,
      typeof initial === 'number' ? String(initial) : (initial ?? (kind === 'yes or no' ? false : null)),
    ]),
  )
}

/** Without the fields that hold nothing. A text that is no number goes as it is, and is refused by name. */
function given(fields: readonly QuestionField[], values: Values): Readonly<Record<string, FieldValue>> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }): [string, FieldValue][] => {
      const value = values[name] ?? null
      if (value === null || value === '') return []
      const isNumber = (kind === 'number' || kind === 'integer') && typeof value === 'string'
      return [[name, isNumber && Number.isFinite(Number(value)) ? Number(value) : value]]
    }),
  )
}

interface InputProps {
  readonly field: QuestionField
  readonly value: Values[string]
  readonly onChange: (value: NonNullable<Values[string]>) => void
}

function Input({ field, value, onChange }: InputProps): ReactNode {
  const { kind, title, description, required, options } = field
  const label = required ? `${title} (${labels.required})` : title
  if (kind === 'yes or no')
    return <Tick label={label} checked={value === true} hint={description} onChange={onChange} />
  if (kind === 'some of') {
    const chosen = Array.isArray(value) ? value : []
    const toggle = (one: string, isOn: boolean) =>
      onChange(isOn ? [...chosen, one] : chosen.filter((other) => other !== one))
    return (
      <fieldset className="max-h-60 overflow-auto">
        <legend className="font-medium">{label}</legend>
        {description !== '' && <p className="text-muted text-xs">{description}</p>}
        {options.map((option) => (
          <Tick
            key={option.value}
            label={option.title}
            checked={chosen.includes(option.value)}
            onChange={(isOn) => toggle(option.value, isOn)}
          />
        ))}
      </fieldset>
    )
  }
  const text = typeof value === 'string' ? value : ''
  return (
    <Field label={label} hint={description}>
      {(id) =>
        kind === 'one of' ? (
          <Select id={id} value={text} onChange={({ target }) => onChange(target.value)}>
            <option value="">{labels.none}</option>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.title}
              </option>
            ))}
          </Select>
        ) : (
          <TextInput
            id={id}
            autoComplete="off"
            inputMode={kind === 'text' ? 'text' : 'decimal'}
            value={text}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </Field>
  )
}

interface TickProps {
  readonly label: string
  readonly hint?: string
  readonly checked: boolean
  readonly onChange: (isOn: boolean) => void
}

function Tick({ label, hint = '', checked, onChange }: TickProps): ReactNode {
  return (
    <div>
      <label className="flex min-h-6 items-center gap-2">
        <input
          type="checkbox"
          checked={checked}
          onChange={({ target }) => onChange(target.checked)}
          className="size-4 shrink-0 accent-accent-solid"
        />
        {label}
      </label>
      {hint !== '' && <p className="text-muted text-xs">{hint}</p>}
    </div>
  )
}
