import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ancestorsOf, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAt, namesIn } from '../../system/look-at.ts'
import { hidePaths } from '../layers/layer-folders.ts'
import { showModeOf } from '../mount-folder.ts'

/**
 * True for a file of a repository that is there only while a git is at work: a lock, half an object or pack, the number of a
 * process. That of the person guards or builds the person's files. Programs of a view write to other ones, and it would stop
 * their git long after the person's has ended.
 */
export function isOfGitAtWork(path: string): boolean {
  const [, below] = /\/\.git\/(.+)$/.exec(path) ?? []
  return (
    below !== undefined && !/^(?:hooks|lfs)\//.test(below) && /(?:\.lock|(?:^|\/)(?:gc\.pid|tmp_[^/]+))$/.test(below)
  )
}

/** A layer of marks that hides them in overlay mounts. Objects stay: nobody waits for half of one. */
export interface HiddenLocks {
  /** Hides those that are there, and all that are usual. Does nothing most times. */
  update(): Promise<void>
  /** The folder of the layer. Null where the project has no repository of its own. */
  folder(): string | null
}

/**
 * A kernel goes on showing a file that was removed below a mount, so these are hidden before there is one. `gc.pid` and the locks of
 * what git writes most often; that of a branch is hidden when it is seen, or is the one that is checked out.
 */
const usual = ['index', 'HEAD', 'config', 'packed-refs', 'shallow', 'ORIG_HEAD', 'FETCH_HEAD', 'MERGE_HEAD', 'gc.pid']
  .map((name) => `${name}.lock`)
  .concat('gc.pid')

/** `place` is inside a made folder and need not exist. */
export function createHiddenLocks(place: string, rootFolder: string | null): HiddenLocks {
  const hidden = new Set<VirtualPath>()
  let updating: Promise<void> = Promise.resolve()
  const isThere = () => rootFolder !== null && lookAt(join(rootFolder, '.git'))?.isDirectory() === true
  async function hideNew(): Promise<void> {
    if (rootFolder === null || !isThere()) return
    // Somebody may have removed it.
    if (!lookAt(place)) hidden.clear()
    const wanted = [...repositoriesIn(rootFolder, '/.git' as VirtualPath)].flatMap((repository) => [
      ...usual.map((name) => joinPath(repository, name)),
      ...locksIn(rootFolder, repository),
    ])
    const fresh = [...new Set(wanted)].filter((path) => !hidden.has(path))
    await hidePaths(place, fresh)
    for (const path of fresh) hidden.add(path)
    // A mount shows the permissions of the topmost layer.
    for (const folder of new Set([...hidden].flatMap(ancestorsOf)))
      showModeOf(join(rootFolder, folder), join(place, folder))
  }
  return {
    update() {
      // Without the marks git sees what it sees in the folder.
      updating = updating.then(hideNew).catch(() => undefined)
      return updating
    },
    folder: () => (hidden.size > 0 && isThere() && lookAt(place) ? place : null),
  }
}

/** The repository of the project and those of its submodules. */
function* repositoriesIn(rootFolder: string, folder: VirtualPath): Generator<VirtualPath> {
  if (lookAt(join(rootFolder, folder, 'HEAD'))?.isFile()) {
    yield folder
    if (lookAt(join(rootFolder, folder, 'modules'))) yield* repositoriesIn(rootFolder, joinPath(folder, 'modules'))
    return
  }
  for (const name of namesIn(join(rootFolder, folder))) yield* repositoriesIn(rootFolder, joinPath(folder, name))
}

function* locksIn(rootFolder: string, repository: VirtualPath): Generator<VirtualPath> {
  for (const name of namesIn(join(rootFolder, repository)))
    if (isOfGitAtWork(joinPath(repository, name))) yield joinPath(repository, name)
  yield* locksBelow(rootFolder, joinPath(repository, 'refs'))
}

function* locksBelow(rootFolder: string, folder: VirtualPath): Generator<VirtualPath> {
  for (const entry of entriesIn(join(rootFolder, folder))) {
    const path = joinPath(folder, entry.name)
    if (entry.isDirectory()) yield* locksBelow(rootFolder, path)
    else if (isOfGitAtWork(path)) yield path
  }
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
