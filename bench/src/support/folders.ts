import { existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathOf, startsFolder, textOf } from './project-text.ts'

export interface TemporaryFolder extends Disposable {
  readonly path: string
}

export function temporaryFolder(parent = tmpdir()): TemporaryFolder {
  const path = mkdtempSync(join(parent, 'coppice-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** The fastest place for peers that copy files: a file system in memory if it has enough room. */
export function fastestParent(bytes: number): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 2 * bytes ? memory : tmpdir()
}

/**
 * Makes a project of `files` text files, with fifty files in a folder and forty folders in a folder. Always makes the
 * same files.
 */
export function makeTree(folder: string, files: number, bytesEach: number): void {
  for (let file = 0; file < files; file += 1) {
    const path = pathOf(file)
    if (startsFolder(file)) mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), textOf(file, bytesEach))
  }
}

/** Makes the same project again with hard links. A program that only reads sees no difference from a copy. */
export function linkTree(folder: string, files: number, target: string): void {
  for (let file = 0; file < files; file += 1) {
    const path = pathOf(file)
    if (startsFolder(file)) mkdirSync(join(target, dirname(path)), { recursive: true })
    linkSync(join(folder, path), join(target, path))
  }
}
