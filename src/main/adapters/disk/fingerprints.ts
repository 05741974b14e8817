import type { ApplyStep } from '#core/ports/disk-apply.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import type { DiskRoot } from './disk-root.ts'
import { inspect } from './inspect-target.ts'

/** Changes when anyone writes, replaces or removes what is at the path; content need not be read for it. */
export function fingerprint(root: DiskRoot, path: VirtualPath): string {
  const seen = inspect(root, path)
  if (seen.kind === 'symlink') return `symlink ${seen.target}`
  if (seen.kind !== 'file') return seen.kind
  const { ino, size, mtimeMs, ctimeMs } = seen.stats
  return `${seen.kind} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
}

export type Fingerprints = ReadonlyMap<VirtualPath, string>

export async function fingerprints(root: DiskRoot, steps: readonly ApplyStep[]): Promise<Fingerprints> {
  const pace = createPace()
  const found = new Map<VirtualPath, string>()
  for (const { path } of steps) {
    found.set(path, fingerprint(root, path))
    await pace()
  }
  return found
}
