import { spawn } from 'node:child_process'
import { chmod, cp, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BranchViewError } from '#core/ports/branch-views.ts'

/** Keeps one command line well below what systems take. */
const mostSources = 500

/** Copies what is in a folder into one that is there already, without what is at `hidden`, a path below it. */
export async function copyTree(from: string, to: string, hidden: string | null, signal: AbortSignal): Promise<void> {
  if (process.platform === 'win32') {
    const left = hidden === null ? undefined : join(from, hidden)
    return cp(from, to, { recursive: true, verbatimSymlinks: true, filter: (source) => source !== left })
  }
  if (hidden === null) return copy([`${from}/.`], to, signal)
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
  await chmod(copied, (await stat(inner)).mode & 0o777)
}

/** The system's own copy is many times quicker than ours, shares blocks where the disk can, and keeps links as they are. */
function copy(sources: readonly string[], to: string, signal: AbortSignal): Promise<void> {
  const flags = process.platform === 'darwin' ? ['-acn'] : ['-a', '--reflink=auto']
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
      reject(new BranchViewError('failed', `The files could not be copied: ${error.message}`)),
    )
    child.on('close', (code) => {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) reject(signal.reason)
      else if (code !== 0 && /No space left|Disk quota/.test(errors)) {
        reject(
          new BranchViewError('no_space', 'There is not enough space for a copy of the project to run the command in.'),
        )
      } else resolve()
    })
  })
}
