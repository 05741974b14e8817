import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'

export interface MenuChoice {
  readonly id: string
  readonly label: string
  readonly hint?: string
  readonly checked?: boolean
  readonly onSelect: () => void
}

/** A button that opens a list of choices; `trigger` is the button. */
export function Menu({ trigger, choices }: { trigger: ReactElement; choices: readonly MenuChoice[] }): ReactNode {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="z-50">
          <Base.Popup className="min-w-48 max-w-80 rounded-lg border border-line-strong bg-raised p-1 outline-none">
            {choices.map((choice) => (
              <Base.Item
                key={choice.id}
                onClick={choice.onSelect}
                className="flex cursor-pointer items-start gap-2 rounded-md px-2 py-1 outline-none data-[highlighted]:bg-hover"
              >
                <span className="mt-0.5 w-4 shrink-0">{choice.checked && <Check size={15} aria-hidden />}</span>
                <span className="min-w-0">
                  <span className="block">{choice.label}</span>
                  {choice.hint && <span className="block text-muted text-xs">{choice.hint}</span>}
                </span>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
