import type { KeyboardEvent, ReactNode } from 'react'
import { classNames } from '../react/class-names.ts'
import { VisibleText } from './visible-text.tsx'

export interface TabItem {
  readonly id: string
  readonly label: string
  readonly icon?: ReactNode
  /** Shown beside the label, but not part of its accessible name. */
  readonly count?: number
  readonly onClose?: () => void
}

interface TabsProps {
  readonly label: string
  readonly items: readonly TabItem[]
  readonly selected: string
  readonly panelId: string
  readonly onSelect: (id: string) => void
}

/** The index that an arrow key, Home or End leads to; null for other keys. */
function tabAfterKey(key: string, index: number, count: number): number | null {
  if (key === 'ArrowRight') return (index + 1) % count
  if (key === 'ArrowLeft') return (index + count - 1) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}

/** A list of tabs, by the tabs pattern of the ARIA Authoring Practices. Delete closes a tab that can be closed. */
export function Tabs({ label, items, selected, panelId, onSelect }: TabsProps): ReactNode {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, index: number): void => {
    if (event.key === 'Delete') items[index]?.onClose?.()
    const next = tabAfterKey(event.key, index, items.length)
    if (next === null) return
    event.preventDefault()
    const list = event.currentTarget.parentElement
    onSelect(items[next]?.id ?? selected)
    const target = list?.children[next]
    if (target instanceof HTMLElement) target.focus()
  }
  return (
    <div
      role="tablist"
      aria-label={label}
      className="flex h-9 min-w-0 shrink-0 overflow-x-auto border-line border-b px-2"
    >
      {items.map((item, index) => {
        const isSelected = item.id === selected
        return (
          <button
            key={item.id}
            type="button"
            role="tab"
            id={`${panelId}-tab-${item.id}`}
            aria-selected={isSelected}
            aria-controls={isSelected ? panelId : undefined}
            tabIndex={isSelected ? 0 : -1}
            onClick={() => onSelect(item.id)}
            onAuxClick={item.onClose}
            onKeyDown={(event) => onKeyDown(event, index)}
            className={classNames(
              '-mb-px flex shrink-0 items-center gap-1.5 border-b-2 px-3 text-sm',
              isSelected ? 'border-accent font-medium text-text' : 'border-transparent text-muted hover:text-text',
            )}
          >
            {item.icon}
            <VisibleText text={item.label} />
            {item.count !== undefined && item.count > 0 && (
              <span aria-hidden className="rounded-full bg-hover px-1.5 text-muted text-xs tabular-nums">
                {item.count}
              </span>
            )}
          </button>
        )
      })}
    </div>
  )
}
