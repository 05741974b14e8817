import { ChevronDown, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { type ApprovalMode, approvalModes } from '#shared/model/thread.ts'
import { useModeHints } from '../../parts/use-mode-hints.ts'
import { useQuery } from '../../state/hooks/use-query.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Menu, type MenuChoice } from '../../ui/controls/menu.tsx'

const labels = strings.chat

interface ModeMenuProps {
  /** Null until it is known. The menu says nothing then, and can choose one. */
  readonly mode: ApprovalMode | null
  readonly onChoose: (mode: ApprovalMode) => void
  /** For a thread of an external agent: its name, and its own modes with the one that was chosen. */
  readonly own: OwnModes | null
}

export interface OwnModes {
  readonly agent: string
  readonly modes: readonly { readonly id: string; readonly name: string }[]
  /** Null: the agent's definition or the approval mode decides. */
  readonly chosen: string | null
  readonly onChoose: (id: string | null) => void
}

export function ModeMenu({ mode, onChoose, own }: ModeMenuProps): ReactNode {
  const ours = mode === null ? '…' : strings.common.mode[mode]
  const chosen = own?.chosen ?? null
  const chosenName = own?.modes.find(({ id }) => id === chosen)?.name ?? chosen
  const name = chosenName === null ? ours : `${ours} · ${chosenName}`
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
      choices={[
        ...approvalModes.map((each) => ({
          id: each,
          label: strings.common.mode[each],
          hint: hintOf(each),
          checked: each === mode,
          onSelect: () => onChoose(each),
        })),
        ...(own ? ownChoices(own) : []),
      ]}
    />
  )
}

/** The modes of the agent itself, below ours. */
function ownChoices({ agent, modes, chosen, onChoose }: OwnModes): readonly MenuChoice[] {
  const group = labels.modesOf(agent)
  const isOffered = chosen === null || modes.some(({ id }) => id === chosen)
  const listed = isOffered ? modes : [...modes, { id: chosen, name: chosen }]
  const fitting = { id: '', label: labels.fittingMode, hint: labels.fittingModeHint }
  return [
    { ...fitting, group, checked: chosen === null, onSelect: () => onChoose(null) },
    ...listed.map(({ id, name }) => ({
      ...{ id: `own ${id}`, label: name, group, checked: id === chosen },
      onSelect: () => onChoose(id),
    })),
  ]
}
