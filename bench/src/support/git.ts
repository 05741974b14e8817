import { execFileSync } from 'node:child_process'

const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', '-c', 'gc.auto=0']

/** Runs git in a folder and returns its output. Throws if git fails. */
export function git(folder: string, ...args: readonly string[]): Buffer {
  return execFileSync('git', [...identity, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  })
}

/** Makes the folder a repository with everything committed and packed, like a fresh clone. */
export function makeRepository(folder: string): void {
  git(folder, 'init', '--initial-branch', 'main')
  commitAll(folder)
  git(folder, 'repack', '-adq')
}

export function commitAll(folder: string): void {
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'All')
}
