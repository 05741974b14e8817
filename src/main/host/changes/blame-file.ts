import { type BlamedLine, blame, blameTypes } from '#core/journal/blame.ts'
import type { LogReader } from '#core/journal/project-log.ts'
import { createOverlayTree, exactText, type Tree } from '#overlay'
import type { FileBlame } from '#shared/contract/views/files.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'
import { sourceOf } from './line-source.ts'

/** Bytes of a file whose lines can be asked about. */
const mostBytes = 2 * 1024 * 1024

/** Where each line of a file of a branch comes from. Throws a refusal for what has no lines. */
export async function blameFile(
  { services }: Project,
  tree: Tree,
  { branchId, path }: { readonly branchId: BranchId; readonly path: VirtualPath },
): Promise<FileBlame> {
  const { base, blobs, log, textMerge } = services
  const files = createOverlayTree({ base, blobs, tree })
  const found = await files.stat(path)
  if (found?.kind !== 'file') throw new WireError('NOT_FOUND', `There is no file ${path} on this branch.`)
  if (found.size > mostBytes) throw new WireError('REFUSED', `${path} is larger than 2 MB. Ask about a smaller file.`)
  const text = exactText(await files.read(path, { offset: 0, length: found.size }))
  if (text === undefined) throw new WireError('REFUSED', `${path} is no text, so it has no lines.`)
  const root = log.rootOf(branchId)
  const entries = root === undefined ? [] : log.entriesAfter(-1 as Sequence, blameTypes, root)
  return viewOf(log, await blame({ entries, blobs, textMerge }, branchId, path, text))
}

function viewOf(log: LogReader, lines: readonly BlamedLine[]): FileBlame {
  const origins = new Map(lines.flatMap(({ origin }) => (origin ? [[origin.sequence, origin] as const] : [])))
  const ordered = [...origins.values()].sort((a, b) => a.sequence - b.sequence)
  const places = new Map(ordered.map(({ sequence }, index) => [sequence, index]))
  return {
    lines: lines.map(({ text, origin }) => ({ text, source: origin ? (places.get(origin.sequence) ?? null) : null })),
    sources: ordered.map((origin) => sourceOf(log, origin)),
  }
}
