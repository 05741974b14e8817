import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/**
 * Why a file that a person asked for cannot be written, as a sentence. Null when it can. A repository can hold a link
 * with the name that the person gives, and tools obey files in hidden folders such as `.git`. `rootFolder` is the
 * project's folder; null for a scratch workspace.
 */
export function findResultProblem(file: string, rootFolder: string | null): string | null {
  const place = resolve(file)
  if (isDevice(place)) return null
  if (!existsSync(dirname(place))) return `there is no folder ${dirname(file)}.`
  const inside = rootFolder === null ? [] : partsInside(rootFolder, place)
  const link = inside.slice(0, -1).find(({ path }) => isLink(path)) ?? (isLink(place) ? { path: place } : undefined)
  if (link) return `${link.path} is a link. Name a file that is not reached through a link.`
  const hidden = inside.slice(0, -1).find(({ name }) => name.startsWith('.'))
  if (hidden) return `${hidden.path} is a hidden folder of the project. Name a file outside it.`
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory()) return `${file} is a folder. Name a file.`
  return null
}

/**
 * Writes a file that a person asked for: the whole content or nothing, and never through a link. Throws an `Error` with
 * the sentence of `findResultProblem`.
 */
export async function writeResult(file: string, content: string | Uint8Array, rootFolder: string | null) {
  const problem = findResultProblem(file, rootFolder)
  if (problem !== null) throw new Error(`${basename(file)} was not written: ${problem}`)
  if (isDevice(resolve(file))) return writeDevice(file, content)
  await replaceFile(resolve(file), content)
}

/** Replaces a file through a temporary one beside it. A link in its place is replaced, not followed. */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await using handle = await open(temporary, 'wx')
    await handle.writeFile(content)
    const before = lstatSync(file, { throwIfNoEntry: false })
    if (before?.isFile()) await handle.chmod(before.mode & 0o777)
    await handle.sync()
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function writeDevice(file: string, content: string | Uint8Array): Promise<void> {
  await using handle = await open(file, 'w')
  await handle.writeFile(content)
}

/** True for `/dev/stdout`, `/dev/fd/63` and the like, which a shell may pass. No repository holds them. */
function isDevice(place: string): boolean {
  return process.platform !== 'win32' && place.startsWith('/dev/') && !place.startsWith('/dev/shm/')
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** The folders and the file on the way from the project's folder to a place in it. Empty when it is not in it. */
function partsInside(rootFolder: string, place: string): readonly { readonly name: string; readonly path: string }[] {
  const real = realpathSync.native(rootFolder)
  // The person may name the folder itself through a link. What comes below it must not be one.
  const roots = [...new Set([resolve(rootFolder), real])]
  const root = roots.find((one) => isBelow(one, place)) ?? rootAbove(place, real)
  if (root === undefined) return []
  const names = relative(root, place).split(sep)
  return names.map((name, at) => ({ name, path: join(root, ...names.slice(0, at + 1)) }))
}

/** The folder above `place` that is really the project's folder, by another name. */
function rootAbove(place: string, real: string): string | undefined {
  for (let above = dirname(place); above !== dirname(above); above = dirname(above)) {
    if (existsSync(above) && realpathSync.native(above) === real) return above
  }
  return undefined
}

function isBelow(root: string, place: string): boolean {
  const path = relative(root, place)
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}
