import { readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import { removeInMadeSync } from '../../system/made-folders.ts'
import { makePlain } from '../layers/layer-folders.ts'

/**
 * Git names an object by its content, so a layer that hides one can only make a repository worse: what the person commits
 * later may be in a folder that `git gc` of a command removed, or that a command made. So no layer hides objects. Those that
 * a command removed are in its packs, or nothing in its view leads to them.
 */
export function isObjectPath(path: VirtualPath): boolean {
  return /\/\.git\/(?:modules\/.+\/)?objects(?:\/|$)/i.test(path)
}

/** Takes the marks of an overlay away that hide objects, from an upper layer with these repositories. */
export function showObjects(upper: string, repositories: readonly VirtualPath[]): void {
  const show = (folder: VirtualPath): void => {
    if (!lookAsOwner(join(upper, folder))?.isDirectory()) return
    for (const name of namesAt(upper, folder)) {
      const path = joinPath(folder, name)
      const stats = lookAsOwner(join(upper, path))
      if (stats?.isDirectory()) show(path)
      else if (stats && isWhiteout(stats)) removeInMadeSync(join(upper, path))
    }
    makePlain(upper, folder)
  }
  for (const repository of repositories) for (const folder of objectFolders(upper, repository)) show(folder)
}

/** The folders with objects, below `upper`, of a repository and of the submodules that it keeps. */
export function* objectFolders(upper: string, repository: VirtualPath): Generator<VirtualPath> {
  // A link leads to a repository elsewhere.
  if (!lookAsOwner(join(upper, repository))?.isDirectory()) return
  const objects = joinPath(repository, 'objects')
  if (lookAsOwner(join(upper, objects))?.isDirectory()) yield objects
  yield* objectsBelow(upper, joinPath(repository, 'modules'))
}

function* objectsBelow(upper: string, folder: VirtualPath): Generator<VirtualPath> {
  for (const name of namesAt(upper, folder)) {
    const path = joinPath(folder, name)
    if (isObjectPath(path)) yield path
    else yield* objectsBelow(upper, path)
  }
}

function namesAt(upper: string, folder: VirtualPath): readonly string[] {
  const place = join(upper, folder)
  return lookAsOwner(place)?.isDirectory() ? asOwner(place, () => readdirSync(place)) : []
}

function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0
}
