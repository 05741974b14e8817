import { environmentOf } from '#core/branches/branch-trees.ts'
import type { MadeRepository } from '#core/ports/branch-mounts.ts'
import type { ApplyStep, DiskApply } from '#core/ports/disk-apply.ts'
import type { AppliedRepository } from '#shared/model/entry.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { isWithin, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'

type Services = Project['services']

/** A file of `.git`. */
interface GitFile {
  readonly path: VirtualPath
  readonly bytes: Uint8Array
}

/** The repositories that commands made in folders of which something is written. */
export async function madeAmong(
  { log, mounts }: Services,
  branchId: BranchId,
  written: readonly VirtualPath[],
): Promise<readonly MadeRepository[]> {
  const made = await mounts.findRepositories(environmentOf(log.trees, branchId))
  return made.filter(({ folder }) => written.some((path) => isWithin(path, folder)))
}

/** What an entry remembers of them. */
export function appliedRepositories(services: Services, made: readonly MadeRepository[]): readonly AppliedRepository[] {
  return made.map(({ folder, files }) => ({ folder, content: contentOf(services, gitOf(folder), files()) }))
}

/** Writes `.git` of each, as an apply of its own: all of it or nothing. Returns these folders. */
export async function writeRepositories(
  { blobs }: Services,
  disk: DiskApply,
  made: readonly MadeRepository[],
): Promise<readonly VirtualPath[]> {
  const contents = new Map<VirtualPath, Uint8Array>()
  const planned = made.flatMap(({ folder, files }) => [
    // Without these folders git takes it for none, and both may hold only packed things.
    ...['refs', 'objects'].map((name) => folderStep(joinPath(gitOf(folder), name))),
    ...files().map(({ path, bytes }): ApplyStep => {
      contents.set(path, bytes)
      const node = { kind: 'file', blob: blobs.put(bytes), size: bytes.length, executable: false } as const
      return { path, before: null, after: node, makesRepository: true }
    }),
  ])
  if (planned.length > 0) await disk.apply(planned, ({ path }) => contents.get(path) ?? new Uint8Array())
  return made.map(({ folder }) => gitOf(folder))
}

/**
 * Removes the `.git` that an apply wrote, where nobody has worked in it since: git's own data are the person's by then. Returns
 * how to put all of it back.
 */
export async function removeRepositories(
  services: Services,
  disk: DiskApply,
  applied: readonly AppliedRepository[],
): Promise<() => Promise<void>> {
  const contents = new Map<VirtualPath, Uint8Array>()
  const steps: ApplyStep[] = []
  for (const { folder, content } of applied) {
    const git = gitOf(folder)
    const found = await readGit(services, git)
    if (found === null || contentOf(services, git, found.files) !== content) continue
    for (const { path, bytes } of found.files) {
      const blob = services.hashing.hash(bytes)
      contents.set(path, bytes)
      const before = { kind: 'file', blob, size: bytes.length, executable: false } as const
      steps.push({ path, before, after: null, makesRepository: true })
    }
    for (const path of found.folders) steps.push({ path, before: folderNode, after: null, makesRepository: true })
  }
  const apply = (some: readonly ApplyStep[]) => disk.apply(some, ({ path }) => contents.get(path) ?? new Uint8Array())
  if (steps.length > 0) await apply(steps)
  const back = steps.map((step) => ({ ...step, before: step.after, after: step.before }))
  return async () => (back.length > 0 ? apply(back) : undefined)
}

const folderNode = { kind: 'directory' } as const

function folderStep(path: VirtualPath): ApplyStep {
  return { path, before: null, after: folderNode, makesRepository: true }
}

function gitOf(folder: VirtualPath): VirtualPath {
  return joinPath(folder, '.git')
}

/**
 * Equal for the same files. The index is left out: git writes it anew when somebody only looks, and whoever stages something
 * adds an object.
 */
function contentOf({ hashing }: Services, git: VirtualPath, files: readonly GitFile[]): string {
  const lines = files
    .filter(({ path }) => path !== joinPath(git, 'index'))
    .map(({ path, bytes }) => `${path} ${hashing.hash(bytes)}\n`)
  return hashing.hash(new TextEncoder().encode(lines.sort().join('')))
}

/** Everything in a `.git` on disk. Null for none, and where something is no plain file or cannot be read. */
async function readGit(
  { base }: Services,
  git: VirtualPath,
): Promise<{ readonly files: readonly GitFile[]; readonly folders: readonly VirtualPath[] } | null> {
  const files: GitFile[] = []
  const folders: VirtualPath[] = []
  const walk = async (folder: VirtualPath): Promise<boolean> => {
    const listing = await base.list(folder)
    if (!listing || listing.unreadable > 0) return false
    folders.push(folder)
    for (const { name, node } of listing.entries) {
      const path = joinPath(folder, name)
      if (node.kind === 'directory' && !(await walk(path))) return false
      if (node.kind === 'file') files.push({ path, bytes: await base.read(path) })
      if (node.kind === 'symlink' || node.kind === 'special') return false
    }
    return true
  }
  return (await walk(git).catch(() => false)) ? { files, folders } : null
}
