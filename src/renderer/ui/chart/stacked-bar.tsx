import type { ReactNode } from 'react'
import { classNames } from '../react/class-names.ts'
import { type ChartTone, chartFill, Legend } from './chart-frame.tsx'

interface Segment {
  readonly label: string
  readonly value: number
  /** The value as it is shown. */
  readonly text: string
  readonly tone: ChartTone
}

interface StackedBarProps {
  readonly segments: readonly Segment[]
  /** The value of the whole bar. Larger sums fill it. */
  readonly whole: number
}

/** One lying bar that shows how a whole is divided, with its legend. */
export function StackedBar({ segments, whole }: StackedBarProps): ReactNode {
  const total = Math.max(
    whole,
    segments.reduce((all, { value }) => all + value, 0),
  )
  let left = 0
  return (
    <>
      <svg width="100%" height={14} aria-hidden className="rounded-sm">
        <rect width="100%" height={14} className="fill-hover forced-colors:fill-[Canvas]" />
        {segments.map(({ label, value, text, tone }) => {
          const start = left
          left += value / total
          const width = Math.max((value / total) * 100 - 0.25, value > 0 ? 0.25 : 0)
          return (
            <rect
              key={label}
              x={`${start * 100}%`}
              width={`${width}%`}
              height={14}
              className={classNames(chartFill[tone], 'forced-colors:fill-[CanvasText]')}
            >
              <title>{`${label}: ${text}`}</title>
            </rect>
          )
        })}
        <rect width="100%" height={14} className="fill-none stroke-line forced-colors:stroke-[CanvasText]" />
      </svg>
      <Legend items={segments.map(({ label, tone, text }) => ({ label, tone, value: text }))} />
    </>
  )
}
