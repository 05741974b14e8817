import { CircleAlert, CircleCheck, FileUp } from 'lucide-react'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { isJsonObject, type JsonObject } from '#shared/base/json.ts'
import { locateJsonError } from '#shared/text/json-error.ts'
import { useQuery } from '../../state/hooks/use-query.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { Field, TextArea } from '../../ui/controls/field.tsx'
import { useDebounced } from '../../ui/react/observers.ts'

const labels = strings.answers

/** Milliseconds without a key before the host checks the schema. */
const rest = 250

const example = {
  title: 'Findings',
  type: 'array',
  items: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      line: { type: 'integer' },
      problem: { type: 'string' },
      severity: { enum: ['low', 'high'] },
    },
    required: ['path', 'problem', 'severity'],
    additionalProperties: false,
  },
}

interface SchemaDialogProps {
  readonly schema: JsonObject | null
  /** Null goes back to answers in words. */
  readonly onChoose: (schema: JsonObject | null) => void
  readonly onClose: () => void
}

/** Sets the JSON Schema of the thread's answers. The text is checked as it is typed. */
export function SchemaDialog({ schema, onChoose, onClose }: SchemaDialogProps): ReactNode {
  const [text, setText] = useState(() => (schema ? JSON.stringify(schema, null, 2) : ''))
  const [fileProblem, setFileProblem] = useState<string | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const read = useMemo(() => readSchema(text), [text])
  const checked = useChecked(read.schema, text)
  const hostProblem = checked === null || checked === 'fits' ? null : checked.message
  const usable = read.schema !== null && checked === 'fits'
  function change(next: string): void {
    setText(next)
    setFileProblem(null)
  }
  return (
    <Dialog
      title={labels.title}
      description={labels.description}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={
        <>
          {schema && (
            <Button tone="danger" className="mr-auto" onClick={() => onChoose(null)}>
              {labels.remove}
            </Button>
          )}
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button tone="primary" disabled={!usable} onClick={() => onChoose(read.schema)}>
            {labels.use}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2">
        <Field label={labels.schema}>
          {(id) => (
            <TextArea
              id={id}
              ref={field}
              rows={14}
              value={text}
              onChange={(event) => change(event.target.value)}
              className="resize-y whitespace-pre font-mono text-xs!"
            />
          )}
        </Field>
        <div className="flex flex-wrap items-center gap-2">
          <SchemaState
            text={text}
            problem={fileProblem ?? read.problem ?? hostProblem}
            fits={usable}
            onShow={read.offset === null ? null : () => showOffset(field.current, read.offset ?? 0)}
          />
          <span className="ml-auto flex gap-2">
            {text.trim() === '' && (
              <Button onClick={() => change(JSON.stringify(example, null, 2))}>{labels.example}</Button>
            )}
            <SchemaFile onText={change} onProblem={setFileProblem} />
          </span>
        </div>
      </div>
    </Dialog>
  )
}

interface ReadSchema {
  /** Null for a text that is no JSON object. */
  readonly schema: JsonObject | null
  readonly problem: string | null
  /** Where the text stops being JSON; null if it is JSON. */
  readonly offset: number | null
}

function readSchema(text: string): ReadSchema {
  if (text.trim() === '') return { schema: null, problem: null, offset: null }
  const error = locateJsonError(text)
  if (error)
    return { schema: null, problem: labels.problem(error.message, error.line, error.column), offset: error.offset }
  const value: unknown = JSON.parse(text)
  if (!isJsonObject(value)) return { schema: null, problem: labels.notObject, offset: null }
  return { schema: value, problem: null, offset: null }
}

/** Whether the host can check answers with the schema; an error if it cannot, null while that is unknown. */
function useChecked(schema: JsonObject | null, text: string): 'fits' | { readonly message: string } | null {
  const settled = useDebounced(text, rest)
  const [check] = useQuery('threads.checkOutputSchema', schema && settled === text ? { schema } : null)
  if (schema === null || settled !== text) return null
  if (check.state === 'failed') return check.refusal
  return check.state === 'ready' ? 'fits' : null
}

function showOffset(field: HTMLTextAreaElement | null, offset: number): void {
  field?.focus()
  field?.setSelectionRange(offset, Math.min(offset + 1, field.value.length))
}

interface SchemaStateProps {
  readonly text: string
  readonly problem: string | null
  readonly fits: boolean
  readonly onShow: (() => void) | null
}

function SchemaState({ text, problem, fits, onShow }: SchemaStateProps): ReactNode {
  return (
    <div role="status" className="flex min-h-7 min-w-0 flex-1 basis-60 items-center gap-1.5">
      {text.trim() === '' && problem === null && <span className="text-muted">{labels.empty}</span>}
      {problem !== null && (
        <>
          <CircleAlert size={14} aria-hidden className="shrink-0 text-bad" />
          <span className="min-w-0 text-bad [overflow-wrap:anywhere]">{problem}</span>
          {onShow && (
            <Button tone="quiet" onClick={onShow}>
              {labels.showProblem}
            </Button>
          )}
        </>
      )}
      {problem === null && fits && (
        <>
          <CircleCheck size={14} aria-hidden className="shrink-0 text-good" />
          <span className="text-muted">{labels.fits}</span>
        </>
      )}
    </div>
  )
}

interface SchemaFileProps {
  readonly onText: (text: string) => void
  readonly onProblem: (problem: string) => void
}

function SchemaFile({ onText, onProblem }: SchemaFileProps): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button icon={<FileUp size={14} aria-hidden />} onClick={() => input.current?.click()}>
        {labels.fromFile}
      </Button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json,application/schema+json"
        hidden
        onChange={(event) => {
          const [file] = event.target.files ?? []
          event.target.value = ''
          if (file) file.text().then(onText, () => onProblem(strings.attachments.unreadable(file.name).message))
        }}
      />
    </>
  )
}
