import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { ancestorsOf, nameOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type DiskRoot, folderFlags, type OpenedHandle } from './disk-root.ts'
import { codeOf } from './open-verified.ts'

/** What is at a path right now. No link is followed on the way. */
export type Seen =
  | { readonly kind: 'absent' }
  /** A folder above is a link or a file, so the path cannot be looked at. */
  | { readonly kind: 'blocked'; readonly by: 'link' | 'file' }
  | { readonly kind: 'file'; readonly stats: Stats }
  | { readonly kind: 'directory'; readonly stats: Stats }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'special' }

export function inspect(root: DiskRoot, path: VirtualPath): Seen {
  const opened = openFolderOf(root, path)
  if (typeof opened === 'string') return opened === 'absent' ? { kind: 'absent' } : { kind: 'blocked', by: opened }
  using folder = opened
  return inspectEntry(`${folder.directory}/${nameOf(path)}`)
}

function inspectEntry(location: string): Seen {
  const stats = lstatSync(location, { throwIfNoEntry: false })
  if (!stats) return { kind: 'absent' }
  if (stats.isFile()) return { kind: 'file', stats }
  if (stats.isDirectory()) return { kind: 'directory', stats }
  if (stats.isSymbolicLink()) return { kind: 'symlink', target: readlinkSync(location) }
  return { kind: 'special' }
}

/** Opens the folder that holds `path`, or says why it cannot. */
function openFolderOf(root: DiskRoot, path: VirtualPath): OpenedHandle | 'absent' | 'link' | 'file' {
  return openFolder(root, parentOf(path))
}

export function openFolder(root: DiskRoot, folder: VirtualPath): OpenedHandle | 'absent' | 'link' | 'file' {
  try {
    const opened = root.open(folder, folderFlags)
    return opened === 'moved' ? 'link' : opened
  } catch (error) {
    if (codeOf(error) === 'ELOOP') return 'link'
    if (codeOf(error) === 'ENOENT') return hasLink(root, folder) ? 'link' : 'absent'
    if (codeOf(error) === 'ENOTDIR') return hasLink(root, folder) ? 'link' : 'file'
    throw error
  }
}

/**
 * True when a folder on the way is a link. The system's errors do not say so, and a link matters more than a missing
 * folder behind it.
 */
function hasLink(root: DiskRoot, folder: VirtualPath): boolean {
  return [folder, ...ancestorsOf(folder)].some((path) => {
    try {
      return lstatSync(root.locate(path), { throwIfNoEntry: false })?.isSymbolicLink() === true
    } catch {
      return false
    }
  })
}
