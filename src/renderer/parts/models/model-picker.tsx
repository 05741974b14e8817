import { Popover } from '@base-ui/react/popover'
import { Check, KeyRound, Search } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import { formatCount } from '#shared/text/format.ts'
import { useApp, useUpdateUi } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { readModelChoices, rememberModel } from '../../state/preferences/model-choices.ts'
import { showSettings } from '../../state/store/ui-state.ts'
import { modelStrings } from '../../strings/later/models.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { AriaElement } from '../../ui/react/elements.tsx'
import { AbilityMarks } from './ability-marks.tsx'
import { describePrice } from './describe-model.ts'
import { findModels, type ModelGroup } from './find-models.ts'

const labels = modelStrings
const noModels: readonly ModelChoice[] = []

/** A line of the list: a model, a name that was typed, or what stands for no model of its own. */
type Line =
  | { readonly kind: 'model'; readonly model: ModelChoice }
  | { readonly kind: 'typed'; readonly id: string }
  | { readonly kind: 'none' }

export interface ModelPickerProps {
  /** The button that opened it. It gets the focus back. */
  readonly anchor: RefObject<HTMLElement | null>
  /** Where it opens when there is room. */
  readonly side?: 'top' | 'bottom'
  /** The model in use; null for none of its own. */
  readonly chosen: string | null
  /** The first line, which chooses null. */
  readonly none?: { readonly label: string; readonly hint: string }
  /** What goes missing when this model is taken, as one sentence. */
  readonly noteFor?: (model: ModelChoice) => string
  readonly onChoose: (model: string | null) => void
  readonly onClose: () => void
}

/** A search over the models of all profiles. Arrows move, Enter chooses, and a name that no list has can be typed. */
export function ModelPicker(props: ModelPickerProps): ReactNode {
  const { anchor, side = 'bottom', onClose } = props
  const search = useRef<HTMLInputElement>(null)
  return (
    <Popover.Root open onOpenChange={(open) => open || onClose()}>
      <Popover.Portal>
        <Popover.Positioner
          anchor={anchor}
          side={side}
          sideOffset={4}
          align="start"
          className="z-50 max-w-(--available-width)"
        >
          <Popover.Popup
            initialFocus={search}
            finalFocus={anchor}
            aria-label={labels.list}
            className="flex max-h-[min(28rem,var(--available-height))] w-[30rem] max-w-full flex-col overflow-hidden rounded-lg border border-line-strong bg-raised outline-none"
          >
            <Content {...props} search={search} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

type ContentProps = ModelPickerProps & { readonly search: RefObject<HTMLInputElement | null> }

function Content({ chosen, none, noteFor, search, onChoose, onClose }: ContentProps): ReactNode {
  const models = useApp((state) => state.info?.provider.models ?? noModels)
  const usual = useApp((state) => state.info?.provider.model)
  const updateUi = useUpdateUi()
  const unusable = useUnusable()
  const listId = useId()
  const [query, setQuery] = useState('')
  const [used] = useState(() => readModelChoices(localStorage).used)
  const groups = useMemo(() => findModels(models, query, used), [models, query, used])
  const typed = query.trim()
  const isNew = typed !== '' && !models.some(({ id }) => id === typed)
  const hasNone = none !== undefined && typed === ''
  const lines: readonly Line[] = [
    ...(hasNone ? [{ kind: 'none' } as const] : []),
    ...groups.flatMap((group) => group.models.map((model) => ({ kind: 'model', model }) as const)),
    ...(isNew ? [{ kind: 'typed', id: typed } as const] : []),
  ]
  const at = lines.findIndex((line) => (line.kind === 'model' ? line.model.id : null) === chosen)
  const [moved, setMoved] = useState<number | null>(null)
  const active = moved === null ? Math.max(typed === '' ? at : 0, 0) : Math.min(moved, lines.length - 1)
  const current = lines[active]

  function choose(line: Line | undefined): void {
    if (!line) return
    if (line.kind === 'model' && unusable.has(line.model.profile ?? '')) {
      onClose()
      updateUi((ui) => showSettings(ui, 'models'))
      return
    }
    const id = line.kind === 'none' ? null : line.kind === 'typed' ? line.id : line.model.id
    if (id !== null) rememberModel(localStorage, id)
    onChoose(id)
    onClose()
  }
  function onKeyDown(event: KeyboardEvent): void {
    const next = moveBy(event.key, active, lines.length)
    if (next !== null) setMoved(next)
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) choose(current)
    else return
    event.preventDefault()
  }
  function noteOf(model: ModelChoice): string {
    if (unusable.has(model.profile ?? '')) return labels.noKeyNote(model.profile ?? '')
    return model.id === chosen ? '' : (noteFor?.(model) ?? '')
  }
  const optionId = (place: number): string => `${listId}-${place}`
  const note = current?.kind === 'model' ? noteOf(current.model) : ''
  const starts = placesOf(groups, hasNone ? 1 : 0)
  return (
    <>
      <div className="flex items-center gap-2 border-line border-b px-3">
        <Search size={14} aria-hidden className="shrink-0 text-muted" />
        <input
          ref={search}
          type="text"
          role="combobox"
          aria-label={labels.search}
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={current ? optionId(active) : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder={labels.search}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value)
            setMoved(null)
          }}
          onKeyDown={onKeyDown}
          className="h-9 min-w-0 flex-1 bg-transparent text-sm outline-none placeholder:text-muted"
        />
        <span aria-live="polite" className="shrink-0 text-2xs text-muted tabular-nums">
          {typed !== '' && labels.found(countOf(groups))}
        </span>
      </div>
      <div role="listbox" id={listId} aria-label={labels.list} className="min-h-0 flex-1 overflow-y-auto p-1">
        {hasNone && (
          <Option
            id={optionId(0)}
            active={active === 0}
            checked={chosen === null}
            onChoose={() => choose({ kind: 'none' })}
          >
            <Words title={none.label} hint={none.hint} />
          </Option>
        )}
        {groups.map((group, place) => (
          <AriaElement key={group.title ?? ''} role="group" aria-label={group.title ?? labels.lastUsed}>
            <p aria-hidden className="px-2 pt-1.5 pb-0.5 font-medium text-2xs text-muted">
              <VisibleText text={group.title ?? labels.lastUsed} />
            </p>
            {group.models.map((model, index) => {
              const here = (starts[place] ?? 0) + index
              return (
                <Option
                  key={model.id}
                  id={optionId(here)}
                  active={active === here}
                  checked={model.id === chosen}
                  onChoose={() => choose({ kind: 'model', model })}
                >
                  <ModelWords
                    model={model}
                    isUsual={model.id === usual}
                    missingKey={unusable.has(model.profile ?? '')}
                  />
                </Option>
              )
            })}
            {group.more > 0 && <p className="px-8 py-1 text-muted text-xs">{labels.more(group.more)}</p>}
          </AriaElement>
        ))}
        {isNew && (
          <Option
            id={optionId(lines.length - 1)}
            active={active === lines.length - 1}
            checked={false}
            onChoose={() => choose({ kind: 'typed', id: typed })}
          >
            <Words title={labels.typed(typed)} hint={labels.typedHint} />
          </Option>
        )}
      </div>
      <p aria-live="polite" className="border-line border-t px-3 py-1.5 text-muted text-xs">
        {note || labels.keys}
      </p>
    </>
  )
}

/** The place that a key moves to; null for a key that does not move. */
function moveBy(key: string, at: number, count: number): number | null {
  if (count === 0) return null
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at - 1 + count) % count
  if (key === 'PageDown') return Math.min(at + 8, count - 1)
  if (key === 'PageUp') return Math.max(at - 8, 0)
  return null
}

/** The place of each group's first model among all lines. */
function placesOf(groups: readonly ModelGroup[], first: number): readonly number[] {
  const places: number[] = []
  let next = first
  for (const { models } of groups) {
    places.push(next)
    next += models.length
  }
  return places
}

function countOf(groups: readonly ModelGroup[]): number {
  return groups.reduce((sum, { models, more }) => sum + models.length + more, 0)
}

/** The profiles that cannot be asked, because they have no key. Empty until the host has answered. */
function useUnusable(): ReadonlySet<string> {
  const [view] = useQuery('models.get', undefined)
  const profiles = view.value?.profiles
  return useMemo(
    () =>
      new Set(profiles?.filter(({ secret, needsSecret }) => secret === null && needsSecret).map(({ name }) => name)),
    [profiles],
  )
}

interface OptionProps {
  readonly id: string
  readonly active: boolean
  readonly checked: boolean
  readonly onChoose: () => void
  readonly children: ReactNode
}

function Option({ id, active, checked, onChoose, children }: OptionProps): ReactNode {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!active) return
    row.current?.scrollIntoView({ block: 'nearest' })
    // The list gets its height only when it has its place on the page.
    const frame = requestAnimationFrame(() => row.current?.scrollIntoView({ block: 'nearest' }))
    return () => cancelAnimationFrame(frame)
  }, [active])
  return (
    <div
      ref={row}
      role="option"
      tabIndex={-1}
      id={id}
      aria-selected={checked}
      onMouseDown={(event) => event.preventDefault()}
      onMouseUp={({ button }) => button === 0 && onChoose()}
      className={classNames(
        'flex scroll-my-1 cursor-pointer items-start gap-2 rounded-md px-2 py-1 hover:bg-hover',
        active && 'bg-hover forced-colors:outline-2',
      )}
    >
      <span className="mt-0.5 w-4 shrink-0">{checked && <Check size={15} aria-hidden />}</span>
      {children}
    </div>
  )
}

function Words({ title, hint }: { title: string; hint: string }): ReactNode {
  return (
    <span className="min-w-0 flex-1">
      <span className="block [overflow-wrap:anywhere]">
        <VisibleText text={title} />
      </span>
      <span className="block text-muted text-xs">{hint}</span>
    </span>
  )
}

interface ModelWordsProps {
  readonly model: ModelChoice
  readonly isUsual: boolean
  readonly missingKey: boolean
}

/** The id stands below the name, because two names may look alike. */
function ModelWords({ model, isUsual, missingKey }: ModelWordsProps): ReactNode {
  const { id, name, contextWindow, can, about } = model
  const facts =
    about === undefined ? [...(name === id ? [] : [id]), labels.window(formatCount(contextWindow))] : [about]
  return (
    <>
      <span className={classNames('min-w-0 flex-1', missingKey && 'text-muted')}>
        <span className="block [overflow-wrap:anywhere]">
          <VisibleText text={name} />
          {isUsual && (
            <span className="ml-1.5 rounded border border-line-strong px-1 text-2xs text-muted">{labels.usual}</span>
          )}
        </span>
        <span className="block text-muted text-xs [overflow-wrap:anywhere]">
          <VisibleText text={facts.join(' · ')} />
          {missingKey && (
            <span className="ml-1.5 inline-flex items-center gap-1 text-warn">
              <KeyRound size={12} aria-hidden />
              {labels.noKey}
            </span>
          )}
        </span>
      </span>
      <span className="mt-0.5 flex shrink-0 flex-col items-end gap-1 text-muted text-xs tabular-nums">
        {about === undefined && <span title={labels.priceHint}>{describePrice(model)}</span>}
        <AbilityMarks can={can} />
      </span>
    </>
  )
}
