import { createHash, randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, truncate } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { ApplyStep } from '#core/ports/disk-apply.ts'
import type { Hashing } from '#core/ports/hashing.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { isLarge, type TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { readWhole } from './check-step.ts'
import type { DiskRoot } from './disk-root.ts'
import { inspect } from './inspect-target.ts'
import type { LargeMove, LargePlan } from './large-files.ts'
import { codeOf, readHandle } from './open-verified.ts'
import type { ApplyPlan } from './plan-apply.ts'

/**
 * Everything an apply will do, with the data to undo it, on disk before the first change. While `record.json` exists,
 * the apply may not have ended.
 */
export interface ApplyRecord {
  /** 2 with `large`, so that a version of the app that does not know it sets the record aside. */
  readonly version: 1 | 2
  readonly root: string
  /** The inode of the project's folder. Absent in records of earlier versions. */
  readonly rootInode?: string | undefined
  readonly steps: readonly RecordedStep[]
  /** Folders that the apply makes, and folders that its deletes may empty. Both outermost first. */
  readonly made: readonly VirtualPath[]
  readonly emptied: readonly { readonly path: VirtualPath; readonly mode: number }[]
  /** Temporary files inside the project, as virtual paths. Those of `large` are not among them. */
  readonly temporary: readonly VirtualPath[]
  /** How large contents move. Absent when there are none. */
  readonly large?: readonly LargeMove[] | undefined
}

export interface RecordedStep {
  readonly path: VirtualPath
  readonly before: Original | null
  readonly after: TreeNode | null
}

/** `offset` and `size` say where the bytes are in `originals.bin`. */
export type Original =
  | {
      readonly kind: 'file'
      readonly blob: BlobHash
      readonly offset: number
      readonly size: number
      readonly mode: number
      /** Set for a large file: its content moves, and is not among the originals. */
      readonly large?: true | undefined
    }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'directory'; readonly mode: number }

export interface StoredRecord {
  /** Unique among all applies. */
  readonly id: string
  readonly folder: string
  readonly record: ApplyRecord
  /** Throws `DamagedOriginalError` when the record does not hold the content any more. */
  original(step: Extract<Original, { kind: 'file' }>): Promise<Uint8Array>
  /**
   * Ends the record, so that no later start acts on it. Never throws: what was applied or put back stays so, even if
   * the disk of the data folder does not answer any more.
   */
  remove(): Promise<void>
}

/** The content to put back was lost in the data folder. */
export class DamagedOriginalError extends Error {}

async function storeRecord(
  recordFolder: string,
  record: ApplyRecord,
  originals: readonly Uint8Array[],
): Promise<StoredRecord> {
  const folder = join(recordFolder, randomUUID())
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await writeDurably(join(folder, 'originals.bin'), originals)
    await writeDurably(join(folder, 'record.tmp'), [Buffer.from(JSON.stringify(record))])
    await rename(join(folder, 'record.tmp'), join(folder, 'record.json'))
    await syncFolder(folder)
    await syncFolder(recordFolder)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  return openRecord(folder, record)
}

/** True while a record waits, or lies aside. What it needs must stay. */
export async function hasRecords(recordFolder: string): Promise<boolean> {
  try {
    return (await readdir(recordFolder)).length > 0
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/**
 * Finds the records of applies that never ended. A folder without `record.json` never began and is removed. A damaged
 * record, or one of a newer version, is set aside with its originals, and `onAside` gets its new place and the reason.
 */
export async function findRecords(
  recordFolder: string,
  onAside: (folder: string, why: string) => void,
): Promise<readonly StoredRecord[]> {
  const entries = await readdir(recordFolder, { withFileTypes: true }).catch(() => [])
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const found: StoredRecord[] = []
  for (const name of names.sort()) {
    if (name.endsWith(asideEnding)) continue
    const folder = join(recordFolder, name)
    const text = await readFile(join(folder, 'record.json'), 'utf8').catch(() => undefined)
    // An empty record was ended on a disk that did not let it be removed.
    if (text === undefined || text === '') await rm(folder, { recursive: true, force: true })
    else {
      const record = parseRecord(text)
      if (record) found.push(openRecord(folder, record))
      else onAside(await setAside(folder), 'cannot be read')
    }
  }
  return found
}

const asideEnding = '.damaged'

export async function setAside(folder: string): Promise<string> {
  const place = `${folder}${asideEnding}`
  await rename(folder, place)
  return place
}

const path = z.string() as unknown as z.ZodType<VirtualPath>
const blob = z.string() as unknown as z.ZodType<BlobHash>
const count = z.int().min(0)
const originalSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('file'),
    blob,
    offset: count,
    size: count,
    mode: count,
    large: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal('symlink'), target: z.string() }),
  z.object({ kind: z.literal('directory'), mode: count }),
])
const large = z.object({ path, gitId: z.string() }).exactOptional()
const nodeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), blob, size: count, executable: z.boolean(), mode: count.exactOptional(), large }),
  z.object({ kind: z.literal('symlink'), target: z.string() }),
  z.object({ kind: z.literal('directory') }),
])
const recordSchema = z.object({
  version: z.union([z.literal(1), z.literal(2)]),
  root: z.string(),
  rootInode: z.string().optional(),
  steps: z.array(z.object({ path, before: originalSchema.nullable(), after: nodeSchema.nullable() })),
  made: z.array(path),
  emptied: z.array(z.object({ path, mode: count })),
  temporary: z.array(path),
  large: z
    .array(z.object({ blob, size: count, from: z.string(), temporary: path.nullable(), to: z.string() }))
    .optional(),
})

/** Undefined when the text is not a record of this version. */
function parseRecord(text: string): ApplyRecord | undefined {
  try {
    return recordSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function openRecord(folder: string, record: ApplyRecord): StoredRecord {
  return {
    id: basename(folder),
    folder,
    record,
    async original({ blob, offset, size }) {
      await using file = await open(join(folder, 'originals.bin'))
      const bytes = await readHandle(file.fd, offset, size)
      if (createHash('sha256').update(bytes).digest('hex') === blob) return bytes
      throw new DamagedOriginalError('The old content in its record is damaged')
    },
    async remove() {
      const record = join(folder, 'record.json')
      // A full or failing disk may refuse one of these and take another. An empty record is set aside, not followed.
      await rm(record)
        .catch(() => rename(record, join(folder, 'ended.json')))
        .catch(() => truncate(record))
        .catch(() => undefined)
      await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

/** Tells a folder from another one that takes its name. */
export function inodeOf(folder: string): string {
  return String(statSync(folder, { bigint: true }).ino)
}

async function writeDurably(location: string, parts: readonly Uint8Array[]): Promise<void> {
  await using file = await open(location, 'wx', 0o600)
  for (const bytes of joinParts(parts)) await file.writeFile(bytes)
  await file.sync()
}

const bytesAtOnce = 1024 * 1024

/** Joins small parts, because writing each alone would cost thousands of trips to the thread pool. */
function* joinParts(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  let group: Uint8Array[] = []
  let size = 0
  for (const part of parts) {
    group.push(part)
    size += part.length
    if (size < bytesAtOnce) continue
    yield Buffer.concat(group)
    group = []
    size = 0
  }
  yield Buffer.concat(group)
}

/** Makes a rename survive power loss. Some systems cannot open folders; there the disk decides. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder)
    await handle.sync()
  } catch {}
}

const permissionBits = 0o7777

/** Reads everything that the apply will replace or remove, and stores it durably with the plan. */
export async function recordApply(
  root: DiskRoot,
  options: { readonly rootFolder: string; readonly recordFolder: string; readonly hashing: Hashing },
  steps: readonly ApplyStep[],
  plan: ApplyPlan,
  { moves }: Pick<LargePlan, 'moves'>,
): Promise<StoredRecord> {
  const originals: Uint8Array[] = []
  const recorded: RecordedStep[] = []
  const pace = createPace()
  let offset = 0
  for (const { path, before: expected, after } of steps) {
    const [before, bytes] = await originalOf(root, options.hashing, path, offset, expected)
    if (bytes) originals.push(bytes)
    offset += bytes?.length ?? 0
    recorded.push({ path, before, after })
    await pace()
  }
  const moving = new Set(moves.map(({ temporary }) => temporary))
  const record = {
    version: moves.length > 0 ? (2 as const) : (1 as const),
    root: options.rootFolder,
    rootInode: inodeOf(options.rootFolder),
    steps: recorded,
    made: plan.made,
    emptied: plan.emptied.flatMap((path) => folderMode(root, path)),
    temporary: plan.placements.flatMap(({ temporary }) => (temporary && !moving.has(temporary) ? [temporary] : [])),
    ...(moves.length > 0 && { large: moves }),
  }
  return storeRecord(options.recordFolder, record, originals)
}

async function originalOf(
  root: DiskRoot,
  hashing: Hashing,
  path: VirtualPath,
  offset: number,
  expected: TreeNode | null,
): Promise<readonly [Original | null, Uint8Array?]> {
  const seen = inspect(root, path)
  if (seen.kind === 'symlink') return [{ kind: 'symlink', target: seen.target }]
  if (seen.kind === 'directory') return [{ kind: 'directory', mode: seen.stats.mode & permissionBits }]
  if (seen.kind !== 'file') return [null]
  const mode = seen.stats.mode & permissionBits
  if (isLarge(expected)) return [{ kind: 'file', blob: expected.blob, offset, size: expected.size, mode, large: true }]
  const bytes = await readWhole(root, path, seen.stats.size)
  if (!bytes) throw new Error(`${path} moved while it was read.`)
  return [{ kind: 'file', blob: hashing.hash(bytes), offset, size: bytes.length, mode }, bytes]
}

function folderMode(
  root: DiskRoot,
  path: VirtualPath,
): readonly { readonly path: VirtualPath; readonly mode: number }[] {
  const seen = inspect(root, path)
  return seen.kind === 'directory' ? [{ path, mode: seen.stats.mode & permissionBits }] : []
}
