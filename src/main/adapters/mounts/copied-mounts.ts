import { spawn } from 'node:child_process'
import { lstatSync, mkdirSync, readlinkSync, realpathSync, symlinkSync, unlinkSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BranchMountError, type MountCapture } from '#core/ports/branch-mounts.ts'
import { ancestorsOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../system/as-owner.ts'
import type { CommandUser } from '../system/command-user.ts'
import { removeInMadeSync } from '../system/made-folders.ts'
import { capture } from './capture.ts'
import { createKeptUnits } from './kept-units.ts'
import { type Manifest, takeManifest } from './manifest.ts'
import { emptyFolder, ensureFolder, makeParts, moveEntry, type OwnerMounts } from './mount-folder.ts'
import { createMountRules, type MountRules, rulesIn } from './mount-rules.ts'
import { enterCopy } from './namespace.ts'
import { differingPaths, type OverlayPaths, overlayPaths } from './overlay-paths.ts'
import { writeOverlay } from './write-overlay.ts'

/** Mounts as private copies of the project. Only a mount's ignored files and `.git` are kept for the next one. */
export async function createCopiedMounts(
  folder: string,
  rootFolder: string | null,
  hidden: VirtualPath | null,
  user: CommandUser,
  mostBytes: number,
): Promise<OwnerMounts> {
  const { files, home, tmp, kept } = await makeParts(folder, ['files', 'home', 'tmp', 'kept'])
  const units = createKeptUnits(kept, rootFolder)
  const rulesOfView = () => createMountRules(rootFolder, (path) => rulesIn(join(files, path)))
  let known: OverlayPaths = new Map()
  let keptNow: readonly VirtualPath[] = []

  function putAway(before: Manifest, after: Manifest, rules: MountRules): void {
    const touched = leftOutUnits(before, after, rules)
    keptNow = [...new Set([...keptNow, ...touched])]
    for (const unit of keptNow) {
      if (!isThere(join(files, unit))) continue
      mkdirSync(dirname(join(kept, unit)), { recursive: true })
      moveEntry(join(files, unit), join(kept, unit))
    }
    units.replace(keptNow, new Set())
  }
  function bringBack(): void {
    for (const unit of keptNow) {
      removeInMadeSync(join(files, unit))
      if (!isThere(join(kept, unit))) continue
      asOwner(join(files, unit), () => mkdirSync(dirname(join(files, unit)), { recursive: true }))
      moveEntry(join(kept, unit), join(files, unit))
    }
  }
  async function empty(): Promise<void> {
    for (const part of [files, kept]) await emptyFolder(part)
    keptNow = []
    units.replace([], new Set())
  }
  return {
    async open(overlay, signal) {
      for (const part of [files, tmp]) await emptyFolder(part)
      await ensureFolder(home)
      if (rootFolder !== null) await copyTree(rootFolder, files, hidden, signal)
      await writeOverlay(files, overlay, rootFolder, signal)
      const changed = differingPaths(known, overlayPaths(overlay))
      known = overlayPaths(overlay)
      const stale = new Set(units.takeStale([...changed], rulesOfView()))
      for (const unit of stale) removeInMadeSync(join(kept, unit))
      keptNow = keptNow.filter((unit) => !stale.has(unit))
      bringBack()
      const before = await takeManifest(files, createEntryPreparer(files, rootFolder))
      let open = true
      const end = async (): Promise<Captured> => {
        open = false
        const after = await takeManifest(files)
        const rules = rulesOfView()
        try {
          return await capture({ files, rootFolder, overlay, before, after, rules, mostBytes })
        } finally {
          putAway(before, after, rules)
          await emptyFolder(files)
        }
      }
      return {
        ...{ folder: files, home, temporary: tmp, evicted: [...stale], capture: end },
        enter: (program, confined) => enterCopy(files, program, confined ? user : { kind: 'person' }),
        async empty() {
          open = false
          await empty()
        },
        close: async () => void (open && (await end().catch(() => undefined))),
      }
    },
  }
}

/** A link counts, also one that leads nowhere. */
function isThere(location: string): boolean {
  return lookAsOwner(location) !== undefined
}

type Captured = Omit<MountCapture, 'placeChanges'>

/** The topmost ignored paths at which a command changed something. */
function leftOutUnits(before: Manifest, after: Manifest, rules: MountRules): ReadonlySet<VirtualPath> {
  const units = new Set<VirtualPath>()
  for (const [path, entry] of [...before.entries, ...after.entries]) {
    if (before.entries.get(path)?.stamp === after.entries.get(path)?.stamp) continue
    const isLeftOut = (one: VirtualPath) => rules.isLeftOut(one, one !== path || entry.kind === 'directory')
    const unit = [path, ...ancestorsOf(path)].filter(isLeftOut).at(-1)
    if (unit) units.add(unit)
  }
  return units
}

/** Keeps a command line well below the limits of systems. */
const mostSources = 500

/** Copies the content of one folder into an existing one, except the path `hidden` below it. Null hides nothing. */
async function copyTree(from: string, to: string, hidden: string | null, signal: AbortSignal): Promise<void> {
  if (process.platform === 'win32') {
    const left = hidden === null ? undefined : join(from, hidden)
    return cp(from, to, { recursive: true, verbatimSymlinks: true, filter: (source) => source !== left })
  }
  if (hidden === null) return copy([`${from}/.`], to, signal)
  const [first = '', ...rest] = hidden.split('/').filter(Boolean)
  const names = (await readdir(from)).filter((name) => name !== first)
  for (let at = 0; at < names.length; at += mostSources) {
    const sources = names.slice(at, at + mostSources).map((name) => `${from}/${name}`)
    await copy(sources, to, signal)
  }
  if (rest.length === 0) return
  const [inner, copied] = [join(from, first), join(to, first)]
  await mkdir(copied)
  await copyTree(inner, copied, rest.join('/'), signal)
  await chmod(copied, (await stat(inner)).mode & 0o777)
}

/**
 * Uses the system's own copy program. It is many times faster than ours, shares blocks where the disk can, and keeps
 * links.
 */
function copy(sources: readonly string[], to: string, signal: AbortSignal): Promise<void> {
  const flags = process.platform === 'darwin' ? ['-acn'] : ['-a', '--reflink=auto']
  return new Promise((resolve, reject) => {
    const child = spawn('cp', [...flags, '--', ...sources, to], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { LC_ALL: 'C' },
    })
    let errors = ''
    const stop = () => child.kill('SIGKILL')
    signal.addEventListener('abort', stop, { once: true })
    child.stderr.on('data', (chunk: Buffer) => {
      if (errors.length < 10_000) errors += chunk.toString()
    })
    child.on('error', (error) =>
      reject(new BranchMountError('failed', `The files could not be copied: ${error.message}`)),
    )
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) reject(signal.reason)
      else if (code !== 0 && /No space left|Disk quota/.test(errors)) {
        reject(
          new BranchMountError(
            'no_space',
            'There is not enough space for a copy of the project to run the command in.',
          ),
        )
      } else resolve()
    })
  })
}

/**
 * Makes a copied entry safe to work with. It removes FIFOs, sockets and devices, since opening one can hang a command.
 *
 * An absolute link into the project would lead writes into the real folder, so it is redirected to the same place in
 * the copy.
 */
function createEntryPreparer(viewFiles: string, rootFolder: string | null): (location: string) => void {
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
