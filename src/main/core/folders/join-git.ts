import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import {
  byFolder,
  eachFolder,
  folderWith,
  type InFolder,
  othersOf,
  pathFrom,
  pathIn,
} from '../paths/project-folders.ts'
import type { GitDelivery } from '../ports/git-delivery.ts'
import type { GitStorage, StoredFile, WorkingFile, WorkingFiles } from '../ports/git-storage.ts'

interface FolderStorage extends InFolder {
  readonly storage: GitStorage
}

interface FolderDelivery extends FolderStorage {
  readonly delivery: GitDelivery
}

/** Knows how git stores the files of several folders. Each folder beside the first one counts as a repository of its own. */
export function joinStorages(folders: readonly [FolderStorage, ...FolderStorage[]]): GitStorage {
  const [first] = folders
  if (folders.length === 1) return first.storage
  return {
    async innerRepositories(paths) {
      const found = new Set(othersOf(folders).map(({ root }) => bare(root)))
      for (const [folder, own] of byFolder(folders, paths, absolute)) {
        const inner = await folder.storage.innerRepositories(own.map((path) => bare(pathIn(folder, absolute(path)))))
        for (const one of inner) found.add(bare(pathFrom(folder, absolute(one))))
      }
      return found
    },
    async store(working) {
      const folder = folderWith(folders, absolute(working.repository))
      if (folder === first) return first.storage.store(working)
      const stored = await folder.storage.store(workingIn(folder, working))
      if (stored === null) return null
      const outer = (files: ReadonlyMap<string, StoredFile>) =>
        new Map([...files].map(([path, file]) => [bare(pathFrom(folder, absolute(path))), file]))
      const { uncommitted } = stored
      return {
        ...stored,
        before: outer(stored.before),
        after: outer(stored.after),
        uncommitted:
          uncommitted && new Map([...uncommitted].map(([path, how]) => [bare(pathFrom(folder, absolute(path))), how])),
      }
    },
  }
}

function workingIn(folder: InFolder, { repository, before, after, attributes }: WorkingFiles): WorkingFiles {
  const inner = (path: string) => bare(pathIn(folder, absolute(path)))
  const files = (all: readonly WorkingFile[]) =>
    all.map((file) => ({
      ...file,
      path: inner(file.path),
      ...(file.renamedFrom !== undefined && { renamedFrom: inner(file.renamedFrom) }),
    }))
  const texts = (all: ReadonlyMap<string, Uint8Array>) =>
    new Map([...all].flatMap(([path, text]) => (path.startsWith(`${bare(folder.root)}/`) ? [[inner(path), text]] : [])))
  return {
    repository: inner(repository),
    before: files(before),
    after: files(after),
    attributes: { before: texts(attributes.before), after: texts(attributes.after) },
  }
}

/** Delivers to the repositories of several folders. */
export function joinDeliveries(folders: readonly [FolderDelivery, ...FolderDelivery[]]): GitDelivery {
  const [first] = folders
  if (folders.length === 1) return first.delivery
  const placeOf = (repository: string) => {
    const folder = folderWith(folders, absolute(repository))
    return { folder, git: folder.delivery, repository: bare(pathIn(folder, absolute(repository))) }
  }
  return {
    // What is asked about a repository that was opened names it by its place on disk.
    ...first.delivery,
    find(repository) {
      const place = placeOf(repository)
      return place.git.find(place.repository)
    },
    async open(wanted) {
      const { folder, git, repository } = placeOf(wanted.repository)
      const opened = await git.open({ ...wanted, repository })
      // It is asked about paths of the project, also about those of other folders.
      const storageOf = (one: FolderDelivery) => (one === folder ? opened.storage : one.storage)
      return {
        ...opened,
        storage: joinStorages(eachFolder(folders, (one) => ({ root: one.root, storage: storageOf(one) }))),
      }
    },
    withdraw(moved) {
      const { git, repository } = placeOf(moved.repository)
      return git.withdraw({ ...moved, repository })
    },
  }
}

function absolute(path: string): VirtualPath {
  return path === '' ? rootPath : (`/${path}` as VirtualPath)
}

function bare(path: VirtualPath): string {
  return path.slice(1)
}
