import { ancestorsOf, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { systemProgram } from '../../system/system-programs.ts'
import { isOfGitAtWork } from '../git/git-at-work.ts'
import type { MountBase } from '../mount-base.ts'
import { runInside } from '../namespace.ts'
import type { WrittenFiles } from '../written-files.ts'
import { findInLayers, namesInLayers, type ShownLayer } from './shown-in-layers.ts'

/**
 * Folders through which what lies below was seen, each with the inodes of itself and of those above it. The kernel makes a
 * folder opaque when it makes it, and merged ones are never moved: what takes the place of one is another inode. So they need
 * no second question, which costs three programs.
 */
export type MergedFolders = Map<VirtualPath, string>

interface OpaqueInput {
  readonly written: WrittenFiles
  readonly base: MountBase
  readonly layers: readonly ShownLayer[]
  readonly enter: (program: readonly string[]) => readonly string[]
  /** Grows. Only for one open mount. */
  readonly merged: MergedFolders
}

/** Says `n` for each path that is missing for sure: in a folder that is closed to the mount, nobody knows. */
const isMissingScript = `export LC_ALL=C
while IFS= read -r -d "" p; do
  if [ -e "$p" ] || [ -L "$p" ]; then echo y; continue; fi
  case $(stat -- "$p" 2>&1) in *'No such file'*|*'Not a directory'*) echo n;; *) echo unknown;; esac
done`

/**
 * A folder is opaque when the project, the branch or a layer has an entry in it that is missing from the upper layer and from the
 * mount.
 */
export async function opaqueAmong(
  folders: readonly VirtualPath[],
  { written, base, enter, layers, merged }: OpaqueInput,
): Promise<ReadonlySet<VirtualPath>> {
  const isWitness = (path: VirtualPath) =>
    !written.look(path) && findInLayers(layers, path) !== 'gone' && !isOfGitAtWork(path)
  const witnesses = folders.flatMap((folder) => {
    if (!written.look(folder)?.isDirectory()) return []
    const inodes = inodesOf(folder, written)
    if (inodes !== null && merged.get(folder) === inodes) return []
    for (const name of namesShown(folder, base, layers)) {
      const witness = joinPath(folder, name)
      if (isWitness(witness)) return [{ folder, witness, inodes }]
    }
    return []
  })
  if (witnesses.length === 0) return new Set()
  const asked = Buffer.from(witnesses.map(({ witness }) => `.${witness}\0`).join(''))
  const answers = (await runInside(enter([systemProgram('bash'), '--norc', '-c', isMissingScript]), { input: asked }))
    .toString()
    .split('\n')
  // A program may have written it since.
  for (const [index, { folder, witness, inodes }] of witnesses.entries())
    if (answers[index] === 'y' && inodes !== null && !written.look(witness)) merged.set(folder, inodes)
  return new Set(witnesses.flatMap(({ folder }, index) => (answers[index] === 'n' ? [folder] : [])))
}

/** A number is used again, but not with the same time of birth. Null where the disk does not know that time. */
function inodesOf(folder: VirtualPath, written: WrittenFiles): string | null {
  const all = [folder, ...ancestorsOf(folder)].map((one) => written.look(one))
  if (all.some((stats) => !stats || stats.birthtimeMs === 0)) return null
  return all.map((stats) => `${stats?.dev}:${stats?.ino}:${stats?.birthtimeMs}`).join(' ')
}

/** What lay below the upper layer in a folder, and names that a layer says are gone. */
export function* namesShown(folder: VirtualPath, base: MountBase, layers: readonly ShownLayer[]): Generator<string> {
  yield* namesInLayers(layers, folder)
  yield* base.names(folder)
}
