import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryFolder extends Disposable {
  readonly path: string
}

export function temporaryFolder(parent = tmpdir()): TemporaryFolder {
  const path = mkdtempSync(join(parent, 'coppice-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Where peers that copy files are fastest: memory when this machine has enough of it as a file system. */
export function fastestParent(bytes: number): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 2 * bytes ? memory : tmpdir()
}

const filesInFolder = 50
const foldersInFolder = 40

/** A project of `files` text files, fifty to a folder and forty folders to a folder. */
export function makeTree(folder: string, files: number, bytesEach: number): void {
  for (let first = 0; first < files; first += filesInFolder) {
    const number = first / filesInFolder
    const inner = join(folder, `area-${Math.floor(number / foldersInFolder)}`, `part-${number}`)
    mkdirSync(inner, { recursive: true })
    for (let file = first; file < Math.min(files, first + filesInFolder); file += 1) {
      writeFileSync(join(inner, `module-${file}.ts`), textOf(file, bytesEach))
    }
  }
}

function textOf(file: number, bytes: number): string {
  const line = `export const value${file} = { file: ${file}, kind: 'module' }\n`
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes)
}
