import { isUtf8 } from 'node:buffer'
import { type Dirent, opendirSync, readdirSync, statSync } from 'node:fs'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { createPace } from '../pace.ts'
import { openSearchFolder, type SearchRoot } from './search-folder.ts'

type Pace = ReturnType<typeof createPace>

/** Of the folder's own list of names, where the disk tells: about a thousand entries. */
const largeFolderBytes = 32 * 1024

/**
 * Names of the files and, with a slash at their ends, of the folders, sorted. A folder that is gone, closed to us or a
 * link by now holds nothing; names that are not UTF-8 are left out.
 */
export async function listKeys(root: SearchRoot, folder: VirtualPath, pace: Pace): Promise<readonly string[]> {
  try {
    using place = openSearchFolder(root, folder)
    if (!place) return []
    if (statSync(place.cwd).size > largeFolderBytes) return (await listSlowly(place.cwd, pace)).sort()
    const entries = readdirSync(place.cwd, { withFileTypes: true })
    const named = entries.some(({ name }) => name.includes('\ufffd')) ? withUtf8Names(place.cwd, entries) : entries
    return named.flatMap((entry) => keyOf(entry, entry.name) ?? []).sort()
  } catch (error) {
    if (!isSystemError(error)) throw error
    return []
  }
}

function keyOf(entry: Dirent, name: string): string | undefined {
  if (entry.isFile()) return name
  return entry.isDirectory() ? `${name}/` : undefined
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

/** A name that was decoded with replacement characters only counts when it truly holds them. */
function withUtf8Names(location: string, entries: readonly Dirent[]): readonly Dirent[] {
  const names = readdirSync(location, { encoding: 'buffer' })
    .filter((name) => isUtf8(name))
    .map((name) => name.toString())
  const known = new Set(names)
  return entries.filter(({ name }) => known.delete(name))
}

/** The same entry by entry, which takes longer for small folders and lets the process go on in large ones. */
async function listSlowly(location: string, pace: Pace): Promise<string[]> {
  using folder = opendirSync(location, { bufferSize: 1_024, encoding: 'buffer' as BufferEncoding })
  const keys: string[] = []
  for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
    const name: unknown = entry.name
    const key = Buffer.isBuffer(name) && isUtf8(name) ? keyOf(entry, name.toString()) : undefined
    if (key !== undefined) keys.push(key)
    const turn = pace()
    if (turn) await turn
  }
  return keys
}
