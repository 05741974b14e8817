import { collectPatchFiles, isBinary, listChanges, type PatchFile, writePatch } from '#overlay'
import type { BranchId } from '#shared/model/ids.ts'
import { parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { plural } from '#shared/text/plural.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { FileAccess } from '../../secrets/file-access.ts'
import type { AgentServices } from '../types/services.ts'

/** The most files of a branch that are compared, and the most bytes of a side of one. */
const most = { files: 50, bytes: 256 * 1024 } as const

/** No binary file is written. */
const unused = (): never => {
  throw new Error('A text is never packed')
}

/**
 * What a branch changed since its fork as a unified patch of at most so many characters, for the agent that started it. What
 * that agent may not read without asking is named and not shown, and so is what is binary, large or beyond the limit.
 */
export async function branchPatch(
  { log, base, blobs, hashing, textMerge }: AgentServices,
  branchId: BranchId,
  access: FileAccess,
  limit: number,
): Promise<string> {
  const from = log.trees.forkPoints.get(branchId)
  const tree = log.trees.heads.get(branchId)
  if (!from || !tree) return ''
  const pace = async (): Promise<void> => undefined
  const sources = { base, blobs, hashing }
  const changes = await listChanges({ ...sources, from, to: tree })
  const paths = changes.slice(0, most.files).map(({ path }) => path)
  if (paths.length === 0) return ''
  const { files } = await collectPatchFiles({ ...sources, from, tree, paths, pace })
  const parts: string[] = []
  let left = limit
  let hidden = changes.length - paths.length
  for (const file of files) {
    const text = notShown(file, access) ?? (await textOf(file))
    const shown = text.length <= left ? text : wholeLines(text, left)
    left -= shown.length
    if (shown !== '') parts.push(shown)
    if (shown === '') hidden += 1
    else if (shown !== text)
      parts.push(`(${plural(countLines(text) - countLines(shown), 'line', 'lines')} not shown)\n`)
  }
  if (hidden > 0) parts.push(`(${plural(hidden, 'file', 'files')} not shown)\n`)
  return parts.join('')

  async function textOf(file: PatchFile): Promise<string> {
    const deflate = { deflate: unused, inflate: unused }
    return new TextDecoder().decode(await writePatch({ files: [file], hashing, deflate, textMerge, pace }))
  }
}

/** A line in place of a file whose lines are not shown. Undefined for one whose are. */
function notShown({ path, renamedFrom, before, after }: PatchFile, access: FileAccess): string | undefined {
  const sides = [
    ['a', renamedFrom ?? path, before],
    ['b', path, after],
  ] as const
  const why = sides.flatMap(([, name, side]) => {
    if (side === null) return []
    if (side.largeId !== undefined || side.bytes.length > most.bytes) return ['too large']
    if (isBinary(side.bytes)) return ['binary']
    return mayShow(name, side.bytes, access) ? [] : ['not to be read without asking']
  })[0]
  return why === undefined ? undefined : `${oneLine(`diff --git a/${renamedFrom ?? path} b/${path} (${why})`)}\n`
}

function mayShow(name: string, bytes: Uint8Array, access: FileAccess): boolean {
  const parsed = parseVirtualPath(`/${name}`)
  if (!parsed.ok) return false
  const path: VirtualPath = parsed.value
  return access.mayReadByRules(path) && access.mayShow(path, bytes)
}

function wholeLines(text: string, characters: number): string {
  const cut = beginningOf(text, Math.max(0, characters))
  return cut.slice(0, cut.lastIndexOf('\n') + 1)
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}
