import { fsync } from 'node:fs'
import { promisify } from 'node:util'
import { parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { DiskRoot } from './disk-root.ts'
import { forAll } from './for-all.ts'
import { openFolder } from './inspect-target.ts'

const syncAsync = promisify(fsync)
const syncedAtOnce = 8

/**
 * Makes what was put into folders, or taken out of them, survive power loss before the record of it goes: the record may lie on another
 * disk. Some systems cannot sync a folder, and there it is left to the disk.
 */
export async function syncFolders(
  root: DiskRoot,
  steps: readonly { readonly path: VirtualPath }[],
  { made }: { readonly made: readonly VirtualPath[] },
): Promise<void> {
  const folders = new Set([...steps.map(({ path }) => path), ...made].map(parentOf))
  await forAll(folders, syncedAtOnce, async (path) => {
    const opened = openFolder(root, path)
    if (typeof opened === 'string') return
    using folder = opened
    await syncAsync(folder.descriptor).catch(() => undefined)
  })
}
