import { isUtf8 } from 'node:buffer'
import { closeSync, constants, lstatSync, openSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { NotKept } from '#core/ports/branch-mounts.ts'
import { ancestorsOf, joinPath, nameOf, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../system/as-owner.ts'

/** How the files that programs wrote are read. */
export interface WrittenFiles {
  /** Undefined when nothing is there. Follows no link. */
  look(path: VirtualPath): Stats | undefined
  /** The names in a folder, as bytes. */
  names(path: VirtualPath): readonly Buffer[]
  /** Does something with the place of the entry, which must follow no link there. Undefined when that cannot be done now. */
  at<Result>(path: VirtualPath, act: (location: string) => Result): Result | undefined
}

/**
 * In bytes. A program that goes down step by step makes folders deeper than any path may be long, and then nobody can name
 * them. Below this the folder of a view and that of the project have room before it, on every system.
 */
const longestPath = 2048
/** Each folder above an entry is looked at with it, so that thousands of them would keep a capture for many minutes. */
const mostLevels = 200

/** The path of an entry as a branch has it, or why no branch can. */
export function pathBelow(
  folder: VirtualPath,
  name: Buffer,
): { readonly path: VirtualPath } | { readonly not: NotKept } {
  if (!isUtf8(name)) return { not: { path: joinPath(folder, shownBytes(name)), size: 0, why: 'name' } }
  const path = joinPath(folder, name.toString())
  const isNear = Buffer.byteLength(path) <= longestPath && path.split('/').length - 1 <= mostLevels
  return isNear ? { path } : { not: { path, size: 0, why: 'too_deep' } }
}

/** A name in which everything that is no plain character of ASCII stands as its number. */
export function shownBytes(name: Buffer): string {
  return name.toString('latin1').replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** Files that no program can reach any more. What closes a folder to its owner is lifted for the moment. */
export function restingFiles(folder: string): WrittenFiles {
  return {
    look: (path) => lookAsOwner(join(folder, path)),
    names: (path) => namesAt(join(folder, path)),
    at: (path, act) => asOwner(join(folder, path), () => act(join(folder, path))),
  }
}

function namesAt(place: string): readonly Buffer[] {
  return asOwner(place, () => readdirSync(place, { encoding: 'buffer' }))
}

const openFolder = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/**
 * Files in which programs still write. A program may put a link in the place of a folder while the folder is read, and
 * a path through it would lead out of the view, to files that the program itself may not see. So every folder on the way
 * is opened without following links, from the one above, and held while something in it is read. Nothing is changed: a
 * folder that is closed to this user stays closed. Null where the system has no paths that begin at an open folder.
 */
export function movingFiles(folder: string): (WrittenFiles & Disposable) | null {
  if (process.platform !== 'linux') return null
  /** The open folders on the way to what was read last, from the top. */
  const held: { readonly path: VirtualPath; readonly descriptor: number }[] = []
  const letGo = (count: number) => {
    for (const { descriptor } of held.splice(count).reverse()) closeSync(descriptor)
  }
  const hold = (path: VirtualPath, location: string): string => {
    const descriptor = openSync(location, openFolder)
    held.push({ path, descriptor })
    return `/proc/self/fd/${descriptor}`
  }
  /** Throws when it is no folder, or none any more. */
  function enter(path: VirtualPath): string {
    const way = path === rootPath ? [rootPath] : [rootPath, ...ancestorsOf(path).toReversed(), path]
    const common = held.findIndex((one, index) => one.path !== way[index])
    letGo(common < 0 ? way.length : common)
    const last = held.at(-1)
    let place = last ? `/proc/self/fd/${last.descriptor}` : ''
    for (const one of way.slice(held.length)) place = hold(one, one === rootPath ? folder : `${place}/${nameOf(one)}`)
    return place
  }
  const at = <Result>(path: VirtualPath, act: (location: string) => Result): Result | undefined => {
    try {
      return act(`${enter(parentOf(path))}/${nameOf(path)}`)
    } catch {
      return undefined
    }
  }
  return {
    at,
    look: (path) => at(path, (location) => lstatSync(location, { throwIfNoEntry: false })),
    names(path) {
      try {
        return readdirSync(enter(path), { encoding: 'buffer' })
      } catch {
        return []
      }
    },
    [Symbol.dispose]: () => letGo(0),
  }
}
