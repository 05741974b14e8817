import { type BlamedLine, blame, blameTypes } from '#core/journal/blame.ts'
import type { LogReader } from '#core/journal/project-log.ts'
import { createOverlayTree, exactText, type Tree } from '#overlay'
import type { FileBlame } from '#shared/contract/views/files.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'
import { sourceOf } from './line-source.ts'

/** Bytes of a file whose lines can be asked about. */
const mostBytes = 2 * 1024 * 1024

/** Where each line of a file of a branch comes from. Throws a refusal for what has no lines. */
export async function blameFile(
  project: Project,
  tree: Tree,
  { branchId, path }: { readonly branchId: BranchId; readonly path: VirtualPath },
  history = historyOf(project.services.log, branchId),
): Promise<FileBlame> {
  const { services } = project
  const { base, blobs, log, textMerge } = services
  const files = createOverlayTree({ base, blobs, tree })
  const found = await files.stat(path)
  if (found?.kind !== 'file') throw new WireError('NOT_FOUND', `There is no file ${path} on this branch.`)
  if (found.size > mostBytes) throw new WireError('REFUSED', `${path} is larger than 2 MB. Ask about a smaller file.`)
  const text = exactText(await files.read(path, { offset: 0, length: found.size }))
  if (text === undefined) throw new WireError('REFUSED', `${path} is no text, so it has no lines.`)
  return viewOf(log, await blame({ entries: history, blobs, textMerge }, branchId, path, text))
}

/** What `blameFile` goes through, for whoever asks about several files of a branch. */
export function historyOf(log: LogReader, branchId: BranchId): readonly Entry[] {
  const root = log.rootOf(branchId)
  return root === undefined ? [] : log.entriesAfter(-1 as Sequence, blameTypes, root)
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
