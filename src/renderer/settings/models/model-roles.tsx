import { ArrowDown, ArrowUp, ChevronDown, Plus, X } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import type { ModelsView } from '#shared/contract/views/models.ts'
import { ModelPicker } from '../../parts/models/model-picker.tsx'
import { useClient } from '../../state/hooks/hooks.tsx'
import { modelRoleStrings } from '../../strings/later/model-settings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import type { Models } from './use-models.ts'

const labels = modelRoleStrings

interface ModelRolesProps {
  readonly models: Models
  readonly view: ModelsView
  /** The model of new threads. */
  readonly model: string
  readonly onModel: (model: string) => void
}

/** Which model new threads, subagents and summaries use, and which ones stand in. */
export function ModelRoles({ models, view, model, onModel }: ModelRolesProps): ReactNode {
  const client = useClient()
  const choose = (change: Parameters<typeof client.models.choose>[0]): void =>
    void models.act(() => client.models.choose(change))
  return (
    <section aria-label={labels.title} className="flex flex-col gap-4">
      <Role
        label={labels.model}
        hint={labels.modelHint}
        models={models}
        value={model}
        onChoose={(id) => id !== null && onModel(id)}
      />
      <Role
        label={labels.subagents}
        hint={labels.subagentsHint}
        none={labels.asParent}
        models={models}
        value={view.subagentModel}
        onChoose={(subagentModel) => choose({ subagentModel })}
      />
      <Role
        label={labels.summaries}
        hint={labels.summariesHint}
        none={labels.asThread}
        models={models}
        value={view.summaryModel}
        onChoose={(summaryModel) => choose({ summaryModel })}
      />
      <Fallback models={models} list={view.fallback} onChange={(fallback) => choose({ fallback: [...fallback] })} />
    </section>
  )
}

interface RoleProps {
  readonly label: string
  readonly hint: string
  /** What it is called when there is no model of its own. Absent when there must be one. */
  readonly none?: string
  readonly models: Models
  readonly value: string | null
  readonly onChoose: (model: string | null) => void
}

function Role({ label, hint, none, models, value, onChoose }: RoleProps): ReactNode {
  const name = value === null ? (none ?? '') : nameOf(models, value)
  const heading = useId()
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <div className="min-w-0 flex-1 basis-60">
        <h3 id={heading} className="font-medium">
          {label}
        </h3>
        <p className="text-muted text-xs">{hint}</p>
      </div>
      <PickButton
        label={`${label}: ${name}`}
        value={value}
        {...(none !== undefined && { none: { label: none, hint: labels.noOwn } })}
        onChoose={onChoose}
      >
        <span className="min-w-0 truncate">
          <VisibleText text={name} />
        </span>
        <ChevronDown size={13} aria-hidden />
      </PickButton>
    </div>
  )
}

interface PickButtonProps {
  readonly label: string
  readonly value: string | null
  readonly none?: { readonly label: string; readonly hint: string }
  readonly icon?: ReactNode
  readonly onChoose: (model: string | null) => void
  readonly children: ReactNode
}

/** Opens the search over all models. */
function PickButton({ label, value, none, icon, onChoose, children }: PickButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <Button
        ref={button}
        icon={icon}
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title={value ?? undefined}
        className="max-w-72 shrink!"
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </Button>
      {isOpen && (
        <ModelPicker
          anchor={button}
          chosen={value}
          {...(none && { none })}
          onChoose={onChoose}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

interface FallbackProps {
  readonly models: Models
  readonly list: readonly string[]
  readonly onChange: (list: readonly string[]) => void
}

/** The models that stand in, in their order. */
function Fallback({ models, list, onChange }: FallbackProps): ReactNode {
  const [said, setSaid] = useState('')
  function move(place: number, by: 1 | -1): void {
    const next = [...list]
    const [moved] = next.splice(place, 1)
    if (moved === undefined) return
    next.splice(place + by, 0, moved)
    onChange(next)
    setSaid(labels.moved(nameOf(models, moved), place + by + 1, next.length))
  }
  return (
    <div className="flex flex-col gap-1">
      <h3 className="font-medium">{labels.fallback}</h3>
      <p className="-mt-1 text-muted text-xs">{labels.fallbackHint}</p>
      {list.length === 0 && <p className="text-muted">{labels.noFallback}</p>}
      <ol aria-label={labels.fallback} className="flex flex-col">
        {list.map((id, place) => {
          const name = nameOf(models, id)
          return (
            <li key={id} className="flex min-h-8 items-center gap-1">
              <span className="w-5 shrink-0 text-muted tabular-nums">{place + 1}.</span>
              <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                <VisibleText text={name} />
                {!models.known.has(id) && <span className="ml-2 text-warn text-xs">{labels.gone}</span>}
              </span>
              <IconButton label={labels.up(name)} disabled={place === 0} onClick={() => move(place, -1)}>
                <ArrowUp size={14} aria-hidden />
              </IconButton>
              <IconButton label={labels.down(name)} disabled={place === list.length - 1} onClick={() => move(place, 1)}>
                <ArrowDown size={14} aria-hidden />
              </IconButton>
              <IconButton label={labels.removeNamed(name)} onClick={() => onChange(list.filter((one) => one !== id))}>
                <X size={14} aria-hidden />
              </IconButton>
            </li>
          )
        })}
      </ol>
      <p role="status" className="sr-only">
        {said}
      </p>
      {list.length < 10 && (
        <span className="self-start">
          <PickButton
            label={labels.addFallback}
            value={null}
            icon={<Plus size={14} aria-hidden />}
            onChoose={(id) => id !== null && !list.includes(id) && onChange([...list, id])}
          >
            {labels.addFallback}
          </PickButton>
        </span>
      )}
    </div>
  )
}

function nameOf({ known }: Models, id: string): string {
  return known.get(id)?.name ?? id
}
