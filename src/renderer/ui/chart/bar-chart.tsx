import type { ReactNode } from 'react'
import { classNames } from '../react/class-names.ts'
import { withKeys } from '../react/elements.tsx'
import { type ChartTone, chartFill } from './chart-frame.tsx'
import { mostTicks, Plot } from './plot.tsx'
import { ticksUpTo } from './ticks.ts'

interface Bar {
  /** What is said when the bar is chosen. */
  readonly text: string
  /** From below, in the order of `tones`. */
  readonly parts: readonly number[]
}

interface BarChartProps {
  readonly label: string
  readonly bars: readonly Bar[]
  readonly tones: readonly ChartTone[]
  readonly ends: readonly [string, string]
  readonly height?: number
  /** A value with its unit, for the scale. */
  readonly format: (value: number) => string
  /** True for counts, whose scale has no fractions. */
  readonly whole?: boolean
}

/** Upright bars of equal width, each of one or more parts. */
export function BarChart({ label, bars, tones, ends, height = 48, format, whole }: BarChartProps): ReactNode {
  const highest = Math.max(...bars.map(({ parts }) => sum(parts)), Number.MIN_VALUE)
  return (
    <Plot
      label={label}
      texts={bars.map(({ text }) => text)}
      ends={ends}
      height={height}
      scale={{ top: highest, ticks: ticksUpTo(highest, mostTicks(height), whole), format }}
    >
      {(active) => (
        <svg viewBox={`0 0 ${bars.length} 100`} preserveAspectRatio="none" aria-hidden className="size-full">
          {withKeys(bars).map(({ key, item: { parts } }, place) => (
            <g key={key} opacity={active === null || active === place ? 1 : 0.45}>
              <BarParts place={place} parts={parts.map((part) => (part / highest) * 100)} tones={tones} />
            </g>
          ))}
        </svg>
      )}
    </Plot>
  )
}

interface BarPartsProps {
  readonly place: number
  /** Heights from 0 to 100. */
  readonly parts: readonly number[]
  readonly tones: readonly ChartTone[]
}

/** A small part keeps a visible height, because something is not nothing. */
function BarParts({ place, parts, tones }: BarPartsProps): ReactNode {
  let below = 0
  return withKeys(parts).map(({ key, item }, index) => {
    if (item <= 0) return null
    const height = Math.max(item, 2)
    below += height
    return (
      <rect
        key={key}
        x={place + 0.1}
        width={0.8}
        y={Math.max(100 - below, 0)}
        height={height}
        className={classNames(chartFill[tones[index] ?? 'accent'], 'forced-colors:fill-[CanvasText]')}
      />
    )
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}
