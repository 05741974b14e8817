import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  constants,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { lookAt } from '../../system/look-at.ts'
import { removeInMadeSync } from '../../system/made-folders.ts'
import { openInside } from '../../system/open-inside.ts'
import { systemProgram } from '../../system/system-programs.ts'
import { hideBelow, listAll } from './open-closed.ts'

/**
 * Copies of the project's files that belong to another user or group, such as those of a shared folder or of `sudo`. The
 * kernel changes a file of a view only if the view knows its owner, and a user's namespace knows one user and one group.
 * So these copies, which are the person's own, lie over the project in every view. Disposing ends an update.
 */
export interface OwnedCopies extends AsyncDisposable {
  /**
   * Brings the copies up to date. In a project that needed none, one that appears is only found by a later update. Throws
   * the abort reason.
   */
  update(signal: AbortSignal): Promise<void>
  /** The folder of the copies as of the last update. Null when the project needs none. */
  folder(): string | null
  /** How many such files have no copy, so that commands can only read them. */
  readOnly(): number
  /** How many folders of others neither commands nor a mount can list. */
  closed(): number
}

interface Foreign {
  readonly kind: string
  readonly isWritable: boolean
  /** True for a folder that a mount cannot list. */
  readonly isClosed: boolean
  readonly mode: number
  readonly size: number
  /** Seconds since the Unix epoch, with their fraction. */
  readonly modified: string
  /** Everything that a copy depends on. */
  readonly stamp: string
}

const mostBytes = 2 * 1024 * 1024 * 1024
/** How often a project in which all files are the person's is searched again, in milliseconds. */
const searchEvery = 60_000

/** `folder` is inside a made folder and need not exist. `search` finds what to copy. */
export function createOwnedCopies(
  folder: string,
  rootFolder: string | null,
  search: typeof findForeign = findForeign,
): OwnedCopies {
  const files = join(folder, 'files')
  let copied: ReadonlyMap<string, Foreign> = new Map()
  let left = 0
  let closed = 0
  /** Folders whose copies stand for all that is in them. */
  let opened: ReadonlySet<string> = new Set()
  let searched = Number.NEGATIVE_INFINITY
  const closing = new AbortController()
  let updating: Promise<void> = Promise.resolve()
  /** The update that goes on. */
  let searching: Promise<void> | undefined

  async function copyChanged(signal: AbortSignal): Promise<void> {
    if (rootFolder === null) return
    const foreign = await search(rootFolder, signal)
    const tops = topmostClosed(foreign)
    const found = await withAllIn(tops, foreign, rootFolder, signal)
    if (found.size > 0) mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const path of [...copied.keys()].reverse()) if (!found.has(path)) removeCopy(files, path, found)
    const now = new Map<string, Foreign>()
    let bytes = 0
    for (const [path, foreign] of found) {
      signal.throwIfAborted()
      bytes += foreign.kind === 'f' ? foreign.size : 0
      if (bytes > mostBytes) bytes -= foreign.size
      else if (copied.get(path)?.stamp === foreign.stamp || (await copyOne(rootFolder, folder, path, foreign)))
        now.set(path, foreign)
    }
    const isWhole = (top: string) => [...found.keys()].every((path) => now.has(path) || !isBelow(path, top))
    const whole = tops.filter((top) => now.has(top) && isWhole(top))
    // What is not all there must not hide the rest.
    for (const top of opened) if (found.has(top) && !whole.includes(top)) await copyAgain(top, found, now)
    const unmarked = whole.filter((top) => !opened.has(top)).map((top) => join(files, top))
    await hideBelow(unmarked, join(folder, 'scratch'))
    opened = new Set(whole)
    for (const [path, { kind, modified }] of now) if (kind === 'd') setTime(join(files, path), modified)
    left = [...foreign.keys()].filter((path) => !now.has(path)).length
    const isOpened = (path: string) => whole.some((top) => path === top || isBelow(path, top))
    closed = [...found].filter(([path, one]) => one.isClosed && !isOpened(path)).length
    copied = now
    // Not before: a view that is opened meanwhile would take what is being copied for nothing to copy.
    searched = performance.now()
  }
  /** A folder whose copy is not to hide what lies below any more. */
  async function copyAgain(top: string, found: ReadonlyMap<string, Foreign>, now: Map<string, Foreign>): Promise<void> {
    removeInMadeSync(join(files, top))
    for (const [path, one] of found)
      if ((path === top || isBelow(path, top)) && now.delete(path) && rootFolder !== null)
        if (await copyOne(rootFolder, folder, path, one)) now.set(path, one)
  }
  return {
    async update(signal) {
      const hasNone = copied.size + left === 0
      if (hasNone && performance.now() - searched < searchEvery) return
      const isFirst = searched === Number.NEGATIVE_INFINITY
      if (isFirst && searching) return await searching
      const isKnown = hasNone && !isFirst
      const next = updating
        .catch(() => undefined)
        .then(() => copyChanged(isKnown || isFirst ? closing.signal : AbortSignal.any([signal, closing.signal])))
      updating = next
      searching = next.finally(() => {
        searching = undefined
      })
      searching.catch(() => undefined)
      // A large project is searched while the command already runs: such a file appears once in a long while.
      if (!isKnown) await next
    },
    folder: () => (copied.size === 0 ? null : files),
    readOnly: () => left,
    closed: () => closed,
    async [Symbol.asyncDispose]() {
      closing.abort()
      await updating.catch(() => undefined)
    },
  }
}

/**
 * What in the project no namespace of this user can name, folders before their entries. Nothing where the system’s `find`
 * cannot tell.
 */
const form = (access: string) => `%y ${access} %m %s %T@ %C@ %P\\0`

function findForeign(rootFolder: string, signal: AbortSignal): Promise<ReadonlyMap<string, Foreign>> {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const say = (access: string) => ['-printf', form(access)]
  const foreign = ['(', '!', '-uid', String(user), '-o', '!', '-gid', String(group), ')']
  const closed = ['-type', 'd', '!', '(', '-readable', '-executable', ')', ...say('c')]
  const open = ['-writable', ...say('w'), '-o', ...say('r')]
  const parameters = [rootFolder, '-xdev', ...foreign, '(', ...closed, '-o', ...open, ')']
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 1024 ** 3, signal, env: { LC_ALL: 'C' } }
    execFile(systemProgram('find'), parameters, options, (_error, output) => {
      if (signal.aborted) reject(signal.reason)
      else resolve(readList(output))
    })
  })
}

/** Folders that nobody but root may list, not those inside others. A person cannot copy what is in one. */
function topmostClosed(found: ReadonlyMap<string, Foreign>): readonly string[] {
  if (process.getuid?.() !== 0) return []
  const closed = [...found].flatMap(([path, { isClosed }]) => (isClosed && path !== '' ? [path] : []))
  return closed.filter((path) => !closed.some((other) => isBelow(path, other)))
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

/** With everything in these folders, whoever owns it: no mount shows it otherwise. */
async function withAllIn(
  folders: readonly string[],
  found: ReadonlyMap<string, Foreign>,
  rootFolder: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Foreign>> {
  const all = new Map(found)
  for (const folder of folders)
    for (const [path, one] of readList(await listAll(rootFolder, folder, form('w'), signal)))
      if (!all.has(`${folder}/${path}`)) all.set(`${folder}/${path}`, one)
  return all
}

function readList(output: string): ReadonlyMap<string, Foreign> {
  const found = new Map<string, Foreign>()
  for (const line of output.split('\0')) {
    const [, kind, access, mode, size, modified, path] = /^(\S) (\S) (\d+) (\d+) (\S+) \S+ (.*)$/s.exec(line) ?? []
    if (!kind || !mode || !modified || path === undefined) continue
    const bits = Number.parseInt(mode, 8)
    // Nothing is closed to root, but a mount that root makes for commands is made by nobody in particular.
    const isClosed = kind === 'd' && (access === 'c' || (process.getuid?.() === 0 && (bits & 0o005) !== 0o005))
    const foreign = { kind, isWritable: access === 'w', isClosed, mode: bits, size: Number(size), modified }
    found.set(path, { ...foreign, stamp: line })
  }
  return found
}

/** False when it cannot be copied: a special file, one that is closed to the person, or a name that is not UTF-8. */
async function copyOne(rootFolder: string, folder: string, path: string, foreign: Foreign): Promise<boolean> {
  const [to, incoming] = [join(folder, 'files', path), join(folder, 'incoming')]
  const { kind, isWritable, modified } = foreign
  const mode = isWritable ? foreign.mode | 0o200 : foreign.mode & ~0o222
  if (path.includes('\ufffd') || !'fdl'.includes(kind)) return false
  try {
    makeFolders(rootFolder, join(folder, 'files'), dirname(path))
    if (kind === 'd') {
      asOwner(to, () => mkdirSync(to, { recursive: true }))
      asOwner(to, () => chmodSync(to, mode))
      return true
    }
    removeInMadeSync(incoming)
    // Its owner may put a link in the place of the file, or of a folder above it, after the search found it.
    using source = openInside(rootFolder, kind === 'l' ? dirname(path) : path, kind === 'l' ? 'directory' : 'file')
    if (!source) return false
    if (kind === 'l') symlinkSync(readlinkSync(join(source.location, basename(path))), incoming)
    else {
      await copyFile(source.location, incoming, constants.COPYFILE_FICLONE)
      // Node gives a copy the owner of the file, as far as it may.
      chownSync(incoming, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
      chmodSync(incoming, mode)
    }
    setTime(incoming, modified)
    removeInMadeSync(to)
    asOwner(to, () => renameSync(incoming, to))
    return true
  } catch {
    return false
  }
}

/** Folders between, which are the person's own, have the mode that they have in the project. */
function makeFolders(rootFolder: string, top: string, path: string): void {
  const to = join(top, path)
  if (lookAsOwner(to)?.isDirectory()) return
  if (path === '.') return void mkdirSync(to, { recursive: true })
  makeFolders(rootFolder, top, dirname(path))
  const mode = lookAt(join(rootFolder, path))?.mode ?? 0o755
  removeInMadeSync(to)
  asOwner(to, () => mkdirSync(to))
  asOwner(dirname(to), () => chmodSync(to, mode & 0o7777))
}

/** Removes a copy, and the folders above it that nothing else needs. */
function removeCopy(top: string, path: string, needed: ReadonlyMap<string, Foreign>): void {
  const place = join(top, path)
  const isFolder = lookAsOwner(place)?.isDirectory() === true
  if (isFolder && asOwner(place, () => readdirSync(place)).length > 0) return
  removeInMadeSync(place)
  const above = dirname(path)
  if (above !== '.' && !needed.has(above)) removeCopy(top, above, needed)
}

function setTime(place: string, seconds: string): void {
  asOwner(place, () => lutimesSync(place, Number(seconds), Number(seconds)))
}
