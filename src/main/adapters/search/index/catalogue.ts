import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { readBounded } from '../../system/read-bounded.ts'
import type { IndexedFolder } from './folder-table.ts'
import { foldersOf, joinFolders } from './names-list.ts'
import type { SegmentFacts } from './segment.ts'

/** In bytes. The names of a million files are a tenth of it. */
const mostBytes = 1024 * 1024 * 1024

/** Everything of the index but the signatures: the segments, the folders and the names of their files. */
export interface Catalogue {
  /** Folders of which it holds nothing. */
  readonly foreign: readonly VirtualPath[]
  readonly segments: readonly SegmentFacts[]
  readonly folders: readonly SavedFolder[]
}

type SavedFolder = Pick<IndexedFolder, 'id' | 'path' | 'names' | 'segment' | 'unsigned' | 'digest'>
/** A folder without its path and its names, which stand in the list. */
type Row = readonly [id: number, segment: number, unsigned: readonly number[], digest: string]

/** A catalogue that was read and whose sum is right. */
export interface LoadedCatalogue {
  readonly foreign: readonly VirtualPath[]
  readonly segments: readonly SegmentFacts[]
  /** The names, for `foldersWith`. */
  readonly list: string
  /** Takes apart what was read, which takes several times as long as reading it. */
  folders(): Iterable<SavedFolder>
}

/** What stands before the list and the rows. */
interface Head {
  readonly rootFolder: string
  readonly foreign: readonly VirtualPath[]
  readonly segments: readonly SegmentFacts[]
  /** In bytes. */
  readonly listLength: number
}

/** One more with every change of what the files mean. Other formats are thrown away. */
const format = 'coppice-index 3'
const fileName = 'catalogue'

/** In one step, so that a crash leaves the old file or the new one. */
export function saveCatalogue(folder: string, rootFolder: string, { foreign, segments, folders }: Catalogue): void {
  const list = Buffer.from(joinFolders(folders))
  const rows = folders.map(({ id, segment, unsigned, digest }): Row => [id, segment, unsigned, digest])
  const head: Head = { rootFolder, foreign, segments, listLength: list.length }
  const body = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), list, Buffer.from(JSON.stringify(rows))])
  const file = Buffer.concat([Buffer.from(`${format} ${sumOf(body)}\n`), body])
  writeFileSync(join(folder, `${fileName}.new`), file, { mode: 0o600 })
  renameSync(join(folder, `${fileName}.new`), join(folder, fileName))
}

/** Null when there is none, or when it is damaged, of another format or of another folder. */
export function loadCatalogue(folder: string, rootFolder: string): LoadedCatalogue | null {
  try {
    const bytes = readBounded(join(folder, fileName), { most: mostBytes })
    const body = bytes.subarray(bytes.indexOf('\n') + 1)
    const isSound = bytes
      .subarray(0, 200)
      .toString()
      .startsWith(`${format} ${sumOf(body)}\n`)
    if (!isSound) return null
    const start = body.indexOf('\n') + 1
    const head = JSON.parse(body.toString('utf8', 0, start)) as Head
    if (head.rootFolder !== rootFolder) return null
    const end = start + head.listLength
    const list = body.toString('utf8', start, end)
    const { foreign, segments } = head
    return { foreign, segments, list, folders: () => joinRows(list, body.toString('utf8', end)) }
  } catch {
    return null
  }
}

function* joinRows(list: string, text: string): Iterable<SavedFolder> {
  const rows = (JSON.parse(text) as readonly Row[]).values()
  for (const { path, names } of foldersOf(list)) {
    const row = rows.next().value
    if (!row) throw new Error('The catalogue has fewer rows than folders.')
    const [id, segment, unsigned, digest] = row
    yield { id, path, names, segment, unsigned, digest }
  }
}

/** True when a file holds exactly what was written. Reads it in pieces. */
export function isWhole(file: string, { length, sha256 }: SegmentFacts): boolean {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    const [hash, piece] = [createHash('sha256'), Buffer.allocUnsafe(4 * 1024 * 1024)]
    let read = 0
    for (let count = -1; count !== 0; read += count) {
      count = readSync(descriptor, piece)
      hash.update(piece.subarray(0, count))
    }
    return read === length && hash.digest('hex') === sha256
  } catch {
    return false
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function sumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
