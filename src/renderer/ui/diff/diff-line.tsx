import type { ReactNode } from 'react'
import { CodeLine } from '../code/code-text.tsx'
import { VisibleText } from '../controls/visible-text.tsx'
import { classNames } from '../react/class-names.ts'
import type { DiffHighlight } from './diff-highlight.ts'
import type { LinePair, NumberedLine } from './hunk-lines.ts'
import { isIn, type LineRange, rangeOf } from './line-range.ts'
import { MarkedText, occurrencesOf, type TextMarks } from './marked-text.tsx'
import type { MovedLines } from './moved-lines.ts'
import type { LineWords } from './word-diff.ts'

const marks = { context: ' ', added: '+', removed: '-', note: '\\' } as const
const backgrounds = { context: '', added: 'bg-added', removed: 'bg-removed', note: '' } as const
const signColours = {
  context: 'text-faint',
  added: 'text-added-mark',
  removed: 'text-removed-mark',
  note: 'text-faint',
} as const

/** A line that was moved is quieter than one that is new. */
const movedBackgrounds = { context: '', added: 'bg-added/50', removed: 'bg-removed/50', note: '' } as const
const wordMarks = { context: '', added: 'diff-word-added', removed: 'diff-word-removed', note: '' } as const

export interface LineLook {
  /** The highlighted range of lines. */
  readonly marked?: LineRange | null | undefined
  /** Absent for plain text. */
  readonly highlight?: DiffHighlight | null | undefined
  /** Finds the changed words of a changed line. */
  readonly words?: LineWords | undefined
  readonly moved?: MovedLines | undefined
  /** Says where a moved line is on the other side. */
  readonly movedLabel?: ((kind: 'added' | 'removed', line: number, path?: string) => string) | undefined
  /** A text whose occurrences are marked. */
  readonly find?: string | undefined
  /** Whether long lines of one column wrap. Those side by side always do. */
  readonly wrap?: boolean | undefined
}

function backgroundOf(line: NumberedLine, { moved }: LineLook): string {
  return (moved?.(line) ? movedBackgrounds : backgrounds)[line.kind]
}

/** One line of a unified diff, with both line numbers. */
export function UnifiedLine({ line, ...look }: LineLook & { readonly line: NumberedLine }): ReactNode {
  return (
    <div className={classNames('flex', look.wrap ? 'min-h-5' : 'h-5', backgroundOf(line, look))}>
      <LineNumber line={line} number={line.old} marked={look.marked} />
      <LineNumber line={line} number={line.new} marked={look.marked} />
      <LineText line={line} look={look} />
    </div>
  )
}

/** The old and the new line side by side. Long lines wrap, so that neither side moves the other out of sight. */
export function SplitLine({ pair: [left, right], ...look }: LineLook & { readonly pair: LinePair }): ReactNode {
  const wrapped = { ...look, wrap: true }
  return (
    <div className="grid min-h-5 grid-cols-2 divide-x divide-line">
      <Side line={left} number={left?.old ?? null} look={wrapped} />
      <Side line={right} number={right?.new ?? null} look={wrapped} />
    </div>
  )
}

interface SideProps {
  readonly line: NumberedLine | null
  readonly number: number | null
  readonly look: LineLook
}

function Side({ line, number, look }: SideProps): ReactNode {
  if (!line) return <div className="bg-panel" />
  return (
    <div className={classNames('flex min-w-0', backgroundOf(line, look))}>
      <LineNumber line={line} number={number} marked={look.marked} />
      <LineText line={line} look={look} />
    </div>
  )
}

interface LineNumberProps {
  readonly line: NumberedLine
  readonly number: number | null
  readonly marked: LineRange | null | undefined
}

function LineNumber({ line, number, marked }: LineNumberProps): ReactNode {
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

function LineText({ line, look }: { readonly line: NumberedLine; readonly look: LineLook }): ReactNode {
  return (
    <>
      <span className={classNames('w-4 shrink-0 select-none', signColours[line.kind])}>{marks[line.kind]}</span>
      <span
        className={classNames(
          'pr-2 [tab-size:4]',
          look.wrap ? 'min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]' : 'whitespace-pre',
          line.kind === 'note' && 'text-faint italic',
        )}
      >
        <Code line={line} look={look} />
        <MovedNote line={line} look={look} />
      </span>
    </>
  )
}

function Code({ line, look }: { readonly line: NumberedLine; readonly look: LineLook }): ReactNode {
  const { highlight, words, moved, find = '' } = look
  const tokens = highlight?.(line)
  const changed = moved?.(line) ? [] : (words?.(line) ?? [])
  const found = occurrencesOf(line.text, find)
  const textMarks: TextMarks[] = []
  if (changed.length > 0) textMarks.push({ ranges: changed, className: wordMarks[line.kind] })
  if (found.length > 0) textMarks.push({ ranges: found, className: 'diff-found' })
  if (textMarks.length > 0)
    return <MarkedText tokens={tokens ?? [{ text: line.text, className: '' }]} marks={textMarks} />
  return tokens ? <CodeLine tokens={tokens} /> : <VisibleText text={line.text} />
}

/** Stands after the first line of a moved block. */
function MovedNote({ line, look: { moved, movedLabel } }: { readonly line: NumberedLine; look: LineLook }): ReactNode {
  const place = moved?.(line)
  if (!place?.first || !movedLabel || (line.kind !== 'added' && line.kind !== 'removed')) return null
  return (
    <span className="ml-3 select-none whitespace-nowrap rounded-sm border border-line-strong px-1 font-sans text-2xs text-muted">
      <VisibleText text={movedLabel(line.kind, place.line, place.path)} />
    </span>
  )
}
