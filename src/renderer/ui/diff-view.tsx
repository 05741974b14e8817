import { type ReactNode, useMemo, useState } from 'react'
import type { DiffHunk } from '#shared/contract/views.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { type NumberedLine, numberLines, splitRows } from './line-diff.ts'
import { reachable } from './reachable.ts'
import { VisibleText } from './visible-text-view.tsx'

export interface DiffViewProps {
  /** The accessible name. */
  readonly label: string
  readonly hunks: readonly DiffHunk[]
  readonly layout?: 'unified' | 'split'
  readonly showAllLabel: (count: number) => string
}

const shownAtFirst = 800
const marks = { context: ' ', added: '+', removed: '-' } as const
const backgrounds = { context: '', added: 'bg-added', removed: 'bg-removed' } as const
const inks = { context: 'text-faint', added: 'text-added-mark', removed: 'text-removed-mark' } as const

export function DiffView({ label, hunks, layout = 'unified', showAllLabel }: DiffViewProps): ReactNode {
  const [all, setAll] = useState(false)
  const total = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const shown = all ? hunks : firstLines(hunks)
  return (
    <section aria-label={label} {...reachable} className="overflow-x-auto font-mono text-[12px] leading-[18px]">
      {shown.map((hunk) => (
        <Hunk key={`${hunk.oldStart}-${hunk.newStart}`} hunk={hunk} layout={layout} />
      ))}
      {!all && total > shownAtFirst && (
        <div className="p-2">
          <Button onClick={() => setAll(true)}>{showAllLabel(total)}</Button>
        </div>
      )}
    </section>
  )
}

function firstLines(hunks: readonly DiffHunk[]): readonly DiffHunk[] {
  let room = shownAtFirst
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(room, 0))
    room -= lines.length
    return lines.length > 0 ? [{ ...hunk, lines }] : []
  })
}

function Hunk({ hunk, layout }: { hunk: DiffHunk; layout: 'unified' | 'split' }): ReactNode {
  const lines = useMemo(() => numberLines(hunk), [hunk])
  return (
    <div className="min-w-full border-line not-first:border-t">
      <div className="bg-panel px-2 text-faint">
        @@ -{hunk.oldStart},{hunk.oldLines} +{hunk.newStart},{hunk.newLines} @@
      </div>
      {layout === 'unified' ? (
        <div className="w-max min-w-full">
          {lines.map((line) => (
            <Line key={`${line.kind}-${line.old}-${line.new}`} line={line} numbers={[line.old, line.new]} />
          ))}
        </div>
      ) : (
        splitRows(lines).map(([left, right]) => (
          <div key={`${left?.old}-${right?.new}`} className="grid grid-cols-2 divide-x divide-line">
            <Side line={left} number={left?.old ?? null} />
            <Side line={right} number={right?.new ?? null} />
          </div>
        ))
      )}
    </div>
  )
}

function Side({ line, number }: { line: NumberedLine | null; number: number | null }): ReactNode {
  return line ? <Line line={line} numbers={[number]} wrap /> : <div className="bg-panel" />
}

interface LineProps {
  readonly line: NumberedLine
  readonly numbers: readonly (number | null)[]
  readonly wrap?: boolean
}

function Line({ line, numbers, wrap = false }: LineProps): ReactNode {
  return (
    <div className={classNames('flex min-w-0', backgrounds[line.kind])}>
      {numbers.map((number, index) => (
        <span
          // A line has at most two numbers, always in the same place.
          key={index === 0 ? 'first' : 'second'}
          aria-hidden
          className="w-10 shrink-0 select-none pr-2 text-right text-faint tabular-nums"
        >
          {number}
        </span>
      ))}
      <span className={classNames('w-4 shrink-0 select-none', inks[line.kind])}>{marks[line.kind]}</span>
      <span
        className={classNames('min-w-0 pr-2', wrap ? 'whitespace-pre-wrap [overflow-wrap:anywhere]' : 'whitespace-pre')}
      >
        <VisibleText text={line.text} />
      </span>
    </div>
  )
}
