import { type ReactNode, useState } from 'react'
import { grantProblem } from '#shared/base/reach/registry-presets.ts'
import type { SetupDefinition, SetupProposal } from '#shared/model/setup.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Field, Select, TextArea, TextInput } from '../ui/controls/field.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { RunWarning } from './run-warning.tsx'
import { useRunWords } from './use-run-words.ts'
import type { Accepted } from './use-setup-actions.ts'
import { linesOf, variablesIn } from './variable-lines.ts'

const labels = strings.setup

interface SetupFormProps {
  /** What the fields begin with. */
  readonly start: SetupDefinition
  /** Others to choose from. */
  readonly proposals: readonly SetupProposal[]
  /** What the person accepted beside, or is asked to accept. */
  readonly accepted: Readonly<Accepted>
  readonly busy: boolean
  readonly onSave: (definition: SetupDefinition, accepted: Accepted) => void
}

/** The setup of a project as fields, with one press to save and run it. */
export function SetupForm({ start, proposals, accepted, busy, onSave }: SetupFormProps): ReactNode {
  const words = useRunWords()
  const [command, setCommand] = useState(start.command)
  const [inputs, setInputs] = useState(start.inputs.join(', '))
  const [hosts, setHosts] = useState(start.hosts.join(', '))
  const [archive, setArchive] = useState(accepted.archive ?? '')
  const [lines, setLines] = useState(linesOf(accepted.variables))
  const given = variablesIn(lines)
  const hostsProblem =
    wordsIn(hosts)
      .map(grantProblem)
      .find((problem) => problem !== null) ?? null
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
        if ('problem' in given) return
        const definition = { command: command.trim(), inputs: wordsIn(inputs), hosts: wordsIn(hosts) }
        onSave(definition, { archive: archive.trim() || null, variables: { ...given.variables } })
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
          <TextArea
            id={id}
            rows={Math.min(command.split('\n').length, 12)}
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
        {(id) => (
          <>
            <TextInput
              id={id}
              value={hosts}
              aria-invalid={hostsProblem !== null}
              aria-describedby={hostsProblem === null ? undefined : `${id}-problem`}
              onChange={(event) => setHosts(event.target.value)}
            />
            {hostsProblem !== null && (
              <p id={`${id}-problem`} role="alert" className="text-bad text-xs [overflow-wrap:anywhere]">
                <VisibleText text={hostsProblem} />
              </p>
            )}
          </>
        )}
      </Field>
      <ScriptFields {...{ archive, setArchive, lines, setLines }} />
      <RunWarning />
      <Button
        type="submit"
        tone="primary"
        className="self-start"
        disabled={busy || command.trim() === '' || hostsProblem !== null || 'problem' in given}
      >
        {words.saveAndRun}
      </Button>
    </form>
  )
}

interface ScriptFieldsProps {
  readonly archive: string
  readonly setArchive: (text: string) => void
  /** A variable on each. */
  readonly lines: string
  readonly setLines: (text: string) => void
}

function ScriptFields({ archive, setArchive, lines, setLines }: ScriptFieldsProps): ReactNode {
  const given = variablesIn(lines)
  return (
    <>
      <Field label={labels.variables} hint={labels.variablesHint}>
        {(id) => (
          <>
            <TextArea
              id={id}
              rows={Math.min(lines.split('\n').length, 8)}
              value={lines}
              aria-invalid={'problem' in given}
              aria-describedby={'problem' in given ? `${id}-problem` : undefined}
              onChange={(event) => setLines(event.target.value)}
              className="font-mono text-xs [direction:ltr] [unicode-bidi:bidi-override]"
            />
            {'problem' in given && (
              <p id={`${id}-problem`} role="alert" className="text-bad text-xs [overflow-wrap:anywhere]">
                <VisibleText text={labels.variablesProblem(given.problem)} />
              </p>
            )}
          </>
        )}
      </Field>
      <Field label={labels.archive} hint={labels.archiveHint}>
        {(id) => (
          <TextArea
            id={id}
            rows={Math.min(archive.split('\n').length, 6)}
            value={archive}
            onChange={(event) => setArchive(event.target.value)}
            className="font-mono text-xs [direction:ltr] [unicode-bidi:bidi-override]"
          />
        )}
      </Field>
    </>
  )
}

function wordsIn(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter(Boolean)
}
