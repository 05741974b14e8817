import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claimFolder, makeTemporary, removeInMade, removeMade } from '../system/made-folders.ts'
import { isProgram } from '../system/system-programs.ts'

/** Files of the app for one command, which it can read and start but not change in a sandbox. */
export interface GivenFiles extends AsyncDisposable {
  readonly folder: string
}

export interface FilesToGive {
  /** Texts of files by their names. */
  readonly settings: Readonly<Record<string, string>>
  /** Texts of programs by their names. They are in `programsFolder`. */
  readonly programs: Readonly<Record<string, string>>
}

/** The folder for PATH, below the folder of the files. */
export const programsFolder = 'bin'

/**
 * Writes the files. A temporary folder may forbid programs; then they go to `other`, a folder that the app makes for
 * this alone. Null for no `other`.
 */
export async function giveFiles(files: FilesToGive, other: string | null): Promise<GivenFiles> {
  const temporary = makeTemporary('command')
  const given = { folder: join(temporary, 'given'), [Symbol.asyncDispose]: () => removeMade(temporary) }
  if (write(files, given.folder) || other === null) return given
  await given[Symbol.asyncDispose]()
  claimFolder(other)
  const kept = mkdtempSync(join(other, 'command-'))
  write(files, join(kept, 'given'))
  return { folder: join(kept, 'given'), [Symbol.asyncDispose]: () => removeInMade(kept) }
}

/** False when the programs cannot be started. Everybody may read them, because a command may be another user. */
function write({ settings, programs }: FilesToGive, folder: string): boolean {
  const bin = join(folder, programsFolder)
  mkdirSync(bin, { recursive: true })
  for (const place of [folder, bin]) chmodSync(place, 0o755)
  for (const [name, text] of Object.entries(settings)) writeOne(join(folder, name), text, 0o644)
  for (const [name, text] of Object.entries(programs)) writeOne(join(bin, name), text, 0o755)
  return Object.keys(programs).every((name) => isProgram(join(bin, name)))
}

/** Whatever the app's umask says. */
function writeOne(file: string, text: string, mode: number): void {
  writeFileSync(file, text)
  chmodSync(file, mode)
}
