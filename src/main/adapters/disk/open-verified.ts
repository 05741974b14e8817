import { lstatSync, read, readlinkSync, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { BaseTreeError } from '#core/ports/base-tree.ts'
import { joinPath, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { DiskRoot, OpenedHandle } from './disk-root.ts'

const attempts = 4

/**
 * Opens what `path` leads to inside the root, following links inside it. Undefined when nothing is there.
 *
 * The direct try costs three system calls at any depth. Links are resolved only when it fails.
 */
export function openVerified(root: DiskRoot, path: VirtualPath, flags: number): OpenedHandle | undefined {
  let wasMissing = false
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      const real = attempt === 0 ? path : resolveLinks(root, path, true)
      // No link is on the way, so the direct try was about this very path.
      if (wasMissing && real === path) return undefined
      const opened = root.open(real, flags)
      if (opened !== 'moved') return opened
      wasMissing = false
    } catch (error) {
      if (error instanceof BaseTreeError) throw error
      const code = codeOf(error)
      const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
      if (attempt === 0 && (isMissing || code === 'ELOOP')) {
        wasMissing = isMissing
        continue
      }
      if (isMissing) return undefined
      if (code !== 'ELOOP') throw toBaseTreeError(error, path)
    }
  }
  throw new BaseTreeError('unreadable', path, `${path} kept changing on disk while it was opened. Try again.`)
}

/** The direct try alone. Undefined when a link is on the way, or nothing is there. */
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

const linkLimit = 40

/**
 * Where a path leads when links above its last part are followed by name, and with `leaf` also the last part.
 *
 * The disk may change at once, so use the answer only to open a handle, and check that handle.
 */
function resolveLinks(root: DiskRoot, path: VirtualPath, leaf: boolean): VirtualPath {
  const waiting = components(path).reverse()
  let current: VirtualPath = rootPath
  let link = path
  let links = 0
  while (waiting.length > 0) {
    const name = waiting.pop() ?? ''
    if (name === '..') {
      if (current === rootPath) throw leavesRoot(path, link)
      current = parentOf(current)
      continue
    }
    const next = joinPath(current, name)
    const target = waiting.length > 0 || leaf ? linkTarget(root, next) : undefined
    if (target === undefined) {
      current = next
      continue
    }
    links += 1
    if (links > linkLimit) throw new BaseTreeError('link_loop', path, `${path} goes through a loop of links.`)
    link = next
    const inside = target.startsWith('/') ? root.virtualPathOf(target) : target
    if (inside === undefined) throw leavesRoot(path, link)
    if (target.startsWith('/')) current = rootPath
    waiting.push(...components(inside).reverse())
  }
  return current
}

function linkTarget(root: DiskRoot, path: VirtualPath): string | undefined {
  const location = root.locate(path)
  const isLink = lstatSync(location, { throwIfNoEntry: false })?.isSymbolicLink()
  return isLink ? readlinkSync(location) : undefined
}

function components(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

function leavesRoot(path: VirtualPath, link: VirtualPath): BaseTreeError {
  return new BaseTreeError('link_leaves_root', path, `The link ${link} leaves the project folder and is not followed.`)
}

const readAsync = promisify(read)
/** Below this size a synchronous read is faster than a trip to the thread pool and too short to notice. */
const synchronousBytes = 512 * 1024
const chunkBytes = 4 * 1024 * 1024

/**
 * Up to `length` bytes from `offset`. Fewer when the file became shorter meanwhile. A short read is over when this returns,
 * because files are read by the thousand.
 */
export function readHandle(descriptor: number, offset: number, length: number): Uint8Array | Promise<Uint8Array> {
  return length <= synchronousBytes ? readShort(descriptor, offset, length) : readLong(descriptor, offset, length)
}

function readShort(descriptor: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let done = 0
  while (done < length) {
    const count = readSync(descriptor, bytes, done, length - done, offset + done)
    if (count === 0) break
    done += count
  }
  return cut(bytes, done)
}

async function readLong(descriptor: number, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let done = 0
  while (done < length) {
    const most = Math.min(chunkBytes, length - done)
    const { bytesRead } = await readAsync(descriptor, bytes, done, most, offset + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return cut(bytes, done)
}

function cut(bytes: Uint8Array, length: number): Uint8Array {
  return length === bytes.length ? bytes : bytes.slice(0, length)
}
