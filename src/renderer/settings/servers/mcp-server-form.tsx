import { type FormEvent, type ReactNode, useState } from 'react'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useClient, useCommand } from '../../state/hooks/hooks.tsx'
import { extensionStrings, mcpStrings } from '../../strings/later/extensions.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Field, TextArea, TextInput } from '../../ui/controls/field.tsx'
import { Choice } from '../fields.tsx'
import { type McpForm, transportOf } from './mcp-transport-text.ts'

const labels = mcpStrings

interface McpServerFormProps {
  readonly initial: McpForm
  /** True if the form edits an existing server, which keeps its name. */
  readonly known: boolean
  readonly onSaved: () => void
  readonly onCancel: () => void
}

/** The form of one of the user's own servers. Every project has these. */
export function McpServerForm({ initial, known, onSaved, onCancel }: McpServerFormProps): ReactNode {
  const client = useClient()
  const saving = useCommand()
  const [form, setForm] = useState(initial)
  const transport = transportOf(form)
  const change = (update: Partial<McpForm>): void => setForm({ ...form, ...update })
  const isCommand = form.kind === 'stdio'
  const ready = transport !== null && /^[A-Za-z0-9][\w.-]*$/.test(form.name.trim())
  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (!transport) return
    if (await saving.run(() => client.mcp.put({ name: form.name.trim(), transport }))) onSaved()
  }
  return (
    <form
      aria-label={known ? labels.editNamed(initial.name) : labels.newServer}
      onSubmit={(event) => void save(event)}
      className="flex flex-col gap-3 rounded-lg border border-line p-3"
    >
      {!known && (
        <Line
          label={labels.name}
          hint={extensionStrings.nameHint}
          value={form.name}
          onChange={(name) => change({ name })}
        />
      )}
      <Choice
        label={labels.kind}
        value={form.kind}
        options={(['stdio', 'http'] as const).map((kind) => ({ value: kind, label: labels.kinds[kind] }))}
        onChange={(kind) => change({ kind })}
      />
      <Line
        label={isCommand ? labels.command : labels.url}
        hint={isCommand ? labels.commandHint : ''}
        value={form.target}
        onChange={(target) => change({ target })}
      />
      {isCommand && (
        <Lines label={labels.args} hint={labels.onePerLine} value={form.args} onChange={(args) => change({ args })} />
      )}
      <Lines
        label={isCommand ? labels.env : labels.headers}
        hint={isCommand ? labels.envHint : labels.headersHint}
        value={form.pairs}
        onChange={(pairs) => change({ pairs })}
      />
      {saving.refusal && <RefusalNotice refusal={saving.refusal} />}
      <div className="flex gap-2">
        <Button type="submit" tone="primary" disabled={!ready || saving.busy}>
          {labels.save}
        </Button>
        <Button onClick={onCancel}>{strings.common.cancel}</Button>
      </div>
    </form>
  )
}

interface LineProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function Line({ label, hint, value, onChange }: LineProps): ReactNode {
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <TextInput
          id={id}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className="font-mono text-xs"
        />
      )}
    </Field>
  )
}

function Lines({ label, hint, value, onChange }: LineProps): ReactNode {
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <TextArea
          id={id}
          rows={3}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className="font-mono text-xs"
        />
      )}
    </Field>
  )
}
