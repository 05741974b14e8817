import { BaseTreeError } from '#core/ports/base-tree.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { DiskRoot, OpenedHandle } from './disk-root.ts'
import { resolveLinks } from './resolve-links.ts'

const attempts = 4

/**
 * A handle on what `path` leads to inside the root, links inside followed, or nothing when nothing is there. The
 * direct try costs three system calls whatever the depth; links are only resolved when it fails.
 */
export function openVerified(root: DiskRoot, path: VirtualPath, flags: number): OpenedHandle | undefined {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      const opened = root.open(attempt === 0 ? path : resolveLinks(root, path, true), flags)
      if (opened !== 'moved') return opened
    } catch (error) {
      if (error instanceof BaseTreeError) throw error
      const code = codeOf(error)
      const mayBeLink = code === 'ELOOP' || code === 'ENOTDIR' || code === 'ENOENT'
      if (attempt === 0 && mayBeLink) continue
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
      if (code !== 'ELOOP') throw toBaseTreeError(error, path)
    }
  }
  throw new BaseTreeError('unreadable', path, `${path} kept changing on disk while it was opened. Try again.`)
}

/** The direct try alone: nothing where a link, or nothing, is on the way. */
export function openUnlinked(root: DiskRoot, path: VirtualPath, flags: number): OpenedHandle | undefined {
  try {
    const opened = root.open(path, flags)
    return opened === 'moved' ? undefined : opened
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ELOOP' || code === 'ENOTDIR' || code === 'ENOENT') return undefined
    throw error
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

export function toBaseTreeError(error: unknown, path: VirtualPath): BaseTreeError {
  if (error instanceof BaseTreeError) return new BaseTreeError(error.code, path, error.message)
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new BaseTreeError('not_found', path, `There is no file at ${path}.`)
    case 'ENAMETOOLONG':
      return new BaseTreeError('name_too_long', path, `The path is too long for this disk: ${path.slice(0, 60)}…`)
    case 'EISDIR':
    case 'ENXIO':
    case 'ENODEV':
      return new BaseTreeError('not_a_file', path, `${path} is not a regular file.`)
    case 'ELOOP':
      return new BaseTreeError('link_loop', path, `${path} goes through a loop of links.`)
    default:
      return new BaseTreeError('unreadable', path, `${path} could not be read: ${codeOf(error) ?? String(error)}.`)
  }
}
