import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import type { CheckedRoutes, RoutePlaces } from './routes.ts'
import { checkRoutes, isInside } from './routes.ts'
import { folderIn } from './setup-settings.ts'

/** A folder that a person gave to a project beside its own one. */
export interface GivenFolder {
  readonly name: string
  /** Absolute. It may begin with `~/` in settings. */
  readonly path: string
  /** `read`: agents find it as `/refs/<name>/`. `write`: it is a folder of the project, which branches change. */
  readonly access: 'read' | 'write'
}

/** The folders that the settings give to projects. */
export interface FolderSettings {
  readonly byFolder: Readonly<Record<string, readonly GivenFolder[]>>
  /** Those of the command line, for this process alone. */
  readonly forRun: readonly GivenFolder[]
}

/** What the settings and the command line say of folders. */
export function folderSettings({ folders }: Settings, forRun: readonly GivenFolder[] = []): FolderSettings {
  const entries = Object.entries(folders?.projects ?? {}).map(([folder, named]) => [folder, listed(named)] as const)
  return { byFolder: Object.fromEntries(entries), forRun }
}

/** The folders that a person gave to the project, those of the command line last. */
export function givenFolders({ byFolder, forRun }: FolderSettings, rootFolder: string | null): readonly GivenFolder[] {
  const own = rootFolder === null ? [] : (byFolder[folderIn(byFolder, rootFolder)] ?? [])
  return [...own, ...forRun]
}

/** The folders that the settings of a trusted project name and that nobody gave to it, with absolute paths. */
export function proposedFolders(
  { folders }: Settings,
  given: readonly GivenFolder[],
  rootFolder: string,
): readonly GivenFolder[] {
  const wanted = listed(folders?.proposed ?? {}).map((one) => ({ ...one, path: resolve(rootFolder, one.path) }))
  return wanted.filter(({ path }) => !given.some((one) => one.path === path))
}

/** The routes by which agents read those that are only read, and a sentence for each folder that cannot be used. */
export function folderRoutes(
  folders: readonly GivenFolder[],
  rootFolder: string | null,
  places: RoutePlaces,
): CheckedRoutes {
  const read = folders.filter(({ access }) => access === 'read')
  const twice = read.filter(({ name }, at) => read.findIndex((one) => one.name === name) !== at)
  const settings = read
    .filter((one) => !twice.includes(one))
    .map(({ name, path }) => [`/refs/${name}/`, { kind: 'folder', path, write: 'never' }] as const)
  const { used, problems } = checkRoutes(Object.fromEntries(settings), places)
  const isOfProject = ({ setting }: (typeof used)[number]) =>
    rootFolder !== null && setting.kind === 'folder' && isInside(setting.path, rootFolder)
  return {
    used: used.filter((one) => !isOfProject(one)).map((one) => ({ ...one, isForPrograms: true })),
    problems: [
      ...twice.map(({ name }) => `${JSON.stringify(name)} is the name of two folders. The second one is not used.`),
      ...problems,
      ...used
        .filter(isOfProject)
        .map(({ prefix }) => `${JSON.stringify(prefix)} is a folder of the project, which agents see anyway.`),
    ],
  }
}

/** Reads `DIR` or `DIR:name`. A folder whose own name has a colon is meant as it is. */
export function parseFolder(given: string, from: string, access: GivenFolder['access']): GivenFolder {
  const whole = resolve(from, given)
  const [, path, name] = /^(.*[^\\/]|\/):([^:/\\]+)$/.exec(given) ?? []
  const isDrive = path !== undefined && /^[a-z]$/i.test(path)
  if (path === undefined || name === undefined || isDrive || existsSync(whole))
    return { name: basename(whole), path: whole, access }
  return { name, path: resolve(from, path), access }
}

function listed(named: Readonly<Record<string, Omit<GivenFolder, 'name'>>>): readonly GivenFolder[] {
  return Object.entries(named).map(([name, one]) => ({ name, ...one }))
}
