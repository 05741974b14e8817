import { execFileSync } from 'node:child_process'

const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', '-c', 'gc.auto=0']

/** Runs git in a folder; what it wrote. Throws when it fails. */
export function git(folder: string, ...args: readonly string[]): Buffer {
  return execFileSync('git', [...identity, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  })
}

/** Makes the folder a repository with all that is in it committed and packed, as a cloned one is. */
export function makeRepository(folder: string): void {
  git(folder, 'init', '--initial-branch', 'main')
  commitAll(folder)
  git(folder, 'repack', '-adq')
}

export function commitAll(folder: string): void {
  git(folder, 'add', '.')
  git(folder, 'commit', '-qm', 'All')
}
