import { fileHunks } from '#core/branches/file-hunks.ts'
import { describeChange } from '#core/overlay/changes.ts'
import type { LeafChange } from '#core/overlay/leaf-changes.ts'
import type { TextHunk } from '#core/ports/text-merge.ts'
import type { DiffHunk, DiffLine, FileDiff } from '#shared/contract/views.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from './project.ts'

const maxShownLines = 20_000

/** How one path was changed, as a person looks at it; its hunks can be chosen when all of it is shown. */
export async function fileDiff(
  { services }: Project,
  path: VirtualPath,
  found: LeafChange | undefined,
): Promise<FileDiff> {
  if (!found) throw new WireError('NOT_FOUND', `${path} is not changed here.`)
  const change = await describeChange(found, services)
  const { hunks, fingerprint } = await fileHunks(found, services)
  const view = shown(hunks)
  return { path, change, ...view, shown: view.truncated ? null : fingerprint }
}

function shown(hunks: readonly TextHunk[]): Pick<FileDiff, 'hunks' | 'truncated'> {
  const kept: DiffHunk[] = []
  let lines = 0
  for (const hunk of hunks) {
    lines += hunk.lines.length
    if (lines > maxShownLines && kept.length > 0) return { hunks: kept, truncated: true }
    kept.push({ ...hunk, lines: hunk.lines.slice(0, maxShownLines).flatMap(toLine) })
  }
  return { hunks: kept, truncated: lines > maxShownLines }
}

function toLine(line: string): readonly DiffLine[] {
  const text = line.slice(1)
  if (line.startsWith('+')) return [{ kind: 'added', text }]
  if (line.startsWith('-')) return [{ kind: 'removed', text }]
  return line.startsWith('\\') ? [{ kind: 'context', text: line }] : [{ kind: 'context', text }]
}
