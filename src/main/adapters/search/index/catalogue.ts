import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { IndexedFolder } from './folder-table.ts'
import type { SegmentFacts } from './segment.ts'

/** Everything of the index but the signatures: the segments, the folders and the names of their files. */
export interface Catalogue {
  readonly segments: readonly SegmentFacts[]
  readonly folders: readonly SavedFolder[]
}

type SavedFolder = Pick<IndexedFolder, 'id' | 'path' | 'names' | 'segment' | 'unsigned' | 'digest'>

/** One more with every change of what the files mean. Other formats are thrown away. */
const format = 'coppice-index 1'
const fileName = 'catalogue'

/** In one step, so that a crash leaves the old file or the new one. */
export function saveCatalogue(folder: string, rootFolder: string, { segments, folders }: Catalogue): void {
  const names = folders.map((each) => Buffer.from(each.names))
  const rows = folders.map(({ id, path, segment, unsigned, digest }, at) => {
    return [id, path, segment, unsigned, digest, names[at]?.length ?? 0]
  })
  const head = Buffer.from(`${JSON.stringify({ rootFolder, segments, rows })}\n`)
  const body = Buffer.concat([head, ...names])
  const file = Buffer.concat([Buffer.from(`${format} ${sumOf(body)}\n`), body])
  writeFileSync(join(folder, `${fileName}.new`), file, { mode: 0o600 })
  renameSync(join(folder, `${fileName}.new`), join(folder, fileName))
}

/** Null when there is none, or when it is damaged, of another format or of another folder. */
export function loadCatalogue(folder: string, rootFolder: string): Catalogue | null {
  try {
    const bytes = readFileSync(join(folder, fileName))
    const body = bytes.subarray(bytes.indexOf('\n') + 1)
    if (
      !bytes
        .subarray(0, 200)
        .toString()
        .startsWith(`${format} ${sumOf(body)}\n`)
    )
      return null
    const end = body.indexOf('\n') + 1
    const head = JSON.parse(body.subarray(0, end).toString()) as {
      readonly rootFolder: string
      readonly segments: readonly SegmentFacts[]
      readonly rows: readonly [number, VirtualPath, number, readonly number[], string, number][]
    }
    let at = end
    const folders = head.rows.map(([id, path, segment, unsigned, digest, length]): SavedFolder => {
      const names = body.toString('utf8', at, at + length)
      at += length
      return { id, path, names, segment, unsigned, digest }
    })
    return head.rootFolder === rootFolder ? { segments: head.segments, folders } : null
  } catch {
    return null
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
