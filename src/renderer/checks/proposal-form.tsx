import { type ReactNode, useState } from 'react'
import type { CheckProposal } from '#shared/contract/checks.ts'
import { checkDetails } from '../strings/later/check-details.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextInput } from '../ui/controls/field.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = checkDetails.card

interface ProposalFormProps {
  readonly proposals: readonly CheckProposal[]
  readonly busy: boolean
  readonly onAccept: (checks: readonly CheckProposal[]) => void
}

interface Edited extends CheckProposal {
  readonly isTaken: boolean
}

/** Each proposed check with its command, to change it, or to leave it out. */
export function ProposalForm({ proposals, busy, onAccept }: ProposalFormProps): ReactNode {
  const [checks, setChecks] = useState<readonly Edited[]>(() => proposals.map((one) => ({ ...one, isTaken: true })))
  const taken = checks.filter(({ isTaken }) => isTaken)
  const empty = taken.find(({ run }) => run.trim() === '')
  const problem = taken.length === 0 ? labels.nothingChosen : empty ? labels.emptyCommand(empty.name) : null
  function change(name: string, update: Partial<Edited>): void {
    setChecks((before) => before.map((one) => (one.name === name ? { ...one, ...update } : one)))
  }
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (problem === null) onAccept(taken)
      }}
    >
      <p className="text-muted">{labels.about}</p>
      <ul className="divide-y divide-line rounded-lg border border-line bg-canvas">
        {checks.map((check) => (
          <CheckFields key={check.name} check={check} onChange={(update) => change(check.name, update)} />
        ))}
      </ul>
      {problem !== null && (
        <p role="alert" className="text-bad text-xs">
          {problem}
        </p>
      )}
      <Button type="submit" tone="primary" className="self-start" disabled={busy || problem !== null}>
        {labels.use(taken.length)}
      </Button>
    </form>
  )
}

interface CheckFieldsProps {
  readonly check: Edited
  readonly onChange: (update: Partial<Edited>) => void
}

function CheckFields({ check: { name, run, required, source, isTaken }, onChange }: CheckFieldsProps): ReactNode {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
      <label className="flex min-h-6 w-32 min-w-0 items-center gap-2">
        <input
          type="checkbox"
          aria-label={labels.take(name)}
          checked={isTaken}
          onChange={(event) => onChange({ isTaken: event.target.checked })}
          className="size-4 shrink-0 accent-accent-solid"
        />
        <span className="min-w-0 truncate" title={labels.from(source)}>
          <VisibleText text={name} />
        </span>
      </label>
      <TextInput
        aria-label={labels.command(name)}
        value={run}
        disabled={!isTaken}
        onChange={(event) => onChange({ run: event.target.value })}
        className="min-w-40 flex-1 font-mono text-xs [direction:ltr] [unicode-bidi:bidi-override] disabled:opacity-60"
      />
      <label className="flex min-h-6 items-center gap-2 text-muted text-xs">
        <input
          type="checkbox"
          aria-label={labels.requiredOf(name)}
          checked={required}
          disabled={!isTaken}
          onChange={(event) => onChange({ required: event.target.checked })}
          className="size-4 accent-accent-solid"
        />
        {strings.checks.required}
      </label>
    </li>
  )
}
