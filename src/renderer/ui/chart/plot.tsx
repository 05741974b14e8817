import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { AriaElement } from '../react/elements.tsx'

interface PlotProps {
  /** The accessible name: what the chart shows, and that the arrow keys read it. */
  readonly label: string
  /** What is said about each place, from left to right. */
  readonly texts: readonly string[]
  /** What stands below the plot while no place is chosen. */
  readonly ends: readonly [string, string]
  /** Pixels. */
  readonly height: number
  /** `active` is the chosen place; null for none. */
  readonly children: (active: number | null) => ReactNode
}

/** The place of a plot under the pointer, or chosen with the arrow keys, with its value in words below. */
export function Plot({ label, texts, ends, height, children }: PlotProps): ReactNode {
  const [chosen, setChosen] = useState<number | null>(null)
  const active = chosen !== null && chosen < texts.length ? chosen : null

  function onPointerMove(event: PointerEvent<HTMLDivElement>): void {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const place = Math.floor(((event.clientX - left) / Math.max(width, 1)) * texts.length)
    setChosen(Math.min(Math.max(place, 0), texts.length - 1))
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const last = texts.length - 1
    const next = nextPlace(event.key, active, last)
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    setChosen(next)
  }

  return (
    <div className="min-w-0">
      <AriaElement
        role="group"
        tabIndex={0}
        aria-label={label}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setChosen(null)}
        onBlur={() => setChosen(null)}
        onKeyDown={onKeyDown}
        style={{ height }}
        className="relative rounded-sm border-line border-b"
      >
        {children(active)}
      </AriaElement>
      <p role="status" className="flex h-4 justify-between gap-2 text-2xs text-muted tabular-nums">
        {active === null ? (
          ends.map((end, place) => (
            <span key={place === 0 ? 'start' : 'end'} className="truncate">
              {end}
            </span>
          ))
        ) : (
          <span className="truncate text-text">{texts[active]}</span>
        )}
      </p>
    </div>
  )
}

/** Null for none; undefined when the key means nothing here. */
function nextPlace(key: string, active: number | null, last: number): number | null | undefined {
  switch (key) {
    case 'ArrowRight':
      return active === null ? 0 : Math.min(active + 1, last)
    case 'ArrowLeft':
      return active === null ? last : Math.max(active - 1, 0)
    case 'Home':
      return 0
    case 'End':
      return last
    case 'Escape':
      return active === null ? undefined : null
    default:
      return undefined
  }
}
