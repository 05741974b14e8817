import { isUtf8 } from 'node:buffer'
import { fstatSync, lstatSync, opendirSync, type Stats } from 'node:fs'
import {
  type BaseListing,
  type BaseNode,
  type BaseTree,
  BaseTreeError,
  type ByteRange,
  maxReadBytes,
} from '#core/ports/base-tree.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { joinPath, nameOf, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { readGitIgnores } from '../system/git/git-ignores.ts'
import { hashFile } from '../system/hash-file.ts'
import { type DiskRoot, folderFlags, type OpenedHandle, openDiskRoot, readFlags } from './disk-root.ts'
import { isExecutable, nodeAt } from './node-at.ts'
import { codeOf, openUnlinked, openVerified, readHandle, toBaseTreeError } from './open-verified.ts'

/**
 * The user's folder as the base. Throws when `rootFolder` is missing or not a folder. `hidden` and everything below it
 * do not exist here, through links either: the app's own data may lie inside the project. `most` is the limit of one
 * read, in bytes.
 */
export function createDiskBaseTree(
  rootFolder: string,
  hidden: VirtualPath | null = null,
  most = maxReadBytes,
): BaseTree {
  const root = openDiskRoot(rootFolder, hidden)
  const pace = createPace()
  /** One look is short but blocks the process. Between many looks, other work gets a turn. */
  const paced = async <Value>(value: Value): Promise<Awaited<Value>> => {
    const seen = await value
    await pace()
    return seen
  }
  const stat = (path: VirtualPath, open: typeof openVerified) =>
    withFileTreeErrors(path, () => statIn(root, path, open(root, parentOf(path), folderFlags)))
  return {
    ignores: async () => readGitIgnores(rootFolder),
    stat: async (path) => paced(stat(path, openVerified)),
    async list(path, signal) {
      using folder = withFileTreeErrors(path, () => openVerified(root, path, folderFlags))
      return folder && (await listFolder(folder.directory, (name) => root.hides(childOf(folder, name)), signal))
    },
    async read(path, range) {
      using file = withFileTreeErrors(path, () => openVerified(root, path, readFlags))
      if (!file) throw new BaseTreeError('not_found', path, `There is no file at ${path}.`)
      return await paced(readOpened(path, file, fstatSync(file.descriptor), most, range))
    },
    async readUnlinked(path, range) {
      if (standsForNoFile(root, path)) return undefined
      using file = withFileTreeErrors(path, () => openUnlinked(root, path, readFlags))
      const stats = file && fstatSync(file.descriptor)
      if (!file || !stats?.isFile()) return undefined
      return { bytes: await paced(readOpened(path, file, stats, most, range)), executable: isExecutable(stats.mode) }
    },
    async hashUnlinked(path, signal) {
      if (standsForNoFile(root, path)) return undefined
      using file = withFileTreeErrors(path, () => openUnlinked(root, path, readFlags))
      const stats = file && fstatSync(file.descriptor)
      if (!file || !stats?.isFile()) return undefined
      const names = await hashFile(file.descriptor, signal).catch((error: unknown) => {
        signal?.throwIfAborted()
        throw toBaseTreeError(error, path)
      })
      if (!names) throw new BaseTreeError('unreadable', path, `${path} kept changing on disk while it was read.`)
      return { ...names, size: stats.size, executable: isExecutable(stats.mode) }
    },
    statUnlinked: async (path) => paced(stat(path, openUnlinked)),
    targetInside: (target) => root.virtualPathOf(target),
    hides: (path) => root.hides(path),
  }
}

function readOpened(
  path: VirtualPath,
  { descriptor }: OpenedHandle,
  stats: Stats,
  most: number,
  range?: ByteRange,
): Uint8Array | Promise<Uint8Array> {
  if (!stats.isFile()) throw new BaseTreeError('not_a_file', path, `${path} is not a regular file.`)
  if (!range && stats.size > most) {
    throw new BaseTreeError('too_large', path, `${path} has ${stats.size} bytes, over the ${most} of one read.`)
  }
  const offset = Math.min(range?.offset ?? 0, stats.size)
  const length = Math.min(range?.length ?? stats.size, stats.size - offset, maxReadBytes)
  return withFileTreeErrors(path, () => readHandle(descriptor, offset, length))
}

/** Like `lstat`, but through the opened and checked folder above. */
function statIn(root: DiskRoot, path: VirtualPath, above: OpenedHandle | undefined): BaseNode | undefined {
  using folder = above
  if (!folder || root.hides(childOf(folder, nameOf(path)))) return undefined
  if (path === '/') return nodeAt(folder.directory, fstatSync(folder.descriptor))
  const location = `${folder.directory}/${nameOf(path)}`
  try {
    const stats = lstatSync(location, { throwIfNoEntry: false })
    return stats && nodeAt(location, stats)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/**
 * Looks by name first, so that a FIFO or a device is not opened and nobody at its other end notices. Where nothing is, an
 * attempt to open it would only make an error, which takes ten times as long as the look. It proves nothing else.
 */
function standsForNoFile(root: DiskRoot, path: VirtualPath): boolean {
  const stats = lookByName(root.locate(path))
  if (stats === 'nothing') root.requireSame()
  return stats === 'nothing' || stats?.isFile() === false
}

/** Undefined when it cannot be looked at. */
function lookByName(location: string): Stats | 'nothing' | undefined {
  try {
    return lstatSync(location, { throwIfNoEntry: false }) ?? 'nothing'
  } catch {
    return undefined
  }
}

function childOf(folder: OpenedHandle, name: string): VirtualPath {
  return joinPath(folder.path as VirtualPath, name)
}

/** Errors of the system become those of the port, also when `act` fails later. */
function withFileTreeErrors<Value>(path: VirtualPath, act: () => Value): Value {
  const translate = (error: unknown): never => {
    throw toBaseTreeError(error, path)
  }
  try {
    const value = act()
    return value instanceof Promise ? (value.catch(translate) as Value) : value
  } catch (error) {
    return translate(error)
  }
}

/** Lists an open folder without hidden entries. Works in slices, so that a million entries do not block the process. */
async function listFolder(
  directory: string,
  isHidden: (name: string) => boolean,
  signal?: AbortSignal,
): Promise<BaseListing> {
  const entries: { name: string; node: BaseNode }[] = []
  let unreadable = 0
  const pace = createPace()
  using folder = opendirSync(directory, { bufferSize: 256, encoding: 'buffer' as BufferEncoding })
  for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
    const name = decodeName(entry.name)
    if (name !== undefined && isHidden(name)) continue
    const node = name === undefined ? 'unreadable' : lookAt(`${directory}/${name}`)
    if (name === undefined || node === 'unreadable') unreadable += 1
    else if (node !== 'gone') entries.push({ name, node })
    const turn = pace()
    if (!turn) continue
    await turn
    signal?.throwIfAborted()
  }
  return { entries: entries.sort((a, b) => byCodeUnit(a.name, b.name)), unreadable }
}

/** Reads a name as UTF-8, or returns undefined. Node's types do not know that `readdir` can return names as bytes. */
function decodeName(name: unknown): string | undefined {
  if (!Buffer.isBuffer(name)) return String(name)
  return isUtf8(name) ? name.toString() : undefined
}

function lookAt(location: string): BaseNode | 'gone' | 'unreadable' {
  try {
    return nodeAt(location, lstatSync(location))
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'gone' : 'unreadable'
  }
}
