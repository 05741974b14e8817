import type { Dirent } from 'node:fs'
import { lstat, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { maxMemoryBytes, memoryProblem } from '#core/memory/memory-files.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { replaceFile } from '../storage/write-result.ts'

/** A file below a chosen folder: its content, or why it cannot become a memory. */
type FoundNote =
  | { readonly name: string; readonly bytes: Uint8Array; readonly why: null }
  | { readonly name: string; readonly bytes: null; readonly why: string }

const mostFiles = 2000

/** Every file below `folder` by its relative path, sorted. Links are not followed. */
export async function readNotes(folder: string): Promise<readonly FoundNote[]> {
  await requireFolder(folder)
  const entries = (await readdir(folder, { withFileTypes: true, recursive: true })).filter(
    (entry) => !entry.isDirectory(),
  )
  if (entries.length > mostFiles)
    throw new WireError('REFUSED', `${folder} holds ${entries.length} files; at most ${mostFiles} are taken at once.`)
  const notes = await Promise.all(entries.map((entry) => readNote(folder, entry)))
  return notes.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function readNote(folder: string, entry: Dirent): Promise<FoundNote> {
  const path = join(entry.parentPath, entry.name)
  const name = relative(folder, path).split(sep).join('/')
  const refuse = (why: string): FoundNote => ({ name, bytes: null, why })
  if (!entry.isFile()) return refuse('This is not a regular file. Links are not followed.')
  try {
    if ((await stat(path)).size > maxMemoryBytes) return refuse(`A memory holds at most ${maxMemoryBytes / 1024} KB.`)
    const bytes = await readFile(path)
    const why = memoryProblem(bytes)
    return why === null ? { name, bytes, why } : refuse(why)
  } catch (error) {
    return refuse(`It cannot be read: ${(error as Error).message}`)
  }
}

export type TargetState =
  | { readonly state: 'new' | 'changed' | 'same' }
  | { readonly state: 'refused'; readonly why: string }

/** Says what writing `text` below `folder` would do to the existing file. */
export async function noteTarget(folder: string, name: string, text: string): Promise<TargetState> {
  const parts = name.split('/')
  for (let depth = 1; depth < parts.length; depth += 1) {
    const above = await nodeAt(join(folder, ...parts.slice(0, depth)))
    if (above !== 'absent' && above !== 'directory')
      return { state: 'refused', why: `${parts.slice(0, depth).join('/')} is not a folder there.` }
  }
  const path = join(folder, ...parts)
  const node = await nodeAt(path)
  if (node === 'absent') return { state: 'new' }
  if (node !== 'file') return { state: 'refused', why: 'A folder or link already has this name.' }
  return { state: (await readFile(path)).equals(Buffer.from(text)) ? 'same' : 'changed' }
}

export async function writeNote(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, ...name.split('/'))
  try {
    await mkdir(dirname(path), { recursive: true })
    await replaceFile(path, bytes)
  } catch (error) {
    throw new WireError('UNREADABLE', `${path} cannot be written: ${(error as Error).message}`)
  }
}

export async function requireFolder(folder: string): Promise<void> {
  try {
    if ((await stat(folder)).isDirectory()) return
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new WireError('NOT_FOUND', `There is no folder ${folder}. Check the path and try again.`)
    throw new WireError('UNREADABLE', `${folder} cannot be read: ${(error as Error).message}`)
  }
  throw new WireError('NOT_A_FOLDER', `${folder} is a file. Choose a folder.`)
}

async function nodeAt(path: string): Promise<'absent' | 'file' | 'directory' | 'other'> {
  try {
    const stats = await lstat(path)
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other'
  } catch {
    return 'absent'
  }
}
