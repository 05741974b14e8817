import { spawn } from 'node:child_process'
import { chmod, cp, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BranchMountError } from '#core/ports/branch-mounts.ts'
import { asSetup, runInside } from './namespace.ts'

/** Keeps a command line well below the limits of systems. */
const mostSources = 500

/** Copies the content of one folder into an existing one, except the path `hidden` below it. Null hides nothing. */
export async function copyTree(from: string, to: string, hidden: string | null, signal: AbortSignal): Promise<void> {
  if (process.platform === 'win32') {
    const left = hidden === null ? undefined : join(from, hidden)
    return cp(from, to, { recursive: true, verbatimSymlinks: true, filter: (source) => source !== left })
  }
  if (hidden === null) return void (await copy([`${from}/.`], to, signal))
  const [first = '', ...rest] = hidden.split('/').filter(Boolean)
  const names = (await readdir(from)).filter((name) => name !== first)
  for (let at = 0; at < names.length; at += mostSources) {
    const sources = names.slice(at, at + mostSources).map((name) => `${from}/${name}`)
    await copy(sources, to, signal)
  }
  if (rest.length === 0) return
  const [inner, copied] = [join(from, first), join(to, first)]
  await mkdir(copied)
  await copyTree(inner, copied, rest.join('/'), signal)
  await chmod(copied, (await stat(inner)).mode & 0o7777)
}

/** Copies what a folder has by now and the other one lacks. */
export async function copyMissing(from: string, to: string, signal: AbortSignal): Promise<void> {
  if (process.platform === 'win32') return cp(from, to, { recursive: true, verbatimSymlinks: true, force: false })
  await copy([`${from}/.`], to, signal, [...flagsOfCopy, '-n'])
}

/** Also copies folders that a command closed, as far as the system lets their owner into them. */
export async function copyKept(sources: readonly string[], to: string, signal: AbortSignal): Promise<void> {
  const closed = await copy(sources, to, signal)
  if (closed && process.platform === 'linux')
    await runInside(asSetup(['cp', ...flagsOfCopy, '--', ...sources, to]), { signal }).catch(() => undefined)
}

/** On Linux a copy is the person's own, whoever owns the file, so that commands may change it. */
const flagsOfCopy = process.platform === 'darwin' ? ['-acn'] : ['-a', '--no-preserve=ownership', '--reflink=auto']

/**
 * Uses the system's own copy program. It is many times faster than ours, shares blocks where the disk can, and keeps
 * links. Resolves to true when a file or folder was closed to this user, and so was left out.
 */
function copy(
  sources: readonly string[],
  to: string,
  signal: AbortSignal,
  flags: readonly string[] = flagsOfCopy,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn('cp', [...flags, '--', ...sources, to], {
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
      reject(new BranchMountError('failed', `The files could not be copied: ${error.message}`)),
    )
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) reject(signal.reason)
      else if (code !== 0 && /No space left|Disk quota/.test(errors)) {
        reject(
          new BranchMountError(
            'no_space',
            'There is not enough space for a copy of the project to run the command in. Free some space and run it again.',
          ),
        )
      } else resolve(/Permission denied/.test(errors))
    })
  })
}
