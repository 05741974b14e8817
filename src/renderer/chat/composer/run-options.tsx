import { ChevronDown, ShieldCheck, Sparkles } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import { type ApprovalMode, approvalModes } from '#shared/model/thread.ts'
import { formatCount, formatPrice } from '#shared/text/format.ts'
import { useModeHints } from '../../parts/use-mode-hints.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { modelName } from '../../state/store/selectors.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextInput } from '../../ui/controls/field.tsx'
import { Menu, type MenuChoice } from '../../ui/controls/menu.tsx'

const labels = strings.chat

interface ModeMenuProps {
  /** Null until it is known. The menu says nothing then, and can choose one. */
  readonly mode: ApprovalMode | null
  readonly onChoose: (mode: ApprovalMode) => void
}

export function ModeMenu({ mode, onChoose }: ModeMenuProps): ReactNode {
  const name = mode === null ? '…' : strings.common.mode[mode]
  const [settings] = useQuery('settings.get', undefined)
  const hintOf = useModeHints(settings.value?.commandApproval ?? null)
  return (
    <Menu
      trigger={
        <Button tone="quiet" icon={<ShieldCheck size={14} aria-hidden />} aria-label={`${labels.mode}: ${name}`}>
          {name}
          <ChevronDown size={13} aria-hidden />
        </Button>
      }
      choices={approvalModes.map((each) => ({
        id: each,
        label: strings.common.mode[each],
        hint: hintOf(each),
        checked: each === mode,
        onSelect: () => onChoose(each),
      }))}
    />
  )
}

interface ModelMenuProps {
  readonly model: string
  readonly onChoose: (model: string) => void
}

export function ModelMenu({ model, onChoose }: ModelMenuProps): ReactNode {
  const known = useApp((state) => state.info?.provider.models) ?? []
  const usual = useApp((state) => state.info?.provider.model)
  const name = useApp((state) => modelName(state, model))
  const [typing, setTyping] = useState(false)
  if (typing) {
    return (
      <TextInput
        autoFocus
        aria-label={labels.model}
        defaultValue={model}
        className="h-7! w-56!"
        onBlur={() => setTyping(false)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setTyping(false)
          if (event.key !== 'Enter' || event.currentTarget.value.trim() === '') return
          onChoose(event.currentTarget.value.trim())
          setTyping(false)
        }}
      />
    )
  }
  const other = { id: ' other', label: labels.modelOther, onSelect: () => setTyping(true) }
  return (
    <Menu
      trigger={
        <Button
          tone="quiet"
          icon={<Sparkles size={14} aria-hidden />}
          aria-label={`${labels.model}: ${name}`}
          title={model}
          className="min-w-24 max-w-64 shrink!"
        >
          <span className="truncate">{name}</span>
          <ChevronDown size={13} aria-hidden className="shrink-0" />
        </Button>
      }
      choices={() => [
        ...known.map((choice) => ({
          ...describeModel(choice),
          ...(choice.id === usual && { badge: labels.modelDefault }),
          checked: choice.id === model,
          onSelect: () => onChoose(choice.id),
        })),
        other,
      ]}
    />
  )
}

/** The id stands in the hint, because two names may look alike. */
function describeModel({ id, name, contextWindow, provider, price }: ModelChoice): Omit<MenuChoice, 'onSelect'> {
  const window = labels.modelWindow(formatCount(contextWindow))
  return {
    id,
    label: name,
    hint: name === id ? window : `${id} · ${window}`,
    ...(provider !== undefined && { group: labels.modelGroup(provider) }),
    ...(price !== undefined && {
      aside: price ? labels.modelPrice(formatPrice(price.input), formatPrice(price.output)) : labels.modelUnpriced,
    }),
  }
}
