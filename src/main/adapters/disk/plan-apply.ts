import { randomUUID } from 'node:crypto'
import type { ApplyStep } from '#core/ports/disk-apply.ts'
import { joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { DiskRoot } from './disk-root.ts'
import { inspect } from './inspect-target.ts'
import { foldersAbove } from './write-target.ts'

export interface ApplyPlan {
  /** Deepest first. */
  readonly removals: readonly ApplyStep[]
  /** Outermost first. The temporary path is null for a folder. */
  readonly placements: readonly { readonly step: ApplyStep; readonly temporary: VirtualPath | null }[]
  /** Folders that do not exist yet, outermost first. */
  readonly made: readonly VirtualPath[]
  /** Folders above deletions, outermost first. */
  readonly emptied: readonly VirtualPath[]
}

export function planApply(root: DiskRoot, steps: readonly ApplyStep[]): ApplyPlan {
  const sorted = [...steps].sort((a, b) => depth(a.path) - depth(b.path))
  const placed = sorted.filter((step) => step.after !== null)
  const run = randomUUID().slice(0, 8)
  const isFolder = memo((path) => path === '/' || inspect(root, path).kind === 'directory')
  const made = new Set<VirtualPath>()
  for (const { path, after } of placed) {
    const wanted = after?.kind === 'directory' ? [...foldersAbove(path), path] : foldersAbove(path)
    for (const folder of wanted) if (!isFolder(folder)) made.add(folder)
  }
  const placements = placed.map((step, index) => ({
    step,
    temporary:
      step.after?.kind === 'directory' ? null : temporaryPath(step.path, isFolder, `.coppice-${run}-${index}.tmp`),
  }))
  const kept = new Set(placed.map(({ path }) => path))
  const removed = sorted.filter((step) => step.after === null)
  return {
    removals: sorted.filter(needsRemoval).reverse(),
    placements,
    made: [...made],
    emptied: outermostFirst(removed.flatMap(({ path }) => foldersAbove(path))).filter((path) => !kept.has(path)),
  }
}

/**
 * A rename replaces a file or link in one step. A change to or from a folder needs a removal first, and so does a large
 * file, which is moved away instead of replaced.
 */
function needsRemoval({ before, after }: ApplyStep): boolean {
  if (before === null) return false
  if (before.kind === 'file' && before.large) return true
  return after === null || (before.kind === 'directory') !== (after.kind === 'directory')
}

/** A path in the nearest existing folder, so that the rename stays on one disk. */
function temporaryPath(path: VirtualPath, isFolder: (path: VirtualPath) => boolean, name: string): VirtualPath {
  let folder = parentOf(path)
  while (!isFolder(folder)) folder = parentOf(folder)
  return joinPath(folder, name)
}

function outermostFirst(paths: readonly VirtualPath[]): readonly VirtualPath[] {
  return [...new Set(paths)].sort((a, b) => depth(a) - depth(b))
}

function depth(path: VirtualPath): number {
  return path.split('/').length
}

function memo(compute: (path: VirtualPath) => boolean): (path: VirtualPath) => boolean {
  const known = new Map<VirtualPath, boolean>()
  return (path) => {
    const value = known.get(path) ?? compute(path)
    known.set(path, value)
    return value
  }
}
