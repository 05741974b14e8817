import { createPace } from '#adapters/pace.ts'
import type { BranchSources } from '#core/branches/branch-sides.ts'
import { environmentOf } from '#core/branches/branch-trees.ts'
import { asGitStores } from '#core/branches/stored-patch.ts'
import {
  collectPatchFiles,
  emptyTree,
  type HunkHeading,
  listChanges,
  type Tree,
  verifyPatch,
  wantedFiles,
  writePatch,
} from '#overlay'
import type { BranchPatch, PatchExport } from '#shared/contract/views/branches.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'

export interface ExportedPatch extends Omit<PatchExport, 'base64' | 'text'> {
  readonly bytes: Uint8Array
}

/** What a patch is made against. */
interface PatchGround {
  /** Absent for the pinned base. */
  readonly from?: Tree
  /** What the branch's commands left, which says where they made repositories. Absent for nothing. */
  readonly layers?: readonly LayerId[]
  /** What is said of each hunk. Absent for nothing. */
  readonly heading?: HunkHeading
}

/**
 * The git patch of a tree against its pinned base, or against another tree, of the files as git stores them. The app's own
 * reader must get the same files from it. Where git is installed, it must also accept the patch in a fresh repository. For
 * that, short texts stand for large files.
 */
export async function exportPatch(
  { services, patchCheck, gitStorage, deflate }: Project,
  tree: Tree,
  paths: readonly VirtualPath[] | null,
  { from = emptyTree, layers = [], heading }: PatchGround = {},
): Promise<ExportedPatch> {
  const { base, blobs, hashing, textMerge } = services
  const pace = createPace()
  const collected = await collectPatchFiles({ base, blobs, hashing, from, tree, paths, pace })
  const made = (await services.mounts.findRepositories(layers)).map(({ folder }) => folder)
  const stored = await asGitStores(gitStorage, collected, { isChosen: paths !== null, made })
  const { files, leftOut, notes, objectFormat } = stored
  if (files.length === 0) return { bytes: new Uint8Array(), files: 0, leftOut, notes: [], verifiedBy: [] }
  const options = { files, notes, objectFormat, hashing, deflate, textMerge, pace, ...(heading && { heading }) }
  const bytes = await writePatch(options)
  const isLarge = files.some(({ before, after }) => before?.largeId ?? after?.largeId)
  const tried = isLarge ? await writePatch({ ...options, asStandIns: true }) : bytes
  const unread = await verifyPatch({ patch: tried, files, base: stored.base, deflate, pace })
  if (unread !== null) throw new WireError('INTERNAL', `The patch failed its own check and is not offered: ${unread}`)
  const wanted = [...wantedFiles(stored)].map(([path, side]) => ({ path, ...side }))
  const git = await patchCheck.check(tried, stored.base, wanted, objectFormat)
  if (git.ran && !git.ok)
    throw new WireError('INTERNAL', `git does not accept the patch, so it is not offered: ${git.message}`)
  return {
    bytes,
    files: files.length,
    leftOut,
    notes,
    verifiedBy: git.ran ? ['reader', 'git'] : ['reader'],
  }
}

/** The patch as it crosses the wire. */
export function packPatch({ bytes, ...exported }: ExportedPatch): PatchExport {
  return { ...exported, base64: Buffer.from(bytes).toString('base64'), text: new TextDecoder().decode(bytes) }
}

/** What a branch changed since its fork. */
export async function exportBranchPatch(
  project: Project,
  sources: BranchSources,
  paths: readonly VirtualPath[] | null,
): Promise<BranchPatch> {
  const { fork, theirs } = sources
  const layers = environmentOf(project.services.log.trees, sources.branch.id)
  const changes = await listChanges({ ...project.services, from: fork, to: theirs })
  const isWanted = (path: VirtualPath): boolean => paths === null || paths.some((one) => isWithin(path, one))
  return {
    changes: changes.filter(({ path, from }) => isWanted(path) || (from !== undefined && isWanted(from))),
    patch: packPatch(await exportPatch(project, theirs, paths, { from: fork, layers })),
  }
}
