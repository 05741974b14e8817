import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { copyTree } from './copy-tree.ts'

/** A private copy of the project for one command, with a home and a temporary folder of its own. */
export interface View extends AsyncDisposable {
  readonly files: string
  readonly home: string
  readonly temporary: string
}

export async function createView(
  viewsFolder: string,
  rootFolder: string | null,
  hidden: VirtualPath | null,
  signal: AbortSignal,
): Promise<View> {
  const folder = join(viewsFolder, randomUUID())
  const view = {
    files: join(folder, 'files'),
    home: join(folder, 'home'),
    temporary: join(folder, 'tmp'),
    [Symbol.asyncDispose]: () => removeTree(folder),
  }
  try {
    for (const part of [view.files, view.home, view.temporary]) await mkdir(part, { recursive: true, mode: 0o700 })
    if (rootFolder !== null) await copyTree(rootFolder, view.files, hidden, signal)
    return view
  } catch (error) {
    await removeTree(folder)
    throw error
  }
}

/** Views that a crash left behind. The project's lock says that nobody else uses them. */
export async function sweepViews(viewsFolder: string): Promise<void> {
  const names = await readdir(viewsFolder).catch(() => [])
  for (const name of names) await removeTree(join(viewsFolder, name)).catch(() => undefined)
}

/** A command may have taken the rights to its own folders away. */
async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 2 })
  } catch {
    await allowRemoval(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

async function allowRemoval(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await allowRemoval(join(folder, entry.name))
  }
}
