import type { CallPreviewView, DiffHunk, FileDiff } from '#shared/contract/views/files.ts'
import { plural } from '#shared/text/plural.ts'
import { type ChangedFile, changedFiles, type TriedRequest } from '#shared/tools/card.ts'
import { countSpans } from '../follow/shown-line.ts'
import { type Line, lineOf, type Tone } from '../screen/spans.ts'

/** What a call changed or would change. */
export interface Change {
  /** Each file in one line. */
  readonly files: readonly Line[]
  /** The whole comparison of each file, or the reason why there is none. */
  readonly lines: readonly Line[]
}

const tones: Readonly<Record<string, Tone>> = { '+': 'good', '-': 'bad', ' ': 'plain' }

/** The change of a call that was tried, as it is stored, or of one that did not run. */
export function changeOf(tried: TriedRequest | null, preview: CallPreviewView): Change {
  const diffs = preview.kind === 'files' ? preview.files : []
  if (tried) {
    const files = changedFiles(tried.effects).map((file) => ({ file, diff: diffOf(file, diffs) }))
    return {
      files: files.map(triedFileLine),
      lines: files.flatMap((file) => [triedFileLine(file), ...(file.diff ? comparison(file.diff) : [])]),
    }
  }
  if (preview.kind === 'arguments') return { files: [], lines: [] }
  const { more, foldersOnly, problem } = preview
  if (problem !== null) return { files: [], lines: [lineOf(`It would fail and change nothing: ${problem}`, 'bad')] }
  if (foldersOnly) return { files: [], lines: [lineOf('It would change folders and no file.', 'dim')] }
  return {
    files: [...diffs.map((diff) => fileLine(diff.path, diff)), ...moreLines(more)],
    lines: [...diffs.flatMap((diff) => [fileLine(diff.path, diff), ...comparison(diff)]), ...moreLines(more)],
  }
}

function moreLines(count: number): readonly Line[] {
  return count > 0 ? [lineOf(`and ${plural(count, 'more file', 'more files')}`, 'dim')] : []
}

interface TriedFile {
  readonly file: ChangedFile
  /** Absent for a file beyond the first ones. */
  readonly diff: FileDiff | undefined
}

function diffOf({ path }: ChangedFile, diffs: readonly FileDiff[]): FileDiff | undefined {
  return diffs.find((diff) => diff.path === path || diff.change.from === path)
}

function triedFileLine({ file: { path, from, kind }, diff }: TriedFile): Line {
  const name = from === null ? path : `${from} → ${path}`
  return kind === 'deleted' ? deletedLine(name) : fileLine(name, diff)
}

/** A lost file must not look like a changed line. */
function deletedLine(name: string): Line {
  return [{ text: name, tone: 'strong' }, { text: '  ' }, { text: 'deleted', tone: 'bad' }]
}

function fileLine(name: string, diff: FileDiff | undefined): Line {
  if (diff?.change.kind === 'delete') return deletedLine(name)
  const counts = diff ? countSpans(diff.change) : []
  return [{ text: name, tone: 'strong' }, { text: diff?.change.binary ? '  binary' : '  ' }, ...counts]
}

function comparison({ hunks, truncated }: FileDiff): readonly Line[] {
  return [...hunks.flatMap(hunkLines), ...(truncated ? [lineOf('The rest is too long to show.', 'dim')] : [])]
}

function hunkLines({ oldStart, newStart, lines }: DiffHunk): readonly Line[] {
  return [
    lineOf(`@@ −${oldStart} +${newStart} @@`, 'accent'),
    ...lines.map((line) => lineOf(line, tones[line.slice(0, 1)] ?? 'plain')),
  ]
}
