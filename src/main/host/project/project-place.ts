import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readdir, realpath, stat, statfs } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, sep } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { z } from 'zod'
import { repositoryAbove } from '#adapters/system/git/tracked-files.ts'
import { lookAt, mayLookInto } from '#adapters/system/look-at.ts'
import { textIfReadable } from '#adapters/system/read-bounded.ts'
import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { readGitHead } from './git-head.ts'

/** A project's folder and its data folder. Each real path has one data folder. */
export interface ProjectPlace {
  /** Null for a scratch workspace, whose base is empty. */
  readonly rootFolder: string | null
  readonly dataFolder: string
  readonly info: ProjectInfo
}

/** Resolves a folder that a person named. Throws a refusal that says what to do when the folder cannot be used. */
export async function locateProject(
  dataFolder: string,
  path: string,
  kind: 'folder' | 'demo',
  trusted: (path: string) => boolean,
): Promise<ProjectPlace> {
  const rootFolder = await usableFolder(path)
  if (relative(rootFolder, dataFolder) === '') {
    throw new WireError('REFUSED', `${rootFolder} is Coppice's own data folder. Open a project folder.`)
  }
  const id = createHash('sha256').update(rootFolder).digest('hex').slice(0, 24) as ProjectId
  return {
    rootFolder,
    dataFolder: join(dataFolder, 'projects', id),
    info: {
      id,
      path: rootFolder,
      name: basename(rootFolder) || rootFolder,
      kind,
      trusted: kind === 'demo' || trusted(rootFolder),
      damage: null,
      ...(kind === 'demo' ? {} : partOf(rootFolder)),
      ...readFolder(rootFolder),
    },
  }
}

/** The repository above the folder, with the folder's path in it. */
function partOf(rootFolder: string): Pick<ProjectInfo, 'within'> {
  const top = repositoryAbove(rootFolder)
  if (top === null) return {}
  return { within: { top, folder: joinPath(rootPath, relative(top, rootFolder).split(sep).join('/')) } }
}

const placeFile = 'project.json'

/** Stores the project's folder in its data folder, so that a thread can be found by its id alone. */
export async function rememberPlace(place: ProjectPlace): Promise<void> {
  const { kind, name, id } = place.info
  await writeFileAtomic(
    join(place.dataFolder, placeFile),
    JSON.stringify({ id, rootFolder: place.rootFolder, kind, name }),
    { mode: 0o600 },
  )
}

const placeSchema = z.object({
  id: z.string(),
  rootFolder: z.string().nullable(),
  kind: z.enum(['folder', 'demo', 'scratch']),
  name: z.string(),
})
export type StoredPlace = z.infer<typeof placeSchema>

/** Reads what `rememberPlace` wrote. Undefined when the folder belongs to no project, or nobody can read it. */
export function storedPlace(projectDataFolder: string): StoredPlace | undefined {
  try {
    return placeSchema.safeParse(JSON.parse(textIfReadable(join(projectDataFolder, placeFile)) ?? '')).data
  } catch {
    return undefined
  }
}

/**
 * All projects of a data folder, each with the folder of its own data. `onUnknown` is told of one with data and no readable
 * record: nobody knows its folder, but it is not nothing.
 */
export function storedPlaces(
  dataFolder: string,
  onUnknown: (folder: string, problem: string) => void = () => undefined,
): readonly { readonly place: StoredPlace; readonly folder: string }[] {
  const projects = join(dataFolder, 'projects')
  if (!existsSync(projects)) return []
  return readdirSync(projects).flatMap((id) => {
    const folder = join(projects, id)
    const place = storedPlace(folder)
    if (place) return [{ place, folder }]
    if (id.startsWith('.')) return []
    if (lookAt(folder)?.isDirectory() && !mayLookInto(folder)) {
      onUnknown(folder, 'It may not be read with your rights.')
      return []
    }
    const isProject = lookAt(folder)?.isDirectory() !== true || lookAt(join(folder, placeFile)) !== undefined
    if (isProject)
      onUnknown(folder, `Its record ${placeFile} cannot be read. Open the project's folder again to write it anew.`)
    return []
  })
}

export function scratchPlace(dataFolder: string, id: ProjectId): ProjectPlace {
  const info: ProjectInfo = {
    id,
    path: '',
    name: 'Scratch',
    kind: 'scratch',
    git: false,
    trusted: true,
    wouldLoad: [],
    damage: null,
  }
  return { rootFolder: null, dataFolder: join(dataFolder, 'projects', id), info }
}

/** The path of the app's data inside a project, with links resolved. Null when it lies outside. */
export async function placeInside(rootFolder: string, dataFolder: string): Promise<VirtualPath | null> {
  const path = relative(rootFolder, await realpath(dataFolder))
  const isInside = path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
  return isInside ? joinPath(rootPath, path.split(sep).join('/')) : null
}

/** The types of `/proc` and `/sys` of Linux (statfs(2)). Reading through them has no end. */
const madeBySystem: ReadonlySet<number> = new Set([0x9fa0, 0x62656572])

async function usableFolder(path: string): Promise<string> {
  try {
    const real = await realpath(path)
    if (!(await stat(real)).isDirectory())
      throw new WireError('NOT_A_FOLDER', `${path} is a file. Open the folder that holds it.`)
    if (madeBySystem.has((await statfs(real)).type))
      throw new WireError('REFUSED', `${real} holds no files of yours. Open a project folder.`)
    await readdir(real)
    return real
  } catch (error) {
    if (error instanceof WireError) throw error
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new WireError('NOT_FOUND', `There is no folder ${path}. Check the path and open it again.`)
    }
    if (code === 'EACCES' || code === 'EPERM') {
      throw new WireError(
        'UNREADABLE',
        `${path} cannot be read with your rights. Change its permissions or open another folder.`,
      )
    }
    throw new WireError('UNREADABLE', `${path} cannot be opened: ${(error as Error).message}`)
  }
}

/** Files and folders of a project that change how its agents behave. */
export const loadedFiles: readonly string[] = [
  'AGENTS.md',
  'CLAUDE.md',
  '.agents/skills',
  '.claude/skills',
  '.claude/commands',
  '.coppice/commands',
  '.coppice/agents.yaml',
  '.coppice/agents',
  '.coppice/settings.json',
  '.claude/agents',
  '.mcp.json',
]

/** Those of them that count in each folder of a project. */
const loadedOfEach = [
  ...['AGENTS.md', 'CLAUDE.md', '.agents/skills', '.claude/skills', '.claude/commands', '.coppice/commands'],
  '.coppice/settings.json',
]

/** What a project says about its folder and may change while it is open. */
export function readFolder(
  rootFolder: string,
  others: readonly { readonly name: string; readonly rootFolder: string | null }[] = [],
): Pick<ProjectInfo, 'git' | 'gitHead' | 'wouldLoad'> {
  const ofOthers = others.flatMap(({ name, rootFolder: folder }) =>
    loadedOfEach.flatMap((file) => (folder !== null && existsSync(join(folder, file)) ? [`${name}/${file}`] : [])),
  )
  return {
    git: existsSync(join(rootFolder, '.git')),
    gitHead: readGitHead(rootFolder),
    wouldLoad: [...loadedFiles.filter((name) => existsSync(join(rootFolder, name))), ...ofOthers],
  }
}
