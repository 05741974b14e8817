import { useMemo } from 'react'
import type { DiffHunk } from '#shared/contract/views.ts'
import type { Highlighter, Token } from '../code/token.ts'
import { useHighlighter } from '../code/use-highlighter.ts'
import type { NumberedLine } from './hunk-lines.ts'

/** The colours of a line; null where it stays plain. */
export type DiffHighlight = (line: NumberedLine) => readonly Token[] | null

/** Lines read at once: what comes into sight costs little, however long the diff is. */
const linesTogether = 200
/** Characters of so many lines from which on they stay plain: minified code has no lines to read. */
const tooLong = 60_000

/** Lines of one side that follow each other. */
interface Run {
  /** The number of its first line. */
  readonly start: number
  readonly lines: readonly string[]
  readonly read: Map<number, readonly (readonly Token[])[] | null>
}

/** The colours of a file's diff once its language is loaded; without a path none. */
export function useDiffHighlight(
  path: string | null,
  hunks: readonly DiffHunk[],
  after: readonly string[] | null,
): DiffHighlight | null {
  const highlighter = useHighlighter(path === null ? null : { path })
  return useMemo(() => highlighter && highlightDiff(hunks, after, highlighter), [highlighter, hunks, after])
}

/**
 * The colours of a diff's lines. Each side is read for itself, since only one side is code at a time, and only around the
 * lines that are asked for.
 *
 * @param after the file after the change, where it is known; it is read instead of the new side of the hunks
 */
export function highlightDiff(
  hunks: readonly DiffHunk[],
  after: readonly string[] | null,
  highlighter: Highlighter,
): DiffHighlight {
  const old = hunks.map((hunk) => runOf(hunk.oldStart, sideOf(hunk, '-')))
  const fresh = after ? [runOf(1, after)] : hunks.map((hunk) => runOf(hunk.newStart, sideOf(hunk, '+')))
  return (line) => {
    if (line.new !== null) return tokensAt(fresh, line.new, line.text, highlighter)
    return line.old === null ? null : tokensAt(old, line.old, line.text, highlighter)
  }
}

function runOf(start: number, lines: readonly string[]): Run {
  return { start, lines, read: new Map() }
}

function sideOf({ lines }: DiffHunk, sign: '+' | '-'): readonly string[] {
  return lines.filter((line) => line.startsWith(' ') || line.startsWith(sign)).map((line) => line.slice(1))
}

function tokensAt(
  runs: readonly Run[],
  number: number,
  text: string,
  highlighter: Highlighter,
): readonly Token[] | null {
  const run = runs[lastAtOrBefore(runs, number)]
  if (!run || run.lines[number - run.start] !== text) return null
  const chunk = Math.floor((number - run.start) / linesTogether)
  return readChunk(run, chunk, highlighter)?.[(number - run.start) % linesTogether] ?? null
}

function readChunk(run: Run, chunk: number, highlighter: Highlighter): readonly (readonly Token[])[] | null {
  const known = run.read.get(chunk)
  if (known !== undefined) return known
  const code = run.lines.slice(chunk * linesTogether, (chunk + 1) * linesTogether).join('\n')
  const lines = code.length > tooLong ? null : highlighter.tokenize(code)
  run.read.set(chunk, lines)
  return lines
}

function lastAtOrBefore(runs: readonly Run[], number: number): number {
  let [low, high] = [0, runs.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((runs[middle]?.start ?? 0) <= number) low = middle
    else high = middle - 1
  }
  return low
}
