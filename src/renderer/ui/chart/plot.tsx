import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { AriaElement } from '../react/elements.tsx'

/** The values at the left of a plot. */
export interface Scale {
  /** The value at the upper edge. The lower edge is 0. */
  readonly top: number
  /** Round values, not above `top`. */
  readonly ticks: readonly number[]
  /** A value with its unit. */
  readonly format: (value: number) => string
}

interface PlotProps {
  /** The accessible name: what the chart shows, and that the arrow keys read it. */
  readonly label: string
  /** What is said about each place, from left to right. */
  readonly texts: readonly string[]
  /** What stands below the plot while no place is chosen. */
  readonly ends: readonly [string, string]
  readonly scale: Scale
  /** Pixels. */
  readonly height: number
  /** `active` is the chosen place; null for none. */
  readonly children: (active: number | null) => ReactNode
}

/** The place of a plot under the pointer, or chosen with the arrow keys, with its value in words below. */
export function Plot({ label, texts, ends, scale, height, children }: PlotProps): ReactNode {
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
    <div className="flex min-w-0 pt-1.5">
      <ScaleText scale={scale} height={height} />
      <div className="min-w-0 flex-1">
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
          {scale.ticks.slice(1).map((tick) => (
            <span
              key={tick}
              aria-hidden
              className="absolute inset-x-0 border-line border-t border-dotted"
              style={{ bottom: `${(tick / scale.top) * 100}%` }}
            />
          ))}
          <div className="relative size-full">{children(active)}</div>
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
    </div>
  )
}

/** Values that read the same are written once. The table behind the chart has the same values for screen readers. */
function ScaleText({ scale: { top, ticks, format }, height }: { scale: Scale; height: number }): ReactNode {
  const texts = ticks.map(format)
  const longest = texts.reduce((long, text) => (text.length > long.length ? text : long), '')
  return (
    <div aria-hidden className="relative mr-1 shrink-0 text-right text-2xs text-muted tabular-nums" style={{ height }}>
      <span className="invisible">{longest}</span>
      {ticks.map((tick, place) => (
        <span
          key={tick}
          className="absolute right-0 translate-y-1/2 leading-none"
          style={{ bottom: `${(tick / top) * 100}%` }}
        >
          {texts.indexOf(texts[place] ?? '') === place && texts[place]}
        </span>
      ))}
    </div>
  )
}

/** The most values that a scale of this height shows without crowding. */
export function mostTicks(height: number): number {
  return height < 64 ? 3 : 4
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
