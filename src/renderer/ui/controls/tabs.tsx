import { ChevronDown, X } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { classNames } from '../react/class-names.ts'
import { AriaElement } from '../react/elements.tsx'
import { IconButton } from './button.tsx'
import { Menu } from './menu.tsx'
import { visibleText } from './split-visible.ts'
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
  /** Names the list of all tabs, which is there when not all of them fit. */
  readonly allLabel: string
  /** The tooltip of the cross on a tab that can be closed. */
  readonly closeLabel: string
  readonly items: readonly TabItem[]
  readonly selected: string
  readonly panelId: string
  readonly onSelect: (id: string) => void
}

const middleButton = 1

/** The index that an arrow key, Home or End leads to; null for other keys. */
function tabAfterKey(key: string, index: number, count: number): number | null {
  if (key === 'ArrowRight') return (index + 1) % count
  if (key === 'ArrowLeft') return (index + count - 1) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}

/**
 * A list of tabs, by the tabs pattern of the ARIA Authoring Practices. Delete and the middle button close a tab that can
 * be closed.
 */
export function Tabs({ label, allLabel, closeLabel, items, selected, panelId, onSelect }: TabsProps): ReactNode {
  const list = useRef<HTMLDivElement>(null)
  const overflows = useOverflow(list, selected)
  /** Closes a tab. When it had the focus, its neighbour takes it, because the focus must not vanish with the tab. */
  const close = (index: number): void => {
    const item = items[index]
    const tabs = list.current?.children
    if (!item?.onClose || !tabs) return
    const hadFocus = tabs[index]?.contains(document.activeElement)
    const neighbour = index + 1 < items.length ? index + 1 : index - 1
    const target = tabs[neighbour]
    if (hadFocus && target instanceof HTMLElement) target.focus()
    item.onClose()
    const next = items[neighbour]
    if (hadFocus && item.id === selected && next) onSelect(next.id)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, index: number): void => {
    if (event.key === 'Delete') close(index)
    const next = tabAfterKey(event.key, index, items.length)
    if (next === null) return
    event.preventDefault()
    onSelect(items[next]?.id ?? selected)
    const target = list.current?.children[next]
    if (target instanceof HTMLElement) target.focus()
  }
  const onClick = (event: MouseEvent<HTMLElement>, index: number, { id }: TabItem): void => {
    const isCross = event.target instanceof Element && event.target.closest('[data-close]') !== null
    if (isCross) close(index)
    else onSelect(id)
  }
  return (
    <div className="flex h-9 min-w-0 shrink-0 border-line border-b">
      <AriaElement
        ref={list}
        role="tablist"
        aria-label={label}
        className="flex min-w-0 flex-1 overflow-x-auto px-2 [scrollbar-width:none]"
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
              aria-keyshortcuts={item.onClose ? 'Delete' : undefined}
              tabIndex={isSelected ? 0 : -1}
              onClick={(event) => onClick(event, index, item)}
              onAuxClick={(event) => event.button === middleButton && close(index)}
              onKeyDown={(event) => onKeyDown(event, index)}
              className={classNames(
                'group flex shrink-0 items-center gap-1.5 border-b-2 text-sm',
                item.onClose ? 'pr-1.5 pl-3' : 'px-3',
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
              {item.onClose && (
                <span
                  aria-hidden
                  data-close=""
                  title={closeLabel}
                  className={classNames(
                    'inline-flex size-5 items-center justify-center rounded-md hover:bg-hover group-hover:opacity-100 group-focus-visible:opacity-100',
                    isSelected ? 'opacity-70' : 'opacity-0',
                  )}
                >
                  <X size={13} />
                </span>
              )}
            </button>
          )
        })}
      </AriaElement>
      {overflows && (
        <Menu
          trigger={
            <IconButton label={allLabel} className="m-1">
              <ChevronDown size={14} aria-hidden />
            </IconButton>
          }
          choices={items.map(({ id, label: name }) => ({
            id,
            label: visibleText(name),
            checked: id === selected,
            onSelect: () => onSelect(id),
          }))}
        />
      )}
    </div>
  )
}

/**
 * Whether not all tabs fit. Keeps the selected one in sight. Reads sizes only when the page has them, because asking for
 * them earlier lays the whole page out once more.
 */
function useOverflow(list: { readonly current: HTMLDivElement | null }, selected: string): boolean {
  const [overflows, setOverflows] = useState(false)
  const observer = useRef<ResizeObserver>(null)
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(() => {
      const element = list.current
      if (element) setOverflows(element.scrollWidth > element.clientWidth + 1)
    })
    observer.current = sizes
    return () => sizes.disconnect()
  }, [list])
  // Without dependencies, because other tabs and other names take other room.
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    for (const part of [element, ...element.children]) observer.current?.observe(part)
  })
  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() => {
      const tab = list.current?.querySelector(`[role="tab"][id$="${CSS.escape(`-tab-${selected}`)}"]`)
      tab?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
    })
    return () => cancelAnimationFrame(frame)
  }, [list, selected])
  return overflows
}
