import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { storedPlace } from '../project/project-place.ts'

/** How much Coppice keeps for all projects, found without opening any. */
export async function describeStored(dataFolder: string): Promise<string> {
  const { projects, bytes, largest } = await dataFolderSizes(dataFolder)
  const each = largest.map(({ name, bytes: size }) => `${name} ${megabytes(size)}`).join(', ')
  return `${projects} projects, ${megabytes(bytes)} in ${dataFolder}${each ? `; the largest: ${each}` : ''}`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

/** Bytes that Coppice keeps for all projects, found without opening any. */
async function dataFolderSizes(dataFolder: string): Promise<{
  readonly projects: number
  readonly bytes: number
  /** At most three, largest first. */
  readonly largest: readonly { readonly name: string; readonly bytes: number }[]
}> {
  const folder = join(dataFolder, 'projects')
  const ids = (await entriesOf(folder)).filter((entry) => entry.isDirectory())
  const sizes: { readonly name: string; readonly bytes: number }[] = []
  for (const { name: id } of ids) {
    const place = storedPlace(join(folder, id))
    sizes.push({ name: place?.name ?? id, bytes: await bytesBelow(join(folder, id)) })
  }
  const sorted = sizes.toSorted((one, other) => other.bytes - one.bytes)
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0)
  return { projects: sizes.length, bytes, largest: sorted.slice(0, 3) }
}

/** Links count as themselves. Entries that vanish or cannot be read count as nothing. */
async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name)
    bytes += entry.isDirectory()
      ? await bytesBelow(path)
      : await lstat(path).then(
          ({ size }) => size,
          () => 0,
        )
  }
  return bytes
}

function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => [])
}
