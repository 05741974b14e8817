import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { asSetup, runInside } from '../namespace.ts'

/**
 * Bytes on disk of folders inside `folder`, by their names. A file with many hard links counts once, for the first of the
 * folders. Files that vanish meanwhile count as nothing.
 */
export async function measureFolders(folder: string, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map(names.map((name) => [name, 0]))
  if (names.length === 0) return sizes
  if (process.platform !== 'linux') {
    for (const name of names) sizes.set(name, await folderBytes(join(folder, name)))
    return sizes
  }
  const seen = new Set<string>()
  for (const [name, { inode, bytes }] of await filesIn(folder, names)) {
    if (seen.has(inode)) continue
    seen.add(inode)
    sizes.set(name, (sizes.get(name) ?? 0) + bytes)
  }
  return sizes
}

interface FoundFile {
  readonly inode: string
  readonly links: number
  readonly bytes: number
}

/** Every file with the folder that it is in, in the order of the folders. */
async function filesIn(folder: string, names: readonly string[]): Promise<readonly (readonly [string, FoundFile])[]> {
  const places = names.map((name) => join(folder, name))
  const program = asSetup(['bash', '--norc', '-c', findAll, 'bash', ...places])
  return (await runInside(program))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [place = '', inode = '', links, blocks] = line.split('\t')
      return [place.slice(folder.length + 1), { inode, links: Number(links), bytes: Number(blocks) * bytesOfBlock }]
    })
}

/**
 * Bytes on disk of folders inside `folder`, by their names. Of a file with many hard links each has its share, so that the
 * folders with all of them have its bytes together.
 */
export async function measureShares(folder: string, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0 || process.platform !== 'linux') return measureFolders(folder, names)
  const shares = new Map(names.map((name) => [name, 0]))
  for (const [name, { links, bytes }] of await filesIn(folder, names))
    shares.set(name, (shares.get(name) ?? 0) + bytes / links)
  return shares
}

/** How many files and folders each of these folders inside `folder` has, at least one. Each counts as one where nobody can count. */
export async function countEntries(folder: string, names: readonly string[]): Promise<readonly number[]> {
  const places = names.map((name) => join(folder, name))
  const counted = await runInside(asSetup(['du', '--inodes', '--summarize', '--count-links', '--', ...places])).catch(
    () => null,
  )
  const lines = counted?.toString().trim().split('\n') ?? []
  return names.map((_, index) => Number.parseInt(lines[index] ?? '', 10) || 1)
}

const bytesOfBlock = 512
const findAll = `find "$@" ! -type d -printf '%H\\t%i\\t%n\\t%b\\n' 2> /dev/null || :`

/** Bytes that a folder and its content take on disk. Files that vanish meanwhile count as nothing. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries) {
    const location = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await folderBytes(location)
    else bytes += await lstat(location).then(takenBy, () => 0)
  }
  return bytes
}

/** Falls back to the length on systems that do not count blocks. */
function takenBy({ blocks, size }: { readonly blocks?: number; readonly size: number }): number {
  return blocks === undefined ? size : blocks * bytesOfBlock
}
