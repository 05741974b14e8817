import { chmodSync, statSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Parts of a pack in the order in which git wants them: without its index, git does not see a pack. */
const packParts = ['.keep', '.pack', '.rev', '.mtimes', '.idx']

/**
 * Copies the objects of one repository into the folder of objects of another one. Each file is there as a whole or not at all, because
 * it gets its name last; until then it has one that git's own cleaning removes. They are copies, so that their group and labels
 * are those of the folder. What is there when it fails are whole objects that nothing needs, as git itself leaves them.
 */
export async function keepObjects(from: string, to: string): Promise<void> {
  const packs = await readdir(join(from, 'pack')).catch(() => [])
  const inOrder = packs.filter((name) => /^pack-[0-9a-f]+\.\w+$/.test(name)).sort((a, b) => placeOf(a) - placeOf(b))
  await keepFiles(join(from, 'pack'), join(to, 'pack'), inOrder, true)
  for (const folder of (await readdir(from)).filter((name) => /^[0-9a-f]{2}$/.test(name)))
    await keepFiles(join(from, folder), join(to, folder), await readdir(join(from, folder)), false)
}

function placeOf(name: string): number {
  return packParts.findIndex((end) => name.endsWith(end))
}

async function keepFiles(from: string, to: string, names: readonly string[], isPack: boolean): Promise<void> {
  if (names.length === 0) return
  const made = await mkdir(to, { recursive: true })
  // Git chose it by the settings of the repository, as for one that several people share.
  if (made !== undefined) chmodSync(to, (statSync(to).mode & 0o7000) | (statSync(from).mode & 0o777))
  const files = names.map((name) => ({
    ...{ from: join(from, name), place: join(to, name) },
    waiting: join(to, `tmp_${isPack ? 'pack' : 'obj'}_${name}`),
  }))
  const kept: string[] = []
  try {
    const copied = await Promise.allSettled(files.map((file) => copyWhole(file, isPack)))
    for (const one of copied) if (one.status === 'rejected') throw one.reason
    for (const { waiting, place } of files) {
      // An object that is there already has the same content, and gets a new time, so that git's cleaning leaves it alone.
      await rename(waiting, place)
      kept.push(place)
    }
  } catch (error) {
    for (const { waiting } of files) await rm(waiting, { force: true })
    // Nobody sees a pack before its index.
    if (isPack) for (const place of kept.filter((one) => !kept.includes(indexOf(one)))) await rm(place, { force: true })
    throw error
  }
}

function indexOf(part: string): string {
  return part.replace(/\.\w+$/, '.idx')
}

interface KeptFile {
  readonly from: string
  /** Its name until it is whole. */
  readonly waiting: string
}

/** Git syncs packs as well. */
async function copyWhole({ from, waiting }: KeptFile, isPack: boolean): Promise<void> {
  await copyFile(from, waiting)
  if (!isPack) return
  const opened = await open(waiting, 'r')
  await opened.sync().finally(() => opened.close())
}
