import { ChevronDown, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { type ApprovalMode, approvalModes } from '#shared/model/thread.ts'
import { useModeHints } from '../../parts/use-mode-hints.ts'
import { useQuery } from '../../state/hooks/use-query.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Menu } from '../../ui/controls/menu.tsx'

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
