import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import type { LinePair, NumberedLine } from './hunk-lines.ts'
import { VisibleText } from './visible-text-view.tsx'

const marks = { context: ' ', added: '+', removed: '-', note: '\\' } as const
const backgrounds = { context: '', added: 'bg-added', removed: 'bg-removed', note: '' } as const
const inks = {
  context: 'text-faint',
  added: 'text-added-mark',
  removed: 'text-removed-mark',
  note: 'text-faint',
} as const

/** A line of a unified diff with its number on both sides. */
export function UnifiedLine({ line }: { line: NumberedLine }): ReactNode {
  return (
    <div className={classNames('flex h-5', backgrounds[line.kind])}>
      <LineNumber number={line.old} />
      <LineNumber number={line.new} />
      <LineText line={line} />
    </div>
  )
}

/** What stood there beside what stands there now; long lines wrap, so that neither side pushes the other out of sight. */
export function SplitLine({ pair: [left, right] }: { pair: LinePair }): ReactNode {
  return (
    <div className="grid min-h-5 grid-cols-2 divide-x divide-line">
      <Side line={left} number={left?.old ?? null} />
      <Side line={right} number={right?.new ?? null} />
    </div>
  )
}

function Side({ line, number }: { line: NumberedLine | null; number: number | null }): ReactNode {
  if (!line) return <div className="bg-panel" />
  return (
    <div className={classNames('flex min-w-0', backgrounds[line.kind])}>
      <LineNumber number={number} />
      <LineText line={line} wrap />
    </div>
  )
}

function LineNumber({ number }: { number: number | null }): ReactNode {
  return (
    <span aria-hidden className="w-12 shrink-0 select-none pr-2 text-right text-faint tabular-nums">
      {number}
    </span>
  )
}

function LineText({ line, wrap = false }: { line: NumberedLine; wrap?: boolean }): ReactNode {
  return (
    <>
      <span className={classNames('w-4 shrink-0 select-none', inks[line.kind])}>{marks[line.kind]}</span>
      <span
        className={classNames(
          'pr-2 [tab-size:4]',
          wrap ? 'min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]' : 'whitespace-pre',
          line.kind === 'note' && 'text-faint italic',
        )}
      >
        <VisibleText text={line.text} />
      </span>
    </>
  )
}
