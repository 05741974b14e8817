import type { CallPreviewView, DiffHunk, FileDiff } from '#shared/contract/views/files.ts'
import { plural } from '#shared/text/plural.ts'
import { countSpans } from '../follow/shown-line.ts'
import { type Line, lineOf, type Tone } from '../screen/spans.ts'

const tones: Readonly<Record<string, Tone>> = { '+': 'good', '-': 'bad', ' ': 'plain' }

/** What a call would change, as a comparison of each file. */
export function previewLines(preview: CallPreviewView): readonly Line[] {
  if (preview.kind === 'arguments') return []
  const { files, more, foldersOnly, problem } = preview
  if (problem !== null) return [lineOf(`It would fail and change nothing: ${problem}`, 'bad')]
  if (foldersOnly) return [lineOf('It would change folders and no file.', 'dim')]
  return [
    ...files.flatMap(fileDiffLines),
    ...(more > 0 ? [lineOf(`and ${plural(more, 'more file', 'more files')}`, 'dim')] : []),
  ]
}

function fileDiffLines({ path, change, hunks, truncated }: FileDiff): readonly Line[] {
  return [
    [{ text: path, tone: 'strong' }, { text: change.binary ? '  binary' : '  ' }, ...countSpans(change)],
    ...hunks.flatMap(hunkLines),
    ...(truncated ? [lineOf('The rest is too long to show.', 'dim')] : []),
  ]
}

function hunkLines({ oldStart, newStart, lines }: DiffHunk): readonly Line[] {
  return [
    lineOf(`@@ −${oldStart} +${newStart} @@`, 'accent'),
    ...lines.map((line) => lineOf(line, tones[line.slice(0, 1)] ?? 'plain')),
  ]
}
