import { basename } from 'node:path'
import type { ProjectFolder, ProjectFolders } from '#shared/contract/views/projects.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import {
  type FolderSettings,
  folderRoutes,
  type GivenFolder,
  givenFolders,
  proposedFolders,
} from '../settings/folders.ts'
import { isInside, type RoutePlaces } from '../settings/routes.ts'
import { checkPath } from './open-folders.ts'
import type { Project } from './project.ts'

/** The folders of a project as a person sees them. Looks at the settings of a trusted project. */
export async function listFolders(project: Project, settings: FolderSettings): Promise<ProjectFolders> {
  const { folders, services, extensions, rootFolder } = project
  const given = givenFolders(settings, rootFolder)
  const changed = folders.map(
    ({ root, path, isGone }): ProjectFolder => ({
      ...{ root, path: path ?? '', isGone },
      access: 'write',
      isRemovable: false,
    }),
  )
  const read = services.routes.flatMap(({ prefix, usual, backend }): readonly ProjectFolder[] => {
    if (backend.kind !== 'folder' || !usual.startsWith('/refs/')) return []
    const { path } = backend.folder
    const root = prefix.slice(0, -1) as ProjectFolder['root']
    return [{ root, path, access: 'read', isGone: false, isRemovable: namedIn(given, usual) !== undefined }]
  })
  if (rootFolder === null) return { folders: [...changed, ...read], proposed: [] }
  await extensions.find()
  const known = [...given, ...folders.map(({ path }) => ({ name: '', path: path ?? '', access: 'write' as const }))]
  return { folders: [...changed, ...read], proposed: proposedFolders(extensions.projectSettings(), known, rootFolder) }
}

function namedIn(given: readonly GivenFolder[], usual: string): GivenFolder | undefined {
  return given.find(({ name, access }) => access === 'read' && usual === `/refs/${name}/`)
}

/** The setting that gives the project a folder. Throws a refusal that says what is wrong with it. */
export function folderToAdd(
  { folders, rootFolder }: Project,
  {
    path,
    name: wanted,
    access,
  }: { readonly path: string; readonly name: string | null; readonly access: 'read' | 'write' },
  settings: FolderSettings,
  places: RoutePlaces,
): GivenFolder {
  const known = givenFolders(settings, rootFolder)
  const name = freeName(wanted ?? basename(path), known)
  const folder = { name, path, access }
  const [problem] =
    access === 'write' ? problemsOf(folder, rootFolder, places) : folderRoutes([folder], rootFolder, places).problems
  if (problem !== undefined) throw new WireError('REFUSED', problem)
  if (known.some((one) => one.path === path) || folders.some((one) => one.path === path))
    throw new WireError('REFUSED', `${path} is a folder of this project already.`)
  const around = folders.find((one) => one.path !== null && (isInside(path, one.path) || isInside(one.path, path)))
  if (access === 'write' && around)
    throw new WireError('REFUSED', `${path} and ${around.path} lie in each other. A file would have two places.`)
  return folder
}

function problemsOf(folder: GivenFolder, rootFolder: string | null, places: RoutePlaces): readonly string[] {
  const checked = checkPath(folder, rootFolder, places)
  return typeof checked === 'string' ? [] : [checked.problem]
}

function freeName(name: string, known: readonly GivenFolder[]): string {
  let candidate = name
  for (let suffix = 2; known.some((one) => one.name === candidate); suffix += 1) candidate = `${name}-${suffix}`
  return candidate
}

/** The setting that gives the project a folder which is only read. Throws a refusal when there is none. */
export function folderToRemove({ rootFolder }: Project, path: string, settings: FolderSettings): GivenFolder {
  const found = givenFolders(settings, rootFolder).find((one) => one.path === path && one.access === 'read')
  if (!found) throw new WireError('NOT_FOUND', `${path} is no folder that can be taken away from this project.`)
  return found
}
