import { Plus, TriangleAlert, X } from 'lucide-react'
import type { FormEvent, ReactNode } from 'react'
import type { DeadRule, RuleEffect } from '#shared/model/settings.ts'
import { useClient } from '../state/hooks/hooks.tsx'
import { useEdit } from '../state/hooks/use-edit.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextInput } from '../ui/controls/field.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import type { SectionProps } from './section-props.ts'

const labels = strings.settings.rules

/** The rules of one effect. A rule that never decides says why. */
export function RuleList({ effect, settings, command, reload }: SectionProps & { effect: RuleEffect }): ReactNode {
  const client = useClient()
  const { title, hint, none } = labels[effect]
  const rules = settings.rules[effect]
  const changeRules = (change: { readonly add?: string[]; readonly remove?: string[] }): Promise<boolean> =>
    command.run(async () => {
      await client.settings.changeRules({ effect, ...change })
      reload()
    })
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="font-semibold">{title}</h3>
      <p className="text-muted text-xs">{rules.length === 0 ? none : hint}</p>
      {rules.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {rules.map((rule) => (
            <RuleRow
              key={rule}
              rule={rule}
              dead={settings.deadRules.find((dead) => dead.effect === effect && dead.text === rule)}
              onRemove={() => void changeRules({ remove: [rule] })}
            />
          ))}
        </ul>
      )}
      <NewRule label={title} onAdd={(rule) => changeRules({ add: [rule] })} />
    </section>
  )
}

function RuleRow(props: { rule: string; dead: DeadRule | undefined; onRemove: () => void }): ReactNode {
  const { rule, dead, onRemove } = props
  return (
    <li className="flex items-center gap-2 py-1 pr-1 pl-3">
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <code className="text-xs">
          <VisibleText text={rule} />
        </code>
        {dead && (
          <p className="flex items-center gap-1 text-warn text-xs">
            <TriangleAlert size={13} aria-hidden className="shrink-0" />
            {dead.problem ?? (dead.because === null ? labels.unreadable : labels.dead(dead.because))}
          </p>
        )}
      </div>
      <Button tone="quiet" aria-label={labels.remove(rule)} icon={<X size={14} aria-hidden />} onClick={onRemove} />
    </li>
  )
}

function NewRule({ label, onAdd }: { label: string; onAdd: (rule: string) => Promise<boolean> }): ReactNode {
  const [edit, setEdit] = useEdit(`rule ${label}`)
  const text = edit?.typed ?? ''
  const rule = text.trim()
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (rule !== '' && (await onAdd(rule))) setEdit(null)
  }
  return (
    <form className="flex gap-2" onSubmit={(event) => void submit(event)}>
      <TextInput
        aria-label={labels.newRule(label)}
        value={text}
        onChange={({ target }) => setEdit(target.value === '' ? null : { before: '', typed: target.value })}
        className="font-mono text-xs"
      />
      <Button
        type="submit"
        className="h-8!"
        aria-label={labels.addTo(label)}
        disabled={rule === ''}
        icon={<Plus size={14} aria-hidden />}
      >
        {labels.add}
      </Button>
    </form>
  )
}
