import { Plus, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type AttemptsWish, type AttemptVariant, mostAttempts } from '#shared/model/calls/attempts.ts'
import type { CheckDefinition } from '#shared/model/check.ts'
import { efforts } from '#shared/model/models/model-facts.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import type { Refusal } from '../../state/connection/refusal.ts'
import { useApp, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { strings } from '../../strings/strings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { Field, Select, TextInput } from '../../ui/controls/field.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

const labels = strings.attempts

interface TryWaysDialogProps {
  readonly busy: boolean
  /** Why the last wish was refused. Null for none. */
  readonly refusal: Refusal | null
  readonly onStart: (wish: AttemptsWish) => void
  readonly onClose: () => void
}

/** Asks how often a message is tried at once, with what differences, for how much, and which checks count. */
export function TryWaysDialog({ busy, refusal, onStart, onClose }: TryWaysDialogProps): ReactNode {
  const [count, setCount] = useState('3')
  const [budget, setBudget] = useState('')
  const [variants, setVariants] = useState<readonly KeyedVariant[]>([])
  /** The checks of which a person said the other thing. */
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const projectId = useProjectId()
  const [checks] = useQuery('checks.list', { projectId })
  const known = checks.value?.checks.filter(({ on }) => on.includes('branch')) ?? []
  const hasRequired = known.some(({ required }) => required)
  const isCounted = ({ name, required }: CheckDefinition): boolean => (required || !hasRequired) !== toggled.has(name)
  const counted = known.filter(isCounted).map(({ name }) => name)
  const n = Number(count)
  const dollars = budget.trim() === '' ? undefined : Number(budget)
  const isFit =
    Number.isInteger(n) &&
    n >= Math.max(2, variants.length) &&
    n <= mostAttempts &&
    (known.length === 0 || counted.length > 0) &&
    (dollars === undefined || dollars > 0)
  const toggle = (name: string): void => setToggled(toggled.symmetricDifference(new Set([name])))
  function start(): void {
    const chosen = variants.map(({ key: _, ...variant }) => variant)
    onStart({
      n,
      ...(chosen.length > 0 && { variants: chosen }),
      ...(dollars !== undefined && { budget: dollars }),
      ...(toggled.size > 0 && { checks: counted }),
    })
  }
  return (
    <Dialog
      wide
      title={labels.dialog}
      description={labels.about}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button tone="primary" disabled={!isFit || busy} onClick={start}>
            {labels.start(Number.isInteger(n) ? n : 0)}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (isFit && !busy) start()
        }}
      >
        {refusal && <RefusalNotice refusal={refusal} />}
        <Amounts count={count} onCount={setCount} budget={budget} onBudget={setBudget} />
        <Variants variants={variants} onChange={setVariants} />
        <Checks known={known} isReady={checks.state === 'ready'} isCounted={isCounted} onToggle={toggle} />
        <button type="submit" hidden />
      </form>
    </Dialog>
  )
}

interface AmountsProps {
  readonly count: string
  readonly onCount: (count: string) => void
  readonly budget: string
  readonly onBudget: (budget: string) => void
}

function Amounts({ count, onCount, budget, onBudget }: AmountsProps): ReactNode {
  const n = Number(count)
  return (
    <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
      <Field label={labels.count} hint={labels.countHint}>
        {(id) => (
          <TextInput
            id={id}
            inputMode="numeric"
            value={count}
            aria-invalid={!Number.isInteger(n) || n < 2 || n > mostAttempts}
            onChange={(event) => onCount(event.target.value)}
          />
        )}
      </Field>
      <Field label={labels.budget} hint={labels.budgetHint}>
        {(id) => (
          <TextInput
            id={id}
            inputMode="decimal"
            value={budget}
            aria-invalid={budget.trim() !== '' && !(Number(budget) > 0)}
            onChange={(event) => onBudget(event.target.value)}
          />
        )}
      </Field>
    </div>
  )
}

interface ChecksProps {
  readonly known: readonly CheckDefinition[]
  readonly isReady: boolean
  readonly isCounted: (check: CheckDefinition) => boolean
  readonly onToggle: (name: string) => void
}

function Checks({ known, isReady, isCounted, onToggle }: ChecksProps): ReactNode {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="font-medium">{labels.checks}</legend>
      {isReady && known.length === 0 && <p className="text-muted text-xs">{labels.noChecks}</p>}
      {known.map((check) => (
        <label key={check.name} className="flex min-h-6 items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={isCounted(check)}
            onChange={() => onToggle(check.name)}
          />
          <VisibleText text={check.name} />
        </label>
      ))}
    </fieldset>
  )
}

interface KeyedVariant extends AttemptVariant {
  readonly key: number
}

interface VariantsProps {
  readonly variants: readonly KeyedVariant[]
  readonly onChange: (variants: readonly KeyedVariant[]) => void
}

function Variants({ variants, onChange }: VariantsProps): ReactNode {
  const projectId = useProjectId()
  const models = useApp((state) => state.info?.provider.models)
  const [extensions] = useQuery('extensions.list', variants.length > 0 ? { projectId, servers: false } : null)
  const agents = extensions.value?.agents.map(({ name }) => name) ?? []
  const next = Math.max(0, ...variants.map(({ key }) => key + 1))
  return (
    <section aria-label={labels.variants} className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <h3 className="font-medium">{labels.variants}</h3>
        <span className="min-w-0 flex-1 text-muted text-xs">{labels.variantsHint}</span>
        <Button icon={<Plus size={14} aria-hidden />} onClick={() => onChange([...variants, { key: next }])}>
          {labels.addVariant}
        </Button>
      </div>
      {variants.map((variant, place) => (
        <Variant
          key={variant.key}
          number={place + 1}
          variant={variant}
          models={models?.map(({ id }) => id) ?? []}
          agents={agents}
          onChange={(changed) => onChange(variants.with(place, changed))}
          onRemove={() => onChange(variants.toSpliced(place, 1))}
        />
      ))}
    </section>
  )
}

interface VariantProps {
  readonly number: number
  readonly variant: KeyedVariant
  readonly models: readonly string[]
  readonly agents: readonly string[]
  readonly onChange: (variant: KeyedVariant) => void
  readonly onRemove: () => void
}

function Variant({ number, variant, models, agents, onChange, onRemove }: VariantProps): ReactNode {
  const { key, model, agent, effort, hint } = variant
  const change = (changed: AttemptVariant): void => {
    const all = { model, agent, effort, hint, ...changed }
    onChange({
      key,
      ...(all.model !== undefined && { model: all.model }),
      ...(all.agent !== undefined && { agent: all.agent }),
      ...(all.effort !== undefined && { effort: all.effort }),
      ...(all.hint !== undefined && { hint: all.hint }),
    })
  }
  const given = (text: string): string | undefined => (text === '' ? undefined : text)
  return (
    <fieldset
      aria-label={labels.variant(number)}
      className="grid grid-cols-[1fr_1fr_1fr_2fr_auto] items-end gap-2 max-md:grid-cols-2"
    >
      <Field label={labels.model}>
        {(id) => (
          <Select id={id} value={model ?? ''} onChange={(event) => change({ model: given(event.target.value) })}>
            <Choices names={models} />
          </Select>
        )}
      </Field>
      <Field label={labels.agent}>
        {(id) => (
          <Select id={id} value={agent ?? ''} onChange={(event) => change({ agent: given(event.target.value) })}>
            <Choices names={agents} />
          </Select>
        )}
      </Field>
      <Field label={labels.effort}>
        {(id) => (
          <Select
            id={id}
            value={effort ?? ''}
            onChange={(event) => change({ effort: efforts.find((one) => one === event.target.value) })}
          >
            <Choices names={efforts} />
          </Select>
        )}
      </Field>
      <Field label={labels.hint}>
        {(id) => (
          <TextInput id={id} value={hint ?? ''} onChange={(event) => change({ hint: given(event.target.value) })} />
        )}
      </Field>
      <IconButton label={labels.removeVariant(number)} onClick={onRemove}>
        <X size={14} aria-hidden />
      </IconButton>
    </fieldset>
  )
}

function Choices({ names }: { names: readonly string[] }): ReactNode {
  return (
    <>
      <option value="">{labels.usual}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </>
  )
}
