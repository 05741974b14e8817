import type { ReactNode } from 'react'
import { classNames } from '../react/class-names.ts'
import type { ChartTone } from './chart-frame.tsx'
import { mostTicks, Plot } from './plot.tsx'
import { ticksUpTo } from './ticks.ts'

interface Line {
  readonly label: string
  readonly tone: ChartTone
  /** One value for each place; null where it is not known. */
  readonly values: readonly (number | null)[]
}

interface LineChartProps {
  readonly label: string
  readonly lines: readonly Line[]
  /** What is said about each place. */
  readonly texts: readonly string[]
  readonly ends: readonly [string, string]
  /** A dashed line across the chart, such as a budget; null for none. */
  readonly limit?: number | null
  readonly height?: number
  /** A value with its unit, for the scale. */
  readonly format: (value: number) => string
}

const strokes: Readonly<Record<ChartTone, string>> = {
  accent: 'stroke-accent',
  good: 'stroke-good',
  warn: 'stroke-warn',
  bad: 'stroke-bad',
  muted: 'stroke-line-strong',
  first: 'stroke-agent-1',
  second: 'stroke-agent-2',
  third: 'stroke-agent-3',
  fourth: 'stroke-agent-4',
  fifth: 'stroke-agent-5',
  none: 'stroke-transparent',
}

/** Room above the highest value, so that a line does not touch the edge. */
const headroom = 1.08

/** Lines in steps over places of equal width. A limit far above the values is out of sight, and its text says it. */
export function LineChart({ label, lines, texts, ends, limit = null, height = 48, format }: LineChartProps): ReactNode {
  const known = lines.flatMap(({ values }) => values.filter((value) => value !== null))
  const highest = Math.max(...known, Number.MIN_VALUE)
  const isNear = limit !== null && limit <= highest * 3
  const top = (isNear ? Math.max(highest, limit) : highest) * headroom
  const y = (value: number): number => 100 - (value / top) * 100
  return (
    <Plot
      label={label}
      texts={texts}
      ends={ends}
      height={height}
      scale={{ top, ticks: ticksUpTo(top, mostTicks(height)), format }}
    >
      {(active) => (
        <svg viewBox={`0 0 ${texts.length} 100`} preserveAspectRatio="none" aria-hidden className="size-full">
          {active !== null && <rect x={active} y={0} width={1} height={100} className="fill-hover" />}
          {isNear && <path d={`M0,${y(limit)}H${texts.length}`} className={dashed} vectorEffect="non-scaling-stroke" />}
          {lines.map(({ label, tone, values }) => (
            <path
              key={label}
              d={stepsOf(values, y)}
              fill="none"
              strokeWidth={1.5}
              vectorEffect="non-scaling-stroke"
              className={classNames(strokes[tone], 'forced-colors:stroke-[CanvasText]')}
            />
          ))}
        </svg>
      )}
    </Plot>
  )
}

const dashed = 'fill-none stroke-warn [stroke-dasharray:4_3] forced-colors:stroke-[Highlight]'

function stepsOf(values: readonly (number | null)[], y: (value: number) => number): string {
  let isOpen = false
  const steps = values.map((value, place) => {
    if (value === null) {
      isOpen = false
      return ''
    }
    const step = `${isOpen ? 'V' : `M${place},`}${y(value)}H${place + 1}`
    isOpen = true
    return step
  })
  return steps.join('')
}
