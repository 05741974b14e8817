import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes that a folder and all in it take on disk. What goes away meanwhile counts as nothing. */
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

/** Systems that do not count blocks tell the length. */
function takenBy({ blocks, size }: { readonly blocks?: number; readonly size: number }): number {
  return blocks === undefined ? size : blocks * 512
}
