import { ContextMenu as BaseContext } from '@base-ui/react/context-menu'
import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import { type MouseEvent, type ReactElement, type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import type { NonEmpty } from '#shared/base/non-empty.ts'

/** One line of a menu. */
export interface MenuChoice {
  readonly id: string
  readonly label: string
  readonly hint?: string
  /** The shortcut that does the same on the menu's trigger. */
  readonly keys?: string
  /** A word beside the label, such as `default`. */
  readonly badge?: string
  /** A figure at the end of the line. */
  readonly aside?: string
  readonly checked?: boolean
  /** The heading above this choice and its neighbours with the same one. */
  readonly group?: string
  /** The choice is shown but cannot be made. `hint` should say why. */
  readonly disabled?: boolean
  readonly onSelect: () => void
}

interface MenuProps {
  readonly trigger: ReactElement
  /** As a function they are made only for an open menu. */
  readonly choices: readonly MenuChoice[] | (() => readonly MenuChoice[])
}

const popup =
  'max-h-(--available-height) min-w-48 max-w-80 overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 outline-none'

/**
 * Opens a list of choices. `trigger` is the button. A window has dozens of menus and most are never opened, so the parts
 * behind the button are made when the pointer or the focus reaches it.
 */
export function Menu({ trigger, choices }: MenuProps): ReactNode {
  const [handle] = useState(Base.createHandle)
  const [isReached, setReached] = useState(false)
  const reach = (): void => setReached(true)
  /**
   * A press that nothing came before, such as that of a screen reader. The button could not open the menu itself, so it
   * gets the press once more, now with the parts behind it. Nobody else sees two.
   */
  function openUnreached(event: MouseEvent<HTMLElement>): void {
    event.stopPropagation()
    flushSync(reach)
    event.currentTarget.dispatchEvent(new PointerEvent('click', { bubbles: true, cancelable: true }))
  }
  return (
    <>
      <Base.Trigger
        handle={handle}
        render={trigger}
        onPointerEnter={reach}
        onPointerDown={reach}
        onFocus={reach}
        {...(!isReached && { 'aria-expanded': false, onClick: openUnreached })}
      />
      {isReached && (
        <Base.Root handle={handle}>
          <Base.Portal>
            <Base.Positioner sideOffset={4} align="start" className="z-50">
              <Base.Popup className={popup}>
                <Choices choices={choices} />
              </Base.Popup>
            </Base.Positioner>
          </Base.Portal>
        </Base.Root>
      )}
    </>
  )
}

/** Opens the same list on a right click, a long press or the menu key anywhere in `trigger`. */
export function ContextMenu({ trigger, choices }: MenuProps): ReactNode {
  return (
    <BaseContext.Root>
      <BaseContext.Trigger render={trigger} />
      <BaseContext.Portal>
        <BaseContext.Positioner className="z-50">
          <BaseContext.Popup className={popup}>
            <Choices choices={choices} />
          </BaseContext.Popup>
        </BaseContext.Positioner>
      </BaseContext.Portal>
    </BaseContext.Root>
  )
}

function Choices({ choices }: Pick<MenuProps, 'choices'>): ReactNode {
  return runsOf(typeof choices === 'function' ? choices() : choices).map(([first, ...rest]) => {
    const lines = [first, ...rest].map((choice) => <ChoiceLine key={choice.id} choice={choice} />)
    if (first.group === undefined) return lines
    return (
      <Base.Group key={first.group}>
        <Base.GroupLabel className="px-2 pt-1.5 pb-0.5 text-2xs text-muted">{first.group}</Base.GroupLabel>
        {lines}
      </Base.Group>
    )
  })
}

/** Neighbours of the same group. */
function runsOf(choices: readonly MenuChoice[]): readonly NonEmpty<MenuChoice>[] {
  const runs: [MenuChoice, ...MenuChoice[]][] = []
  for (const choice of choices) {
    const last = runs.at(-1)
    if (last && last[0].group === choice.group) last.push(choice)
    else runs.push([choice])
  }
  return runs
}

function ChoiceLine({ choice }: { choice: MenuChoice }): ReactNode {
  return (
    <Base.Item
      disabled={choice.disabled ?? false}
      onClick={choice.onSelect}
      className="flex cursor-pointer items-start gap-2 rounded-md px-2 py-1 outline-none data-[disabled]:cursor-default data-[highlighted]:bg-hover data-[disabled]:text-muted"
    >
      <span className="mt-0.5 w-4 shrink-0">{choice.checked && <Check size={15} aria-hidden />}</span>
      <span className="min-w-0 flex-1">
        <span className="block">
          {choice.label}
          {choice.badge && (
            <span className="ml-1.5 rounded border border-line-strong px-1 text-2xs text-muted">{choice.badge}</span>
          )}
        </span>
        {choice.hint && <span className="block text-muted text-xs">{choice.hint}</span>}
      </span>
      {choice.aside && <span className="mt-0.5 shrink-0 text-muted text-xs tabular-nums">{choice.aside}</span>}
      {choice.keys && <kbd className="shrink-0 font-sans text-faint text-xs">{choice.keys}</kbd>}
    </Base.Item>
  )
}
