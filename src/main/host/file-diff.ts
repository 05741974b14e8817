import { isBinary } from '#core/overlay/binary.ts'
import { listChanges } from '#core/overlay/changes.ts'
import { readNode, resolveNode } from '#core/overlay/nodes.ts'
import { emptyTree, type Tree } from '#core/overlay/tree.ts'
import type { TextHunk } from '#core/ports/text-merge.ts'
import type { DiffHunk, DiffLine, FileDiff } from '#shared/contract/views.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from './project.ts'

const contextLines = 3
const maxShownLines = 20_000

/** How one path differs between two trees of the same base. */
export async function fileDiff(
  { services }: Project,
  from: Tree = emptyTree,
  to: Tree = emptyTree,
  path: VirtualPath,
): Promise<FileDiff> {
  const { base, blobs, hashing, textMerge } = services
  const changes = await listChanges({ base, blobs, from, to, textMerge })
  const change = changes.find((one) => one.path === path || one.from === path)
  if (!change) throw new WireError('NOT_FOUND', `${path} is not changed here.`)
  if (change.binary) return { path, change, hunks: [], truncated: false }
  const before =
    change.kind === 'create'
      ? null
      : await resolveNode({ base, blobs, hashing, tree: from }, change.from ?? change.path)
  const after = change.kind === 'delete' ? null : await resolveNode({ base, blobs, hashing, tree: to }, change.path)
  const texts = [readNode(blobs, before), readNode(blobs, after)]
  if (texts.some(isBinary)) return { path, change, hunks: [], truncated: false }
  const [old, fresh] = texts.map((bytes) => new TextDecoder().decode(bytes))
  const diff = await textMerge.hunks(old ?? '', fresh ?? '', contextLines)
  return { path, change, ...shown(diff.hunks) }
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
