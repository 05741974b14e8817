import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync, unlinkSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BranchMountError, type MountCapture } from '#core/ports/branch-mounts.ts'
import { ancestorsOf, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../system/as-owner.ts'
import type { CommandUser } from '../system/command-user.ts'
import { removeInMade, removeInMadeSync } from '../system/made-folders.ts'
import type { OtherIndex } from '../system/tracked-files.ts'
import { capture } from './capture.ts'
import { indexBelow, indexPlaces, indexWithHidden, putIndex, readIndex } from './git/hide-from-git.ts'
import { fitEnvironment, keepIfRoom, newestUnits, nothingAdded } from './layers/environment.ts'
import type { Layer, LayerStore } from './layers/layer-store.ts'
import { type ShownTime, showTimes, timesAtEnd } from './layers/shown-times.ts'
import { stampWhole, type UnitSurroundings } from './layers/unit-stamps.ts'
import { lookThrough, type Manifest, takeManifest } from './manifest.ts'
import { emptyFolder, ensureFolder, type HoldLayer, makeParts, moveEntry, type OwnerMounts } from './mount-folder.ts'
import { createMountRules, type MountRules, rulesAt, rulesIn, rulesInLayers, writtenIndex } from './mount-rules.ts'
import { asSetup, enterCopy, runInside } from './namespace.ts'
import { overlayPaths } from './overlay-paths.ts'
import { writeOverlay } from './write-overlay.ts'
import { movingFiles, restingFiles } from './written-files.ts'

const kind = 'copy'

/**
 * Mounts as private copies of the project, with copies of what each layer of the environment holds.
 *
 * Where the system has no namespaces, a program may outlive its command and still change what that could. So the app never
 * looks at a copy where programs reach it: it fills and captures the copy in `away`, and only while a command runs the
 * copy stands in `view`. Rights on macOS belong to paths, so a program loses them when the copy moves.
 */
export async function createCopiedMounts(
  folder: string,
  rootFolder: string | null,
  hidden: VirtualPath | null,
  user: CommandUser,
  mostBytes: number,
  store: LayerStore,
): Promise<OwnerMounts> {
  const [away, view] = [join(folder, 'away'), join(folder, 'view')]
  const { kept } = await makeParts(folder, ['kept'])
  const { files, home, tmp } = await makeParts(away, ['files', 'home', 'tmp'])
  /** By the rules in the copy. Layers that are not in it yet are given. */
  const rulesOfView = (indexes = indexOfView(), layers: readonly Layer[] = []) => {
    const read = (path: VirtualPath) => (rulesInLayers(layers, path) ?? { text: rulesIn(join(files, path)) }).text
    return createMountRules(rootFolder, read, indexes)
  }
  /** Read at once and known by its content, because every copy has another file. */
  function indexOfView(): readonly OtherIndex[] {
    const { look, at } = restingFiles(files)
    return writtenIndex(look, at).map((index) => {
      const bytes = index.read()
      return { stamp: createHash('sha256').update(bytes).digest('hex'), read: () => bytes }
    })
  }

  async function bringBack(layers: readonly Layer[], signal: AbortSignal): Promise<void> {
    for (const { layer, path } of newestUnits(layers)) {
      removeInMadeSync(join(files, path))
      if (!isThere(join(layer.files, path))) continue
      asOwner(join(files, path), () => mkdirSync(dirname(join(files, path)), { recursive: true }))
      await copyKept([join(layer.files, path)], dirname(join(files, path)), signal)
    }
    const newest = layers.findLast((layer) => layer.home)
    if (newest) await copyKept([`${newest.homeFiles}/.`], home, signal)
  }
  async function putAway(
    units: ReadonlySet<VirtualPath>,
    hasHome: boolean,
    {
      around,
      hold,
      times,
    }: { readonly around: UnitSurroundings; readonly hold: HoldLayer; readonly times: readonly ShownTime[] },
  ) {
    for (const unit of units) {
      if (!isThere(join(files, unit))) continue
      mkdirSync(dirname(join(kept, unit)), { recursive: true })
      moveEntry(join(files, unit), join(kept, unit))
    }
    const stampOf = (path: VirtualPath) => stampWhole({ files: kept, opaque: new Set() }, path, around)
    const record = {
      units: [...units].map((path) => ({ path, stamp: stampOf(path) })),
      opaque: [],
      home: hasHome,
      kind,
      times,
    } as const
    return store.add({ files: kept, home }, record, hold)
  }
  async function empty(): Promise<void> {
    // Nothing is at `away` after a kill, or when a program removed its own view.
    await takeBack()
    await ensureFolder(away)
    for (const part of [files, tmp, kept, home]) await emptyFolder(part)
  }
  async function takeBack(): Promise<void> {
    if (!isThere(view)) return
    await removeInMade(away)
    moveEntry(view, away)
  }
  return {
    async open({ overlay, environment = [], hiddenFiles = [] }, signal, _sealed, hold) {
      await empty()
      if (rootFolder !== null) await copyTree(rootFolder, files, hidden, signal)
      await writeOverlay(files, overlay, rootFolder, signal)
      const around = { rootFolder, overlay: overlayPaths(overlay) }
      const found = environment.flatMap((id) => store.read(id) ?? [])
      const ruled = rulesOfView(indexOfView(), found)
      const problem = ruled.problem()
      const { layers, evicted, missing } = await fitEnvironment(store, { environment, kind }, ruled, around, hold)
      await bringBack(layers, signal)
      showTimes(files, overlay, layers)
      const lookAtFile = (path: VirtualPath) => lookAsOwner(join(files, path))
      const readPointer = (path: VirtualPath) => asOwner(join(files, path), () => readFileSync(join(files, path)))
      for (const place of indexPlaces(hiddenFiles, lookAtFile, readPointer)) {
        const shownIndex = readIndex(files, place.index, [])
        const person = layers.length === 0 ? shownIndex : indexBelow(place, overlay, rootFolder)
        const index = shownIndex && indexWithHidden(place, shownIndex, person, hiddenFiles)
        if (index) putIndex(files, place, index, rootFolder, lookAtFile(place.index))
      }
      const openedAt = Date.now()
      const indexBefore = indexOfView()
      const before = await takeManifest(files, createEntryPreparer(join(view, 'files'), rootFolder))
      const homeBefore = await takeManifest(home)
      let open = true
      const end = async (keeps: boolean): Promise<Captured> => {
        open = false
        try {
          await takeBack()
          const after = await takeManifest(files)
          const rules = rulesOfView([...indexBefore, ...indexOfView()])
          const captured = await capture({
            files,
            shown: join(view, 'files'),
            rootFolder,
            overlay,
            before,
            after,
            rules,
            mostBytes,
          })
          const lookAt = (path: VirtualPath) => {
            const found = lookAsOwner(join(files, path))
            const byCommand = before.entries.get(path)?.stamp !== after.entries.get(path)?.stamp
            return found && { mtimeMs: found.mtimeMs, byCommand }
          }
          const times = timesAtEnd({ openedAt, overlay, changes: captured.changes, lookAt })
          const units = keeps ? leftOutUnits(before, after, rules) : new Set<VirtualPath>()
          const hasHome = keeps && differ(homeBefore, await takeManifest(home))
          const { added, ...unkept } =
            units.size > 0 || hasHome
              ? await keepIfRoom(() => putAway(units, hasHome, { around, hold, times }))
              : nothingAdded
          return { ...captured, ...unkept, environment: [...layers, ...added].map(({ id }) => id) }
        } finally {
          await empty()
        }
      }
      moveEntry(away, view)
      const shown = join(view, 'files')
      const look = async () => {
        using moving = movingFiles(shown)
        if (!moving) return null
        const after = await lookThrough(moving, before)
        const readRules = (path: VirtualPath) => moving.at(joinPath(path, '.gitignore'), rulesAt)
        const indexes = [...indexBefore, ...writtenIndex(moving.look, moving.at)]
        const rules = createMountRules(rootFolder, readRules, indexes)
        const input = { files: shown, moving, rootFolder, overlay, before, after, rules, mostBytes }
        return (await capture(input)).changes
      }
      return {
        ...{
          folder: shown,
          home: join(view, 'home'),
          temporary: join(view, 'tmp'),
          evicted,
          missing,
          problem,
        },
        enter: (program, confined) => enterCopy(shown, program, confined ? user : { kind: 'person' }),
        look,
        capture: (keeps = true) => end(keeps),
        close: async () => void (open && (await empty())),
      }
    },
  }
}

function differ(before: Manifest, after: Manifest): boolean {
  if (before.entries.size !== after.entries.size) return true
  return [...after.entries].some(([path, { stamp }]) => before.entries.get(path)?.stamp !== stamp)
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
  if (hidden === null) return void (await copy([`${from}/.`], to, signal))
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

/** Also copies folders that a command closed, as far as the system lets their owner into them. */
async function copyKept(sources: readonly string[], to: string, signal: AbortSignal): Promise<void> {
  const closed = await copy(sources, to, signal)
  if (closed && process.platform === 'linux')
    await runInside(asSetup(['cp', ...flagsOfCopy, '--', ...sources, to]), { signal }).catch(() => undefined)
}

const flagsOfCopy = process.platform === 'darwin' ? ['-acn'] : ['-a', '--reflink=auto']

/**
 * Uses the system's own copy program. It is many times faster than ours, shares blocks where the disk can, and keeps
 * links. Resolves to true when a file or folder was closed to this user, and so was left out.
 */
function copy(sources: readonly string[], to: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn('cp', [...flagsOfCopy, '--', ...sources, to], {
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
      } else resolve(/Permission denied/.test(errors))
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
