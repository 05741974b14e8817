import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import type { MountBase } from '../mount-base.ts'

/**
 * The units of a layer, with the repositories of submodules that it wrote to: each is kept in the `.git` around it and has
 * references of its own. `files` is the layer; `shows` is true for a file that its view shows.
 */
export function withSubmodules(
  units: readonly VirtualPath[],
  files: string,
  shows: (path: VirtualPath) => boolean,
): readonly VirtualPath[] {
  return units.flatMap((unit) => (/\/\.git$/i.test(unit) ? [unit, ...submodulesIn(unit, files, shows)] : [unit]))
}

function* submodulesIn(
  repository: VirtualPath,
  files: string,
  shows: (path: VirtualPath) => boolean,
): Generator<VirtualPath> {
  // A name may have slashes, so folders above a repository are none themselves.
  const folders = [joinPath(repository, 'modules')]
  for (const folder of folders) {
    for (const path of foldersIn(files, folder)) {
      if (!shows(joinPath(path, 'HEAD'))) folders.push(path)
      else {
        yield path
        folders.push(joinPath(path, 'modules'))
      }
    }
  }
}

function foldersIn(files: string, folder: VirtualPath): readonly VirtualPath[] {
  const place = join(files, folder)
  if (!lookAsOwner(place)?.isDirectory()) return []
  const entries = asOwner(place, () => readdirSync(place, { withFileTypes: true }))
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => joinPath(folder, name))
}

/** True for what one of the layers has as a file, or else the base. */
export function showsFile(layers: readonly { readonly files: string }[], base: MountBase) {
  return (path: VirtualPath): boolean => {
    const found = layers.toReversed().flatMap(({ files }) => lookAsOwner(join(files, path)) ?? [])[0]
    return found ? found.isFile() : base.at(path)?.kind === 'file'
  }
}
