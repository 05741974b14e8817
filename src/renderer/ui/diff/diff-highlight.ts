import { useMemo } from 'react'
import type { DiffHunk } from '#shared/contract/views/files.ts'
import type { Highlighter, Token } from '../code/token.ts'
import { useHighlighter } from '../code/use-highlighter.ts'
import type { NumberedLine } from './hunk-lines.ts'

/** The tokens of a line; null for a line that stays plain. */
export type DiffHighlight = (line: NumberedLine) => readonly Token[] | null

/** The number of lines coloured at a time, so that scrolling stays cheap in a diff of any length. */
const linesTogether = 200
/** A chunk with more characters than this is minified code and stays plain. */
const tooLong = 60_000

/** Consecutive lines of one side. */
interface Run {
  /** The line number of the first line. */
  readonly start: number
  readonly lines: readonly string[]
  readonly read: Map<number, readonly (readonly Token[])[] | null>
}

/** Colours a file's diff once its language is loaded. Null until then, and without a path. */
export function useDiffHighlight(
  path: string | null,
  hunks: readonly DiffHunk[],
  after: readonly string[] | null,
): DiffHighlight | null {
  const highlighter = useHighlighter(path === null ? null : { path })
  return useMemo(() => highlighter && highlightDiff(hunks, after, highlighter), [highlighter, hunks, after])
}

/**
 * Colours the lines of a diff, but only around the requested lines. Each side is parsed separately, because only one
 * side at a time is valid code. @param after the lines of the changed file if known; they are parsed in place of the
 * hunks' new side
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
