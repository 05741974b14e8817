import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { asHelper } from '../../system/ends-with-app.ts'
import { gitEnvironment, mayAskGit } from '../../system/git/ask-git.ts'
import { lookAt } from '../../system/look-at.ts'
import { systemProgram } from '../../system/system-programs.ts'

const timeoutMs = 5_000
const mostBytes = 1024 * 1024

/**
 * Those of the files that the commit `HEAD` of the repository in this folder has with just these bytes, or with them after
 * git made their line ends its own. One process of git for all of them, none for none. Empty without a repository, and
 * when git is missing, slow or finds it damaged: what nobody can show there is no part of its history.
 */
export async function findCommitted(
  folder: string,
  files: ReadonlyMap<VirtualPath, Uint8Array>,
): Promise<ReadonlySet<VirtualPath>> {
  // Git answers a line for a line.
  const asked = [...files].filter(([path]) => !path.includes('\n'))
  if (asked.length === 0 || lookAt(`${folder}/.git`) === undefined || !mayAskGit(folder)) return new Set()
  const lines = (await askGit(folder, asked.map(([path]) => `HEAD:${path.slice(1)}\n`).join('')))?.split('\n') ?? []
  if (lines.length !== asked.length + 1) return new Set()
  return new Set(asked.flatMap(([path, bytes], at) => (isBlob(lines[at] ?? '', bytes) ? [path] : [])))
}

function isBlob(id: string, bytes: Uint8Array): boolean {
  const kind = id.length === 40 ? 'sha1' : id.length === 64 ? 'sha256' : undefined
  if (kind === undefined) return false
  const idOf = (content: Uint8Array) =>
    createHash(kind).update(`blob ${content.length}\0`).update(content).digest('hex')
  const latin = Buffer.from(bytes).toString('latin1')
  return id === idOf(bytes) || id === idOf(Buffer.from(latin.replaceAll('\r\n', '\n'), 'latin1'))
}

/** Nothing of the repository runs: this command knows no hooks and no filters. */
function askGit(folder: string, input: string): Promise<string | undefined> {
  const env = gitEnvironment(folder)
  return new Promise((resolve) => {
    const asked = ['--git-dir', `${folder}/.git`, 'cat-file', '--batch-check=%(objectname)']
    const [program = '', ...args] = asHelper([systemProgram('git'), ...asked])
    const options = { cwd: folder, env, timeout: timeoutMs, maxBuffer: mostBytes, killSignal: 'SIGKILL' } as const
    const child = execFile(program, args, options, (error, stdout) => resolve(error === null ? stdout : undefined))
    child.on('error', () => resolve(undefined))
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
