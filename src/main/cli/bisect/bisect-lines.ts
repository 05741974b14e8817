import type { BisectView, BrokenStep } from '#shared/contract/checks.ts'
import type { FileDiff } from '#shared/contract/views/files.ts'
import { fileLines } from '../follow/summary.ts'
import { type Line, lineOf } from '../screen/spans.ts'

/** Lines of the change of one file that are shown. */
const mostLines = 60

/** What a search found, for a person. */
export function bisectLines(view: BisectView, diffs: readonly FileDiff[]): readonly Line[] {
  const { end, check, found } = view
  const [first] = found
  switch (end?.kind) {
    case 'found':
      return first ? foundLines(check, first, diffs) : [lineOf(`${check} was broken by a step that is gone.`, 'bad')]
    case 'green':
      return [lineOf(`${check} is green now, so no step broke it.`, 'good')]
    case 'always':
      return [
        lineOf(`${check} is red before the first step too.`, 'warn'),
        lineOf('It was red in the folder, or in what was written to it. The steps since did not break it.'),
      ]
    case 'between':
      return [
        // What began the branch is no step, so a single one is the last.
        lineOf(
          `${check} broke after ${nameOf(found.length > 1 ? first : undefined)} and not later than in ${nameOf(found.at(-1))}.`,
          'warn',
        ),
        lineOf('The steps between cannot be checked: as merges they have conflicts.'),
      ]
    case 'flaky':
      return [
        lineOf(`Cannot tell: ${check} is red and green in turn on the same files.`, 'warn'),
        lineOf('Make it reliable first, or run it on fewer tests.'),
      ]
    case 'moved':
      return [
        lineOf('Cannot tell: files in the folder changed while the check ran.', 'warn'),
        lineOf('Run it again when nothing else writes there.'),
      ]
    default:
      return [lineOf('Stopped. What the check said so far is kept: run it again to go on.', 'warn')]
  }
}

function foundLines(check: string, step: BrokenStep, diffs: readonly FileDiff[]): readonly Line[] {
  const { task, files, mergedBy } = step
  return [
    lineOf(`${check} was broken by ${nameOf(step)}.`, 'bad'),
    ...(mergedBy === null ? [] : [lineOf(`A merge brought it (entry ${mergedBy}).`)]),
    ...(task === '' ? [] : [lineOf(`It worked on: ${task}`, 'dim')]),
    ...fileLines(files),
    ...diffs.flatMap(diffLines),
  ]
}

function nameOf(step: BrokenStep | undefined): string {
  if (!step) return 'the beginning'
  const { agent, branch, tool, how, sequence, at } = step
  const what = tool ?? (how === 'merge' ? 'a merge' : 'an edit by hand')
  return `${what} of ${agent} on ${branch} (entry ${sequence}, ${new Date(at).toLocaleTimeString()})`
}

function diffLines({ path, hunks }: FileDiff): readonly Line[] {
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: texts }) => [
    lineOf(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, 'accent'),
    ...texts.map((text) => lineOf(text, text.startsWith('+') ? 'good' : text.startsWith('-') ? 'bad' : undefined)),
  ])
  const left = lines.length - mostLines
  return [
    lineOf(''),
    lineOf(path, 'strong'),
    ...lines.slice(0, mostLines),
    ...(left > 0 ? [lineOf(`and ${left} more lines`, 'dim')] : []),
  ]
}
