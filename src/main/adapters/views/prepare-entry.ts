import { lstatSync, readlinkSync, realpathSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes a freshly copied entry safe to work with. FIFOs, sockets and devices go: opening one can hang a command. An
 * absolute link into the project would lead writes out of the copy and into the real folder, so it leads to the same
 * place in the copy instead.
 */
export function createEntryPreparer(viewFiles: string, rootFolder: string | null): (location: string) => void {
  const roots = rootFolder === null ? [] : [...new Set([rootFolder, realpathSync.native(rootFolder)])]
  return (location) => {
    const stats = lstatSync(location, { throwIfNoEntry: false })
    if (!stats || stats.isFile() || stats.isDirectory()) return
    if (!stats.isSymbolicLink()) return unlinkSync(location)
    const target = readlinkSync(location)
    const root = roots.find((one) => target === one || target.startsWith(`${one}/`))
    if (root === undefined) return
    unlinkSync(location)
    symlinkSync(join(viewFiles, target.slice(root.length)), location)
  }
}
