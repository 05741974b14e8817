import { splitLines } from '../../git-patch/patch-file.ts'
import type { TextMerge } from '../../ports/text-merge.ts'
import { leastBetween } from '../split-hunk.ts'

/** Lines of the base that one source replaced. Zero-based, from the first line of its hunk. */
export interface ComposeChange {
  /** Position in the list of sources. */
  readonly source: number
  readonly start: number
  /** The first line after it: `start` for lines that were only added. */
  readonly end: number
  /** What the source has instead, with line ends. */
  readonly text: string
}

/** A place of a file that sources changed. Changes of different sources that touch are one hunk. */
export interface ComposeHunk {
  /** The lines of the base, with line ends. */
  readonly base: readonly string[]
  /** By source, in order. */
  readonly changes: readonly ComposeChange[]
}

/** A file of several versions: lines that all have, and hunks, in order. */
export type ComposeSegment =
  | { readonly kind: 'same'; readonly text: string }
  | ({ readonly kind: 'hunk' } & ComposeHunk)

/** The text of a hunk: that of sources (none: the base), of several where they do not overlap, or what a person wrote. */
export type HunkPick = { readonly from: readonly number[] } | { readonly text: string }

/** A version of a text, by the position of its source. */
export interface SourceText {
  readonly source: number
  readonly text: string
}

/** Compares each version with the base. The cost is one comparison for each version. */
export async function composeSegments(
  base: string,
  versions: readonly SourceText[],
  textMerge: Pick<TextMerge, 'hunks'>,
): Promise<readonly ComposeSegment[]> {
  const lines = splitLines(base)
  const changes = await Promise.all(versions.map((version) => changesOf(base, version, textMerge)))
  const segments: ComposeSegment[] = []
  let at = 0
  const keep = (until: number): void => {
    if (until > at) segments.push({ kind: 'same', text: lines.slice(at, until).join('') })
    at = until
  }
  for (const { start, end, members } of groupsOf(changes.flat())) {
    keep(start)
    const own = members.map((one) => ({ ...one, start: one.start - start, end: one.end - start }))
    segments.push({ kind: 'hunk', base: lines.slice(start, end), changes: own })
    at = end
  }
  keep(lines.length)
  return segments
}

/** The hunks of a file. Their positions are what a person chooses by. */
export function hunksOf(segments: readonly ComposeSegment[]): readonly ComposeHunk[] {
  return segments.filter((segment) => segment.kind === 'hunk')
}

/** A hunk as these sources have it together; the base for none. Null where their changes overlap. */
export function textFrom({ base, changes }: ComposeHunk, from: readonly number[]): string | null {
  const parts: string[] = []
  let at = 0
  let last: ComposeChange | null = null
  for (const change of changes.filter(({ source }) => from.includes(source)).sort(inOrder)) {
    if (last !== null && isSameChange(last, change)) continue
    if (last !== null && overlaps(last, change)) return null
    parts.push(...base.slice(at, change.start), change.text)
    at = change.end
    last = change
  }
  const all = [...parts, ...base.slice(at)].filter((part) => part !== '')
  // A last line without an end cannot stand before another one.
  return all.slice(0, -1).every((part) => part.endsWith('\n')) ? all.join('') : null
}

/** The different texts that sources have for a hunk, each with those that have it. Sources with the base's are in none. */
export function variantsOf(
  hunk: ComposeHunk,
): readonly { readonly sources: readonly number[]; readonly text: string }[] {
  const sources = [...new Set(hunk.changes.map(({ source }) => source))].sort((a, b) => a - b)
  const byText = Map.groupBy(sources, (source) => textFrom(hunk, [source]) ?? '')
  return [...byText].map(([text, those]) => ({ sources: those, text }))
}

/** A run of lines of a composed text with where they are from: a position in the list of picks. Null for lines that all have. */
export interface ComposedRun {
  readonly hunk: number | null
  readonly text: string
}

/** The text for these picks, one for each hunk. Null where picked changes overlap. */
export function assemble(
  segments: readonly ComposeSegment[],
  picks: readonly HunkPick[],
): readonly ComposedRun[] | null {
  const runs: ComposedRun[] = []
  let hunk = 0
  for (const segment of segments) {
    if (segment.kind === 'same') {
      runs.push({ hunk: null, text: segment.text })
      continue
    }
    const pick = picks[hunk] ?? { from: [] }
    const text = 'text' in pick ? pick.text : textFrom(segment, pick.from)
    if (text === null) return null
    runs.push({ hunk, text })
    hunk += 1
  }
  return withLineEnds(runs)
}

/** What a person wrote may lack its last line end, which only the end of a file may do. */
function withLineEnds(runs: readonly ComposedRun[]): readonly ComposedRun[] {
  const last = runs.findLastIndex(({ text }) => text !== '')
  const crlf = runs.some(({ text }) => text.endsWith('\r\n'))
  return runs.map((run, index) =>
    index >= last || run.text === '' || run.text.endsWith('\n')
      ? run
      : { ...run, text: `${run.text}${crlf ? '\r\n' : '\n'}` },
  )
}

async function changesOf(
  base: string,
  { source, text }: SourceText,
  textMerge: Pick<TextMerge, 'hunks'>,
): Promise<readonly ComposeChange[]> {
  const fresh = splitLines(text)
  const { hunks } = await textMerge.hunks(base, text, 0)
  return hunks.map(({ oldStart, oldLines, newStart, newLines }) => {
    const start = oldLines === 0 ? oldStart : oldStart - 1
    const from = newLines === 0 ? newStart : newStart - 1
    return { source, start, end: start + oldLines, text: fresh.slice(from, from + newLines).join('') }
  })
}

interface Group {
  readonly start: number
  end: number
  readonly members: ComposeChange[]
}

/** Changes with fewer unchanged lines between them than hunks of one file have belong together. */
function groupsOf(changes: readonly ComposeChange[]): readonly Group[] {
  const groups: Group[] = []
  for (const change of changes.toSorted(inOrder)) {
    const last = groups.at(-1)
    if (last && change.start - last.end < leastBetween) {
      last.members.push(change)
      last.end = Math.max(last.end, change.end)
    } else groups.push({ start: change.start, end: change.end, members: [change] })
  }
  for (const { members } of groups) members.sort((a, b) => a.source - b.source || inOrder(a, b))
  return groups
}

function inOrder(a: ComposeChange, b: ComposeChange): number {
  return a.start - b.start || a.end - b.end
}

function isSameChange(a: ComposeChange, b: ComposeChange): boolean {
  return a.start === b.start && a.end === b.end && a.text === b.text
}

/** Two different additions at one place overlap too, because nothing says which comes first. */
function overlaps(earlier: ComposeChange, later: ComposeChange): boolean {
  return later.start < earlier.end || (earlier.start === later.start && earlier.end === later.end)
}
