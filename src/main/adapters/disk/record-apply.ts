import type { ApplyStep } from '#core/ports/disk-apply.ts'
import type { Hashing } from '#core/ports/hashing.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { type Original, type RecordedStep, type StoredRecord, storeRecord } from './apply-record.ts'
import { readWhole } from './check-step.ts'
import type { DiskRoot } from './disk-root.ts'
import { inspect } from './inspect-target.ts'
import type { ApplyPlan } from './plan-apply.ts'

const permissionBits = 0o7777

/** Reads everything that will be replaced or removed and stores it with the plan, durably. */
export async function recordApply(
  root: DiskRoot,
  options: { readonly rootFolder: string; readonly recordFolder: string; readonly hashing: Hashing },
  steps: readonly ApplyStep[],
  plan: ApplyPlan,
): Promise<StoredRecord> {
  const originals: Uint8Array[] = []
  const recorded: RecordedStep[] = []
  const pace = createPace()
  let offset = 0
  for (const { path, after } of steps) {
    const [before, bytes] = await originalOf(root, options.hashing, path, offset)
    if (bytes) originals.push(bytes)
    offset += bytes?.length ?? 0
    recorded.push({ path, before, after })
    await pace()
  }
  const record = {
    version: 1 as const,
    root: options.rootFolder,
    steps: recorded,
    made: plan.made,
    emptied: plan.emptied.flatMap((path) => folderMode(root, path)),
    temporary: plan.placements.flatMap(({ temporary }) => (temporary ? [temporary] : [])),
  }
  return storeRecord(options.recordFolder, record, originals)
}

async function originalOf(
  root: DiskRoot,
  hashing: Hashing,
  path: VirtualPath,
  offset: number,
): Promise<readonly [Original | null, Uint8Array?]> {
  const seen = inspect(root, path)
  if (seen.kind === 'symlink') return [{ kind: 'symlink', target: seen.target }]
  if (seen.kind === 'directory') return [{ kind: 'directory', mode: seen.stats.mode & permissionBits }]
  if (seen.kind !== 'file') return [null]
  const bytes = await readWhole(root, path, seen.stats.size)
  if (!bytes) throw new Error(`${path} moved while it was read.`)
  const mode = seen.stats.mode & permissionBits
  return [{ kind: 'file', blob: hashing.hash(bytes), offset, size: bytes.length, mode }, bytes]
}

function folderMode(
  root: DiskRoot,
  path: VirtualPath,
): readonly { readonly path: VirtualPath; readonly mode: number }[] {
  const seen = inspect(root, path)
  return seen.kind === 'directory' ? [{ path, mode: seen.stats.mode & permissionBits }] : []
}
