import { createPace } from '#adapters/pace.ts'
import type { Tree } from '#core/overlay/tree.ts'
import { verifyPatch, wantedFiles } from '#core/patch/apply-patch.ts'
import { collectPatchFiles } from '#core/patch/collect-patch-files.ts'
import { writePatch } from '#core/patch/write-patch.ts'
import type { PatchExport } from '#shared/contract/views/branches.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../composition/project.ts'

export interface ExportedPatch extends Omit<PatchExport, 'base64' | 'text'> {
  readonly bytes: Uint8Array
}

/**
 * The git patch of a tree against its pinned base. The app's own reader must get the same files from it. Where git is
 * installed, it must also accept the patch in a fresh repository. For that, short texts stand for large files.
 */
export async function exportPatch(
  { services, patchCheck, deflate }: Project,
  tree: Tree,
  paths: readonly VirtualPath[] | null,
): Promise<ExportedPatch> {
  const { base, blobs, hashing, textMerge } = services
  const pace = createPace()
  const collected = await collectPatchFiles({ base, blobs, hashing, tree, paths, pace })
  if (collected.files.length === 0)
    return { bytes: new Uint8Array(), files: 0, leftOut: collected.leftOut, verifiedBy: [] }
  const bytes = await writePatch({ files: collected.files, hashing, deflate, textMerge, pace })
  const isLarge = collected.files.some(({ before, after }) => before?.largeId ?? after?.largeId)
  const tried = isLarge
    ? await writePatch({ files: collected.files, hashing, deflate, textMerge, pace, asStandIns: true })
    : bytes
  const unread = await verifyPatch({ patch: tried, files: collected.files, base: collected.base, deflate, pace })
  if (unread !== null) throw new WireError('INTERNAL', `The patch failed its own check and is not offered: ${unread}`)
  const wanted = [...wantedFiles(collected)].map(([path, side]) => ({ path, ...side }))
  const git = await patchCheck.check(tried, collected.base, wanted)
  if (git.ran && !git.ok)
    throw new WireError('INTERNAL', `git does not accept the patch, so it is not offered: ${git.message}`)
  return {
    bytes,
    files: collected.files.length,
    leftOut: collected.leftOut,
    verifiedBy: git.ran ? ['reader', 'git'] : ['reader'],
  }
}
