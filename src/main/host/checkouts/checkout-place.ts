import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { lookAt } from '#adapters/system/look-at.ts'
import { textIfReadable } from '#adapters/system/read-bounded.ts'
import { createOverlayTree, readGitRules, type Tree } from '#overlay'
import { WireError } from '#shared/contract/wire-errors.ts'
import { joinPath, rootPath } from '#shared/model/virtual-path.ts'
import { formatBytes } from '#shared/text/format.ts'
import { type CheckoutSources, placesOf } from './open-checkout.ts'

/** A folder that a person chose for a checkout, which is missing or empty. Absolute. Throws a refusal otherwise. */
export async function requireFree(
  project: Pick<CheckoutSources, 'rootFolder' | 'services' | 'ownFolder'>,
  wanted: string,
  tree: Tree,
): Promise<string> {
  if (!isAbsolute(wanted)) throw new WireError('BAD_REQUEST', `${wanted} is no absolute path.`)
  const above = dirname(resolve(wanted))
  if (lookAt(above)?.isDirectory() !== true && !existsSync(above))
    throw new WireError('REFUSED', `There is no folder ${above}. Make it first, or choose another place.`)
  const folder = join(realpathSync.native(above), basename(resolve(wanted)))
  const there = lookAt(folder)
  if (there && !there.isDirectory())
    throw new WireError('REFUSED', `${folder} exists and is no folder. Choose another place.`)
  if (there && readdirSync(folder).length > 0 && wasCutOff(project, folder))
    throw new WireError(
      'REFUSED',
      `${folder} is the half of a checkout that ended with the app. Remove it, with "git worktree remove --force --force" where there is a repository, and try again.`,
    )
  if (there && readdirSync(folder).length > 0)
    throw new WireError('REFUSED', `${folder} is not empty. Choose a folder that does not exist yet, or an empty one.`)
  await requireOutside(project, folder, tree)
  return folder
}

/** True for what the app was making when it was killed, as long as something of it is there. A person may have worked in it since. */
export function isCutOff({ making }: Pick<ReturnType<typeof placesOf>, 'making'>): boolean {
  const folder = textIfReadable(making)
  return folder !== undefined && existsSync(folder)
}

function wasCutOff(sources: Pick<CheckoutSources, 'ownFolder'>, folder: string): boolean {
  const ids = existsSync(sources.ownFolder) ? readdirSync(sources.ownFolder) : []
  return ids.some((id) => textIfReadable(placesOf(sources, id).making) === folder)
}

async function requireOutside(
  { rootFolder, services }: Pick<CheckoutSources, 'rootFolder' | 'services'>,
  folder: string,
  tree: Tree,
): Promise<void> {
  const inside = rootFolder === null ? '..' : relative(rootFolder, folder)
  if (rootFolder === null || inside.startsWith('..') || isAbsolute(inside)) return
  const path = joinPath(rootPath, inside.split(sep).join('/'))
  const rules = await readGitRules(services.base, createOverlayTree({ ...services, tree }), [path])
  if (!rules.isLeftOut(path, true))
    throw new WireError(
      'REFUSED',
      `${folder} is inside the project, so its files would count as files of the project. Choose a place beside it, or one that .gitignore names.`,
    )
}

/** Refuses when the disk has no room for so many bytes. `folder` may be missing. */
export function requireRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(existsSync(folder) ? folder : dirname(folder))
  if (bytes > bavail * bsize)
    throw new WireError(
      'REFUSED',
      `The files need ${formatBytes(bytes)}, and ${formatBytes(bavail * bsize)} are free at ${folder}. Make room, or choose another disk.`,
    )
}

/** Leaves an empty folder behind where one was. */
export function emptyAgain(folder: string, wasThere: boolean): void {
  rmSync(folder, { recursive: true, force: true })
  if (wasThere) mkdirSync(folder)
}

/** The folder with links resolved. Throws a refusal when it is gone. */
export function requireThere(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return realpathSync.native(folder)
  throw new WireError(
    'NOT_FOUND',
    `The folder ${folder} is gone, so nothing can be taken from it. Close the checkout to forget it.`,
  )
}
