import type { ReactNode } from 'react'
import { CodeLine } from '../code/code-text.tsx'
import { VisibleText } from '../controls/visible-text.tsx'
import { classNames } from '../react/class-names.ts'
import type { DiffHighlight } from './diff-highlight.ts'
import type { LinePair, NumberedLine } from './hunk-lines.ts'
import { isIn, type LineRange, rangeOf } from './line-range.ts'

const marks = { context: ' ', added: '+', removed: '-', note: '\\' } as const
const backgrounds = { context: '', added: 'bg-added', removed: 'bg-removed', note: '' } as const
const signColours = {
  context: 'text-faint',
  added: 'text-added-mark',
  removed: 'text-removed-mark',
  note: 'text-faint',
} as const

interface LineLook {
  /** The highlighted range of lines. */
  readonly marked?: LineRange | null | undefined
  /** Absent for plain text. */
  readonly highlight?: DiffHighlight | null | undefined
}

/** One line of a unified diff, with both line numbers. */
export function UnifiedLine({ line, marked, highlight }: LineLook & { readonly line: NumberedLine }): ReactNode {
  return (
    <div className={classNames('flex h-5', backgrounds[line.kind])}>
      <LineNumber line={line} number={line.old} marked={marked} />
      <LineNumber line={line} number={line.new} marked={marked} />
      <LineText line={line} highlight={highlight} />
    </div>
  )
}

/** The old and the new line side by side. Long lines wrap, so that neither side moves the other out of sight. */
export function SplitLine({ pair: [left, right], ...look }: LineLook & { readonly pair: LinePair }): ReactNode {
  return (
    <div className="grid min-h-5 grid-cols-2 divide-x divide-line">
      <Side line={left} number={left?.old ?? null} {...look} />
      <Side line={right} number={right?.new ?? null} {...look} />
    </div>
  )
}

interface SideProps extends LineLook {
  readonly line: NumberedLine | null
  readonly number: number | null
}

function Side({ line, number, marked, highlight }: SideProps): ReactNode {
  if (!line) return <div className="bg-panel" />
  return (
    <div className={classNames('flex min-w-0', backgrounds[line.kind])}>
      <LineNumber line={line} number={number} marked={marked} />
      <LineText line={line} highlight={highlight} wrap />
    </div>
  )
}

function LineNumber({ line, number, marked }: SideProps & { readonly line: NumberedLine }): ReactNode {
  const place = rangeOf(line)
  return (
    <span
      aria-hidden
      data-side={place?.side}
      data-line={place?.to}
      className={classNames(
        'w-12 shrink-0 select-none pr-2 text-right text-faint tabular-nums in-data-commentable:cursor-pointer in-data-commentable:hover:bg-accent-soft in-data-commentable:hover:text-text',
        marked && isIn(line, marked) && 'bg-accent-soft text-text',
      )}
    >
      {number}
    </span>
  )
}

interface LineTextProps {
  readonly line: NumberedLine
  readonly highlight: DiffHighlight | null | undefined
  readonly wrap?: boolean
}

function LineText({ line, highlight, wrap = false }: LineTextProps): ReactNode {
  const tokens = highlight?.(line)
  return (
    <>
      <span className={classNames('w-4 shrink-0 select-none', signColours[line.kind])}>{marks[line.kind]}</span>
      <span
        className={classNames(
          'pr-2 [tab-size:4]',
          wrap ? 'min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]' : 'whitespace-pre',
          line.kind === 'note' && 'text-faint italic',
        )}
      >
        {tokens ? <CodeLine tokens={tokens} /> : <VisibleText text={line.text} />}
      </span>
    </>
  )
}
