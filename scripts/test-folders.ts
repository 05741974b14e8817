import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const roomInMemory = 4 * 1024 ** 3

/**
 * The parent of the tests' folders: in memory if the system has enough room there. A soak, and `COPPICE_TEST_DISK=1`,
 * keep them on the disk.
 */
export function temporaryFolder(): string {
  const { COPPICE_SOAK, COPPICE_TEST_DISK } = process.env
  if (COPPICE_SOAK === '1' || COPPICE_TEST_DISK === '1') return tmpdir()
  const isRoomy = process.platform === 'linux' && freeBytes(memory) >= roomInMemory
  return isRoomy ? join(memory, `coppice-tests-${process.pid}`) : tmpdir()
}

/**
 * A home of the tests' own. What stands in a person's start-up files must not decide a test, and no test may leave
 * anything there: a shell that is killed while `pyenv` starts leaves a lock that holds up every later one for a minute.
 */
export function homeFolder(): string {
  return join(temporaryFolder(), 'coppice-home')
}

/** The file keeps zsh from asking a new user questions. */
export function makeHome(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '.zshrc'), '')
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}

/** Removes a folder of tests. One that failed may have left closed folders, which only root can remove as they are. */
export function removeFolder(folder: string): void {
  spawnSync('chmod', ['-R', 'u+rwX', folder])
  rmSync(folder, { recursive: true, force: true })
}
