import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MountStrategy } from '#core/ports/branch-mounts.ts'
import { findCommandUser } from '../system/command-user.ts'
import { removeInMade } from '../system/made-folders.ts'
import { systemProgram } from '../system/system-programs.ts'
import { makeParts } from './mount-folder.ts'
import { enterLayers, runInside } from './namespace.ts'

/**
 * Finds the cheapest strategy that works here. The test does what mounts do: copy up, delete, make a folder again,
 * list.
 */
export async function probeMeans(mountsFolder: string, rootFolder: string | null): Promise<MountStrategy> {
  const folder = join(mountsFolder, 'probe')
  try {
    if (process.platform === 'linux') await tryOverlay(folder, rootFolder)
    else throw new Error(`${process.platform} has no overlay mounts`)
    return {
      kind: 'overlay',
      reason: 'Views are overlay mounts over the project: nothing is copied but files of other users and groups.',
    }
  } catch (error) {
    const why = `Overlay mounts do not work here (${error instanceof Error ? error.message : String(error)}).`
    return (await clones(folder, rootFolder))
      ? { kind: 'clone', reason: `${why} The file system clones files, so a view takes no space of its own.` }
      : { kind: 'copy', reason: `${why} Each view is a full copy of the project.` }
  } finally {
    await removeInMade(folder).catch(() => undefined)
  }
}

async function tryOverlay(folder: string, rootFolder: string | null): Promise<void> {
  const home = ['home', 'home-upper', 'home-work', 'home-base'] as const
  const { branch, layers } = await makeParts(folder, [
    'base',
    'files',
    'work',
    'branch',
    'upper',
    'layers',
    'stack',
    ...home,
  ])
  await mkdir(join(branch, 'folder'))
  await writeFile(join(branch, 'folder/gone'), '')
  await writeFile(join(branch, 'changed'), 'a')
  const script = 'echo b >> changed && rm -r folder && mkdir folder && [ -z "$(ls folder)" ] && ls . > /dev/null'
  const mount = { folder, rootFolder, layersFolder: layers, stacked: { files: 0, home: 0 } }
  const user = await findCommandUser()
  await runInside(enterLayers(mount, [systemProgram('sh'), '-c', script], user))
  // A folder made again over one below must still be empty in the next mount.
  const again = '[ -z "$(ls folder)" ] && [ "$(cat changed)" = ab ]'
  await runInside(enterLayers(mount, [systemProgram('sh'), '-c', again], { kind: 'person' }))
}

async function clones(folder: string, rootFolder: string | null): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true })
    const sample = join(folder, 'sample')
    await writeFile(sample, 'sample')
    const source = (rootFolder === null ? undefined : await anyFile(rootFolder)) ?? sample
    await copyFile(source, join(folder, 'clone'), constants.COPYFILE_FICLONE_FORCE)
    return rootFolder === null || (await lstat(rootFolder)).dev === (await lstat(folder)).dev
  } catch {
    return false
  }
}

async function anyFile(folder: string): Promise<string | undefined> {
  const file = (await readdir(folder, { withFileTypes: true })).find((entry) => entry.isFile())
  return file && join(folder, file.name)
}
