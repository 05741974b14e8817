import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { textIfReadable } from '#adapters/system/read-bounded.ts'
import { BaseTreeError } from '#core/ports/base-tree.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { mostBytes, type ProjectFiles, type ProjectText, readProjectText } from './project-text.ts'

/** A file of a command as it is on disk. */
export interface CommandFile {
  /** The path that people see. */
  readonly source: string
  /** The names of its folders below the folder of commands, and its own without the ending. */
  readonly names: readonly string[]
  /** Undefined when it cannot be read. */
  readonly read: ProjectText | undefined
}

export interface CommandFiles {
  /** In the order in which they count. */
  readonly files: readonly CommandFile[]
  /** How many more there are, which are not read. */
  readonly left: number
}

/** The folders of commands in each folder of a project, in the order in which they count. */
const projectFolders = ['.coppice/commands', '.claude/commands']
/** The most files of one folder of commands, and the most folders in it. */
const most = { files: 500, folders: 500, deep: 8 } as const

/** One entry of a folder. */
interface Listed {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'other'
}

/** The commands of all folders of the project. */
export async function projectCommandFiles(project: ProjectFiles): Promise<CommandFiles> {
  const roots = [rootPath, ...(project.base.roots?.() ?? [])]
  const folders = roots.flatMap((root) => projectFolders.map((folder) => joinPath(root, folder)))
  const list = (folder: string): Promise<readonly Listed[]> => listProject(project, folder as VirtualPath)
  return filesBelow(folders, list, (path) => readProjectText(project, path as VirtualPath))
}

/** The commands in folders of the person. Folders that are not there hold none. */
export function personCommandFiles(folders: readonly string[]): Promise<CommandFiles> {
  return filesBelow(folders, listDisk, readDisk)
}

/** Reads the Markdown files below folders. Links are followed; one that leads in a circle ends at the bounds. */
async function filesBelow(
  folders: readonly string[],
  list: (folder: string) => Promise<readonly Listed[]>,
  read: (path: string) => Promise<ProjectText | undefined>,
): Promise<CommandFiles> {
  const found: (readonly [string, readonly string[]])[] = []
  const waiting = folders.map((folder): readonly [string, readonly string[]] => [folder, []])
  for (let looked = 0; looked < Math.min(waiting.length, most.folders); looked += 1) {
    const [folder, above] = waiting[looked] ?? ['', []]
    for (const { name, kind } of await list(folder)) {
      const path = `${folder}/${name}`
      if (kind === 'file' && /\.md$/i.test(name)) found.push([path, [...above, name.replace(/\.md$/i, '')]])
      else if (kind === 'directory' && above.length < most.deep) waiting.push([path, [...above, name]])
    }
  }
  const files = found.slice(0, most.files).map(async ([source, names]) => ({ source, names, read: await read(source) }))
  return { files: await Promise.all(files), left: Math.max(0, found.length - most.files) }
}

async function listProject({ base }: ProjectFiles, folder: VirtualPath): Promise<readonly Listed[]> {
  try {
    const { entries = [] } = (await base.list(folder)) ?? {}
    return entries.map(({ name, node }) => {
      if (node.kind !== 'symlink') return { name, kind: node.kind === 'special' ? 'other' : node.kind }
      // Whatever else it leads to is tried as a folder, and holds nothing if it is none.
      return { name, kind: /\.md$/i.test(name) ? 'file' : 'directory' }
    })
  } catch (error) {
    if (error instanceof BaseTreeError) return []
    throw error
  }
}

async function listDisk(folder: string): Promise<readonly Listed[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .map((entry): Listed => ({ name: entry.name, kind: kindOf(entry) }))
      .sort((a, b) => byCodeUnit(a.name, b.name))
  } catch {
    return []
  }
}

function kindOf(entry: Dirent): Listed['kind'] {
  if (entry.isSymbolicLink()) return /\.md$/i.test(entry.name) ? 'file' : 'directory'
  if (entry.isDirectory()) return 'directory'
  return entry.isFile() ? 'file' : 'other'
}

async function readDisk(path: string): Promise<ProjectText | undefined> {
  const text = textIfReadable(path, { most: mostBytes + 1, cuts: true })
  return text === undefined ? undefined : { text, isCut: Buffer.byteLength(text) > mostBytes }
}
