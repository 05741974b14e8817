import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ShellError } from '#core/ports/shell.ts'

/** A private copy of the project for one command, with a home and a temporary folder of its own. */
export interface View extends AsyncDisposable {
  readonly files: string
  readonly home: string
  readonly temporary: string
}

export async function createView(viewsFolder: string, rootFolder: string | null, signal: AbortSignal): Promise<View> {
  const folder = join(viewsFolder, randomUUID())
  const view = {
    files: join(folder, 'files'),
    home: join(folder, 'home'),
    temporary: join(folder, 'tmp'),
    [Symbol.asyncDispose]: () => removeTree(folder),
  }
  try {
    for (const part of [view.files, view.home, view.temporary]) await mkdir(part, { recursive: true, mode: 0o700 })
    if (rootFolder !== null) await copyTree(rootFolder, view.files, signal)
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

/** The system's own copy is many times quicker than ours, shares blocks where the disk can, and keeps links as they are. */
function copyTree(from: string, to: string, signal: AbortSignal): Promise<void> {
  if (process.platform === 'win32') return cp(from, to, { recursive: true, verbatimSymlinks: true })
  const flags = process.platform === 'darwin' ? ['-acn'] : ['-a', '--reflink=auto']
  return new Promise((resolve, reject) => {
    const child = spawn('cp', [...flags, '--', `${from}/.`, to], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { LC_ALL: 'C' },
    })
    let errors = ''
    const stop = () => child.kill('SIGKILL')
    signal.addEventListener('abort', stop, { once: true })
    child.stderr.on('data', (chunk: Buffer) => {
      if (errors.length < 10_000) errors += chunk.toString()
    })
    child.on('error', (error) =>
      reject(new ShellError('view_failed', `The files could not be copied: ${error.message}`)),
    )
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) reject(signal.reason)
      else if (code !== 0 && /No space left|Disk quota/.test(errors)) {
        reject(
          new ShellError('view_failed', 'There is not enough space for a copy of the project to run the command in.'),
        )
      } else resolve()
    })
  })
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
