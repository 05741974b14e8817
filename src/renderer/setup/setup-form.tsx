import { type ReactNode, useState } from 'react'
import type { SetupDefinition, SetupProposal } from '#shared/model/setup.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Field, Select, TextInput } from '../ui/controls/field.tsx'

const labels = strings.setup

interface SetupFormProps {
  /** What the fields begin with. */
  readonly start: SetupDefinition
  /** Others to choose from. */
  readonly proposals: readonly SetupProposal[]
  readonly saveLabel: string
  readonly busy: boolean
  readonly onSave: (definition: SetupDefinition) => void
}

/** The setup of a project as fields, with one press to save and run it. */
export function SetupForm({ start, proposals, saveLabel, busy, onSave }: SetupFormProps): ReactNode {
  const [command, setCommand] = useState(start.command)
  const [inputs, setInputs] = useState(start.inputs.join(', '))
  const [hosts, setHosts] = useState(start.hosts.join(', '))
  function choose(chosen: string): void {
    const proposal = proposals.find((one) => one.command === chosen)
    if (!proposal) return
    setCommand(proposal.command)
    setInputs(proposal.inputs.join(', '))
    setHosts(proposal.hosts.join(', '))
  }
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        onSave({ command: command.trim(), inputs: wordsIn(inputs), hosts: wordsIn(hosts) })
      }}
    >
      {proposals.length > 1 && (
        <Field label={labels.proposal}>
          {(id) => (
            <Select
              id={id}
              value={proposals.some((one) => one.command === command) ? command : ''}
              onChange={(event) => choose(event.target.value)}
            >
              {!proposals.some((one) => one.command === command) && <option value="" />}
              {proposals.map((one) => (
                <option key={one.command} value={one.command}>
                  {`${one.command} (${labels.from(one.source)})`}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Field label={labels.command} hint={labels.commandHint}>
        {(id) => (
          <TextInput
            id={id}
            value={command}
            onChange={(event) => setCommand(event.target.value)}
            className="font-mono text-xs [direction:ltr] [unicode-bidi:bidi-override]"
          />
        )}
      </Field>
      <Field label={labels.inputs} hint={labels.inputsHint}>
        {(id) => <TextInput id={id} value={inputs} onChange={(event) => setInputs(event.target.value)} />}
      </Field>
      <Field label={labels.hosts} hint={labels.hostsHint}>
        {(id) => <TextInput id={id} value={hosts} onChange={(event) => setHosts(event.target.value)} />}
      </Field>
      <Button type="submit" tone="primary" className="self-start" disabled={busy || command.trim() === ''}>
        {saveLabel}
      </Button>
    </form>
  )
}

function wordsIn(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter(Boolean)
}
