import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { shellWord } from '#shared/text/control-characters.ts'
import { changeMode } from './change-mode.ts'
import { lookAt, namesIn } from './look-at.ts'
import { type Maker, mayLive, thisMaker } from './maker.ts'
import { unmountBelow } from './mounts-below.ts'

/**
 * Folders that the app made for itself, and the only way in which it empties any. Each is private, belongs to the
 * person and holds a file that says who made it. Whatever lacks one of these is left alone.
 */
const markerName = '.made-by-coppice'
const prefix = 'coppice-'
/** A folder without its marker may be about to get one. */
const settleMs = 60_000

/** Says why a folder is not the app's own, as a sentence for a person. */
export class NotOurFolderError extends Error {
  constructor(folder: string, why: string) {
    super(`${folder} ${why}, so Coppice neither uses nor empties it.`)
    this.name = 'NotOurFolderError'
  }
}

/** The identity of each made folder on disk, by its path. */
const made = new Map<string, Pick<Stats, 'dev' | 'ino'>>()

/** Makes a folder that nobody can guess, inside the temporary folder. `kind` is a word for a person who finds it. */
export function makeTemporary(kind: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${kind}-`))
  register(folder)
  return folder
}

/** Makes the folder, or takes it over from an earlier run. Throws `NotOurFolderError`. */
export function claimFolder(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
  if (!existsSync(folder) && !lookAt(folder)) mkdirSync(folder, { mode: 0o700 })
  const why = whyNotOurs(folder)
  if (why !== null) throw new NotOurFolderError(folder, why)
  chmodSync(folder, 0o700)
  register(folder)
}

/** Makes a made folder again that somebody removed meanwhile. Throws `NotOurFolderError` where something else is in its place. */
export function renewFolder(folder: string): void {
  if (!isSame(folder)) claimFolder(folder)
}

/** Claims the folder. If that is refused, makes a temporary one and returns the refusal as `problem`. */
export function claimOrMake(
  folder: string,
  kind: string,
): { readonly folder: string; readonly problem: string | null } {
  try {
    claimFolder(folder)
    return { folder, problem: null }
  } catch (error) {
    if (!(error instanceof NotOurFolderError)) throw error
    return { folder: makeTemporary(kind), problem: error.message }
  }
}

/** Removes a made folder and everything in it. Does nothing when it is gone. */
export async function removeMade(folder: string): Promise<void> {
  if (!made.has(folder) && !isMissing(folder)) throw new NotOurFolderError(folder, 'was not made by Coppice')
  if (isSame(folder)) await removeAll(folder, folder)
  made.delete(folder)
}

/**
 * Removes a made folder when the process ends by itself, if `mayGo` agrees. Whatever kills it leaves the folder for the
 * sweep.
 */
export function removeAtExit(folder: string, mayGo: () => boolean = () => true): void {
  process.once('exit', () => {
    if (isSame(folder) && mayGo() && unmountBelow(folder).length === 0) rmSync(folder, { recursive: true, force: true })
  })
}

/** Removes everything in a made folder except its marker and these names. */
export async function emptyMade(folder: string, kept: readonly string[] = []): Promise<void> {
  if (!isSame(folder)) throw new NotOurFolderError(folder, 'was not made by Coppice')
  for (const name of readdirSync(folder))
    if (name !== markerName && !kept.includes(name)) await removeAll(join(folder, name), folder)
}

/** Removes the marker of an emptied folder, which then is like any other. */
export function releaseMade(folder: string): void {
  if (isSame(folder)) rmSync(join(folder, markerName), { force: true })
  made.delete(folder)
}

/**
 * Removes a file, a link or a whole folder inside a made one, even when somebody took its permissions away. Throws
 * `NotOurFolderError` for any other place, and where a link above it leads elsewhere.
 */
export async function removeInMade(place: string): Promise<void> {
  const root = requireMade(place)
  using _opened = openAbove(place)
  await removeAll(place, root)
}

/** As `removeInMade`. A name that is not UTF-8 comes as `name`, below `place`. */
export function removeInMadeSync(place: string, name?: Buffer): void {
  const location = name ? Buffer.concat([Buffer.from(`${place}/`), name]) : place
  if (isMissing(location)) return
  const root = requireMade(name ? join(place, 'any') : place)
  requireUnmounted(location)
  try {
    rmSync(location, { recursive: true, force: true })
  } catch {
    using _opened = openAbove(name ? join(place, 'any') : place)
    openUp(location, root)
    raiseDeep(location, root)
    rmSync(location, { recursive: true, force: true })
  }
}

/** Opens the folders above a path. Disposing puts their modes back. */
function openAbove(place: string): Disposable {
  const root = madeFolderOf(place)
  const above: string[] = []
  const opened: (() => void)[] = []
  if (root !== undefined) for (let one = dirname(place); one !== root; one = dirname(one)) above.push(one)
  for (const folder of above.reverse()) {
    const stats = lookAt(folder)
    if (root === undefined || !stats?.isDirectory() || (stats.mode & 0o700) === 0o700) continue
    const mode = stats.mode & 0o7777
    if (!changeMode(folder, root, stats, mode | 0o700)) break
    opened.push(() => void (lookAt(folder) && changeMode(folder, root, stats, mode)))
  }
  return {
    [Symbol.dispose]() {
      for (const putBack of opened.reverse()) putBack()
    },
  }
}

/** Removes the temporary folders of processes that have ended. Returns their paths. */
export async function sweepTemporary(): Promise<readonly string[]> {
  const swept: string[] = []
  for (const name of namesIn(tmpdir()).filter((one) => one.startsWith(prefix))) {
    const folder = join(tmpdir(), name)
    try {
      if (await sweep(folder)) swept.push(folder)
    } catch {
      // It vanished, or cannot be removed. The next start tries again.
    }
  }
  return swept
}

/** The runs of the app that have ended and left a temporary folder. A run that may live is none of them, whoever says so. */
export function endedRuns(): ReadonlySet<string> {
  const makers = namesIn(tmpdir()).flatMap((name) => {
    const folder = join(tmpdir(), name)
    const stats = name.startsWith(prefix) ? lookAt(folder) : undefined
    return stats?.isDirectory() && !isForeign(stats) ? (makerOf(folder) ?? []) : []
  })
  const runsOf = (some: readonly Maker[]) => new Set(some.flatMap(({ run }) => run ?? []))
  const living = makers.filter(mayLive)
  return runsOf(makers).difference(runsOf(living))
}

async function sweep(folder: string): Promise<boolean> {
  const stats = lookAt(folder)
  if (!stats?.isDirectory() || isForeign(stats) || made.has(folder)) return false
  const maker = makerOf(folder)
  if (maker === undefined) {
    if (lookAt(join(folder, markerName)) || Date.now() - stats.mtimeMs < settleMs) return false
    rmdirSync(folder)
    return true
  }
  if (mayLive(maker)) return false
  if ((stats.mode & 0o700) !== 0o700 && !changeMode(folder, folder, stats, 0o700)) return false
  // The mark goes last, so that the next start goes on with what this one did not finish.
  for (const name of readdirSync(folder)) if (name !== markerName) await removeAll(join(folder, name), folder)
  await removeAll(folder, folder)
  return true
}

/** Null for a folder that is empty or marked, and the person's own. */
function whyNotOurs(folder: string): string | null {
  const stats = lstatSync(folder)
  if (stats.isSymbolicLink()) return 'is a link'
  if (!stats.isDirectory()) return 'is not a folder'
  if (isForeign(stats)) return 'belongs to another user'
  const marker = lookAt(join(folder, markerName))
  if (marker) return marker.isFile() && !isForeign(marker) ? null : 'has a mark that Coppice did not make'
  return readdirSync(folder).length === 0 ? null : 'holds files that Coppice did not make'
}

function isForeign({ uid }: Stats): boolean {
  return process.getuid !== undefined && uid !== process.getuid()
}

function register(folder: string): void {
  const { O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants
  const marker = openSync(join(folder, markerName), O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
  try {
    ftruncateSync(marker)
    writeSync(marker, `${JSON.stringify({ ...thisMaker(), folder: identityOf(folder) })}\n`)
  } finally {
    closeSync(marker)
  }
  const { dev, ino } = lstatSync(folder)
  made.set(folder, { dev, ino })
}

/**
 * What nobody can know of a folder before it is there, so that a mark that somebody brings along fits none. Not every
 * disk knows when a folder was made.
 */
function identityOf(folder: string): string {
  const { dev, ino, birthtimeNs } = lstatSync(folder, { bigint: true })
  return [dev, ino, birthtimeNs].join(':')
}

const runName = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/

/** Undefined without a readable marker that was written for exactly this folder. */
function makerOf(folder: string): Maker | undefined {
  const file = join(folder, markerName)
  const stats = lookAt(file)
  if (!stats?.isFile() || isForeign(stats)) return undefined
  try {
    const { pid, started, machine, run, folder: identity } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof pid !== 'number' || identity !== identityOf(folder)) return undefined
    return { pid, started: String(started), machine: String(machine), ...(runName.test(run) && { run }) }
  } catch {
    return undefined
  }
}

/** The made folder above a path, whatever is there. Undefined when there is none. */
export function madeFolderOf(place: string): string | undefined {
  for (let folder = dirname(place); folder !== dirname(folder); folder = dirname(folder)) {
    if (made.has(folder)) return folder
  }
  return undefined
}

/** The made folder above the place. Follows no link on the way down from it. */
function requireMade(place: string): string {
  const above: string[] = []
  let folder = dirname(resolve(place))
  for (; !made.has(folder); folder = dirname(folder)) {
    if (dirname(folder) === folder) throw new NotOurFolderError(place, 'is in no folder that Coppice made')
    above.push(folder)
  }
  if (!isSame(folder)) throw new NotOurFolderError(folder, 'was replaced by another folder')
  for (const one of above.reverse()) {
    const stats = lookAt(one)
    if (stats && !stats.isDirectory()) throw new NotOurFolderError(one, 'was replaced by something else')
  }
  return folder
}

function isSame(folder: string): boolean {
  const [known, stats] = [made.get(folder), lookAt(folder)]
  return known !== undefined && stats?.isDirectory() === true && stats.ino === known.ino && stats.dev === known.dev
}

/** False when that cannot be seen. */
function isMissing(place: string | Buffer): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** What is mounted in a folder of the app is not the app's. Throws `NotOurFolderError` where it cannot be unmounted. */
function requireUnmounted(place: string | Buffer): void {
  const [mounted] = lookAt(place)?.isDirectory() ? unmountBelow(place.toString()) : []
  if (mounted !== undefined)
    throw new NotOurFolderError(
      place.toString(),
      `has another file system at ${mounted} (unmount it: umount ${shellWord(mounted)})`,
    )
}

/** @param root the made folder that holds the place, or is the place */
async function removeAll(place: string, root: string): Promise<void> {
  requireUnmounted(place)
  try {
    await rm(place, { recursive: true, force: true, maxRetries: 2 })
  } catch {
    openUp(place, root)
    raiseDeep(place, root)
    await rm(place, { recursive: true, force: true })
  }
}

/** In bytes. What the system takes for a path, less a name that may follow it. */
const longestPath = 4096 - 256

/**
 * A program that goes down step by step can make folders deeper than a path may be long. What nobody can name there is
 * brought up to the top, again and again, until all of it has a name.
 */
function raiseDeep(place: string | Buffer, root: string): void {
  const top = Buffer.from(place)
  const folders = [top]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (!lookAt(folder)?.isDirectory()) continue
    for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
      if (!entry.isDirectory()) continue
      const below = Buffer.concat([folder, Buffer.from('/'), entry.name])
      if (below.length <= longestPath) folders.push(below)
      else {
        const raised = Buffer.concat([top, Buffer.from(`/${randomUUID()}`)])
        renameSync(below, raised)
        openUp(raised, root)
        folders.push(raised)
      }
    }
  }
}

/** Gives the person back what a command took: an ordinary user can neither read nor remove a folder without it. */
function openUp(place: string | Buffer, root: string): void {
  const folders = [Buffer.from(place)]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const stats = lookAt(folder)
    if (!stats?.isDirectory()) continue
    if ((stats.mode & 0o700) !== 0o700 && !changeMode(folder, root, stats, 0o700)) continue
    for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
      if (entry.isDirectory()) folders.push(Buffer.concat([folder, Buffer.from('/'), entry.name]))
    }
  }
}
