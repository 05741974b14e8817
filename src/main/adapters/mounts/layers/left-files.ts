import { readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { LeftFile } from '#core/ports/branch-mounts.ts'
import { isWithin, joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../../pace.ts'
import { asOwner, lookAsOwner } from '../../system/as-owner.ts'
import type { Manifest } from '../manifest.ts'
import { pathBelow, restingFiles } from '../written-files.ts'
import type { LeftOut } from './copied-layers.ts'
import type { Layer } from './layer-store.ts'

/** Where the home of commands is among the names of what they left. */
const homeName = '~'

/**
 * What the newest layer of an overlay holds: all that programs left, and the marks of what they removed. `older` are the layers
 * below it. Only the kernel knows which of its folders hide what those have; `findHiding` asks it.
 */
export async function leftInLayer(
  { files, home, homeFiles, opaque, units }: Layer,
  older: readonly Pick<Layer, 'files'>[],
  findHiding: () => Promise<ReadonlySet<VirtualPath>>,
): Promise<readonly LeftFile[]> {
  const isOfUnit = (path: VirtualPath) => units.some((unit) => isWithin(path, unit.path))
  const folders: VirtualPath[] = []
  const left = await filesBelow(files, '', folders)
  const mayHide = new Set(folders.filter((folder) => older.some((one) => hasMore(one.files, files, folder))))
  const hiding = mayHide.size === 0 ? [] : [...(await findHiding())].filter((folder) => mayHide.has(folder))
  // Such a folder hides all that was in it.
  const replaced = [...new Set([...opaque.filter(isOfUnit), ...hiding])]
  return [
    ...left,
    ...(home ? await filesBelow(homeFiles, homeName) : []),
    ...replaced.map((path) => ({ path: `${path}/`, isGone: true, isProgram: false })),
  ]
}

/** True for one file of the project's folder, as opposed to one of the home and to a whole folder. */
export function isOfFiles({ path }: LeftFile): boolean {
  return !path.startsWith(homeName) && !path.endsWith('/')
}

/** True when the folder has a name in the older layer that it lacks in the newer one. */
function hasMore(older: string, newer: string, folder: VirtualPath): boolean {
  const below = restingFiles(older)
  if (!below.look(folder)?.isDirectory()) return false
  const own = new Set(restingFiles(newer).names(folder).map(String))
  return below.names(folder).some((name) => !own.has(String(name)))
}

/** How many entries are looked at before others get a turn. */
const atOnce = 64
/** A name of plain characters, in a folder whose path is not long, is the end of its path. Nearly all are. */
const plainName = /^[ -~]{1,255}$/
const plainFolder = 256

/**
 * Adds the folders that it walks through to `walked`. What the kernel says of each entry is most of the cost, so little is done
 * beside it: commands leave tens of thousands.
 */
async function filesBelow(folder: string, name: string, walked: VirtualPath[] = []): Promise<readonly LeftFile[]> {
  const [found, pace] = [[] as LeftFile[], createPace()]
  const folders: VirtualPath[] = [rootPath]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const place = join(folder, next)
    const isShort = next.length <= plainFolder
    const names = asOwner(place, () => readdirSync(place, { encoding: 'latin1' }))
    for (const [count, one] of names.entries()) {
      const named =
        isShort && plainName.test(one) ? { path: joinPath(next, one) } : pathBelow(next, Buffer.from(one, 'latin1'))
      const stats = 'path' in named ? lookAsOwner(`${folder}${named.path}`) : undefined
      if ('path' in named && stats?.isDirectory()) {
        folders.push(named.path)
        walked.push(named.path)
      } else found.push(leftAt(name, 'path' in named ? named.path : named.not.path, stats))
      if (count % atOnce === 0) await pace()
    }
  }
  return found
}

/** Nobody knows what an entry without a name of its own is. */
function leftAt(name: string, path: string, stats: Stats | undefined): LeftFile {
  const isGone = stats?.isCharacterDevice() === true && stats.rdev === 0
  return { path: `${name}${path}`, isGone, isProgram: !isGone && (stats === undefined || canRun(stats)) }
}

function canRun(stats: Stats): boolean {
  return stats.isFile() && (stats.mode & 0o111) !== 0
}

/** The same where views are copies: compares ignored files and the home with what they were before the programs ran. */
export function leftInCopy(
  { written, removed, unnamed }: LeftOut,
  { entries: after }: Manifest,
  home: { readonly before: Manifest; readonly after: Manifest },
): readonly LeftFile[] {
  const describe = (entries: Manifest['entries'], name: string) => (path: VirtualPath) => {
    const entry = entries.get(path)
    if (entry?.kind === 'directory') return []
    return [
      {
        path: `${name}${path}`,
        isGone: entry === undefined,
        isProgram: entry?.kind === 'file' && (entry.mode & 0o100) !== 0,
      },
    ]
  }
  const all = new Set([...home.before.entries.keys(), ...home.after.entries.keys()])
  const changed = [...all].filter(
    (path) => home.before.entries.get(path)?.stamp !== home.after.entries.get(path)?.stamp,
  )
  const inHome = changed.filter(
    (path) => home.before.entries.get(path)?.kind !== 'directory' || home.after.entries.has(path),
  )
  return [
    ...[...written, ...removed].flatMap(describe(after, '')),
    ...unnamed.map(({ not }) => leftAt('', not.path, undefined)),
    ...inHome.flatMap(describe(home.after.entries, homeName)),
  ]
}
