import { mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createPlaceWatcher } from '#adapters/watch/place-watcher.ts'
import { watchModeOf } from '#adapters/watch/watch-mode.ts'
import type { OutsideChange } from '#shared/contract/views/app.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { HostOptions } from '../app/host-options.ts'
import { personFolders } from '../extensions/person-folders.ts'
import { gitFolderOf } from '../project/git-head.ts'
import { loadedFiles } from '../project/project-place.ts'

/** Files and folders below one folder whose changes have the same meaning. */
interface Place {
  readonly folder: string
  readonly paths: readonly string[]
  readonly kind: OutsideChange
}

/** Milliseconds without a change before it is told. Git and editors write several files at once. */
const quietFor = 60

/**
 * Tells what changes on disk beside the journal, for as long as somebody listens: the settings, the files that give
 * agents instructions, and the checked-out branch. Each is a hint to ask again. Begins with a hint of every kind, because
 * what somebody asked for earlier may have changed before the first look.
 *
 * @param rootFolder null without a project, or for a project without a folder
 */
export async function* followOutside(
  options: HostOptions,
  rootFolder: string | null,
  signal: AbortSignal,
): AsyncGenerator<OutsideChange, void> {
  using open = new DisposableStack()
  const waiting = new Set<OutsideChange>()
  let wake = (): void => {}
  let quiet: NodeJS.Timeout | undefined
  const tell = (kind: OutsideChange): void => {
    waiting.add(kind)
    clearTimeout(quiet)
    quiet = setTimeout(() => wake(), quietFor)
  }
  open.defer(() => clearTimeout(quiet))
  signal.addEventListener('abort', () => wake(), { once: true })
  const places = placesFor(options, rootFolder)
  for (const place of places) open.use(watchPlace(options, place, tell))
  yield* new Set(places.map(({ kind }) => kind))
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      wake = resolve
      if (signal.aborted) resolve()
    })
    const kinds = [...waiting]
    waiting.clear()
    if (!signal.aborted) yield* kinds
  }
}

function watchPlace(options: HostOptions, place: Place, tell: (kind: OutsideChange) => void): Disposable {
  const watcher = createPlaceWatcher({
    rootFolder: place.folder,
    mode: watchModeOf(place.folder, options.environment),
    onProblem: (error) => options.log(`Changes in ${place.folder} could not be watched`, error),
  })
  watcher.onChange(() => tell(place.kind))
  watcher.watch(place.paths.map((path) => `/${path}` as VirtualPath))
  return watcher
}

function placesFor(options: HostOptions, rootFolder: string | null): readonly Place[] {
  const { dataFolder, settingsFile } = options
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  const places: Place[] = [
    { folder: dataFolder, paths: ['settings.json', 'servers.json'], kind: 'settings' },
    ...placesOf(options),
  ]
  if (settingsFile !== null && isFolder(dirname(settingsFile))) {
    places.push({ folder: dirname(resolve(settingsFile)), paths: [basename(settingsFile)], kind: 'settings' })
  }
  if (rootFolder === null) return places
  const git = gitFolderOf(rootFolder)
  return [
    ...places,
    { folder: rootFolder, paths: loadedFiles, kind: 'extensions' },
    // A project may become a repository later.
    { folder: rootFolder, paths: ['.git/HEAD'], kind: 'git' },
    ...(git === null || git === join(rootFolder, '.git')
      ? []
      : [{ folder: git, paths: ['HEAD'], kind: 'git' } as const]),
  ]
}

/** The person's own skills and commands. A folder that is made later is seen, when the one above it is there. */
function placesOf(options: HostOptions): readonly Place[] {
  const { skills, commands } = personFolders(options)
  const folders = [...skills, ...commands].filter((folder) => isFolder(dirname(folder)))
  return folders.map((folder) => ({ folder: dirname(folder), paths: [basename(folder)], kind: 'extensions' }))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
