import type { ReactNode } from 'react'
import { classNames } from '../react/class-names.ts'
import { withKeys } from '../react/elements.tsx'

/** The colours of the parts of a chart, in their order. Neighbours are far apart. */
export type ChartTone =
  | 'accent'
  | 'good'
  | 'warn'
  | 'bad'
  | 'muted'
  | 'first'
  | 'second'
  | 'third'
  | 'fourth'
  | 'fifth'
  | 'none'

/** In forced colours every part has the colour of text; gaps and the legend's order tell them apart. */
export const chartFill: Readonly<Record<ChartTone, string>> = {
  accent: 'fill-accent',
  good: 'fill-good',
  warn: 'fill-warn',
  bad: 'fill-bad',
  muted: 'fill-line-strong',
  first: 'fill-agent-1',
  second: 'fill-agent-2',
  third: 'fill-agent-3',
  fourth: 'fill-agent-4',
  fifth: 'fill-agent-5',
  none: 'fill-hover',
}

interface ChartFrameProps {
  readonly title: string
  /** The heads of the columns of the table that says the same. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Said in place of the chart while there are no rows. */
  readonly empty: string
  /** A figure beside the title. */
  readonly aside?: string | undefined
  readonly className?: string
  readonly children: ReactNode
}

/** A chart under its title, with a table of the same values for screen readers. */
export function ChartFrame({ title, columns, rows, empty, aside, className, children }: ChartFrameProps): ReactNode {
  return (
    <section aria-label={title} className={classNames('relative flex min-w-0 flex-col gap-1', className)}>
      <h3 className="flex items-baseline gap-2 font-semibold text-xs">
        <span className="min-w-0 truncate">{title}</span>
        {aside && <span className="ml-auto shrink-0 font-normal text-muted tabular-nums">{aside}</span>}
      </h3>
      {rows.length === 0 ? (
        <p className="text-muted text-xs">{empty}</p>
      ) : (
        <>
          {children}
          <div className="sr-only">
            <table>
              <caption>{title}</caption>
              <thead>
                <tr>
                  {columns.map((column) => (
                    <th key={column} scope="col">
                      {column}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {withKeys(rows).map(({ key, item: [head, ...cells] }) => (
                  <tr key={key}>
                    <th scope="row">{head}</th>
                    {withKeys(cells).map((cell) => (
                      <td key={cell.key}>{cell.item}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  )
}

interface LegendProps {
  readonly items: readonly { readonly label: string; readonly tone: ChartTone; readonly value?: string | undefined }[]
}

export function Legend({ items }: LegendProps): ReactNode {
  return (
    <ul aria-hidden className="flex flex-wrap gap-x-3 gap-y-0.5 text-2xs text-muted">
      {items.map(({ label, tone, value }) => (
        <li key={label} className="flex items-center gap-1">
          <svg width={8} height={8} aria-hidden className="shrink-0 forced-colors:fill-[CanvasText]">
            <rect
              width={8}
              height={8}
              rx={2}
              className={classNames(chartFill[tone], 'forced-colors:fill-[CanvasText]')}
            />
          </svg>
          {label}
          {value && <span className="text-text tabular-nums">{value}</span>}
        </li>
      ))}
    </ul>
  )
}
