import { randomUUID } from 'node:crypto'
import { cp, mkdir, realpath } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import type { Sandbox } from '#adapters/shell/sandbox.ts'
import { restoreBackup } from '#adapters/sqlite/file/backups.ts'
import { doorOfHolder } from '#adapters/sqlite/file/project-lock.ts'
import { JournalError } from '#core/ports/journal.ts'
import type { UserMemoryStore } from '#core/ports/stores/user-memories.ts'
import type { OpeningProject, ProjectInfo, RecentProject } from '#shared/contract/views/projects.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { HostOptions } from '../app/host-options.ts'
import { HeldProjectError } from '../handover/held-project.ts'
import { watchAnswers } from '../headless/answer-schema.ts'
import type { Provider } from '../models/provider.ts'
import { placesOf, type SettingsSource } from '../settings/settings-source.ts'
import { readGitHead } from './git-head.ts'
import { createUse, isIdle } from './let-go.ts'
import { openProject } from './open-project.ts'
import type { ProjectOptions } from './opening.ts'
import type { Project } from './project.ts'
import { folderToAdd, folderToRemove } from './project-folders.ts'
import { locateProject, type ProjectPlace, type StoredPlace, scratchPlace, storedPlace } from './project-place.ts'
import { summarizeProject } from './project-summary.ts'
import type { Registry } from './registry.ts'

/** The projects open in this process. Opening one again returns the same object. */
export interface Projects extends AsyncDisposable {
  open(path: string): Promise<Project>
  /** The repository that a folder is only a part of, without opening it. Null when it is not. Throws as `open` does. */
  findWithin(path: string): Promise<NonNullable<ProjectInfo['within']> | null>
  openDemo(): Promise<Project>
  openScratch(): Promise<Project>
  /** Opens a project by its data folder, so that its threads can be resumed. */
  openStored(place: StoredPlace): Promise<Project>
  /** Returns a project by its id alone, and opens it if necessary. */
  reopen(id: ProjectId): Promise<Project>
  /** Undefined for a project that is not open in this process. */
  find(id: ProjectId): Project | undefined
  /** Throws `NOT_FOUND` for a project that is not open in this process. */
  get(id: ProjectId): Project
  setTrusted(id: ProjectId, trusted: boolean): ProjectInfo
  /**
   * The recently opened folders, latest first, with what a person wants to know of each. Reads nothing from the folders
   * themselves, because one of them may lie on a network share that does not answer.
   */
  recent(): readonly RecentProject[]
  /** Projects whose long history is looked into before they are open. */
  opening(): readonly OpeningProject[]
  /** Agents that work or wait for their turn, in all projects that are open in this process. */
  working(): number
  /**
   * Runs work that needs projects. When nothing else needs one and nothing goes on in a project, it is closed, so that
   * another process can open it. For programs that stay for long and have no window.
   */
  use<Result>(work: () => Promise<Result>): Promise<Result>
  /** Tells the runs of all open projects that the machine slept. */
  wake(): void
  /** Gives a project another folder, and opens it again. Throws a refusal while agents work. */
  addFolder(id: ProjectId, folder: Parameters<typeof folderToAdd>[1]): Promise<void>
  /** Takes away a folder that is only read, and opens the project again. Throws a refusal while agents work. */
  removeFolder(id: ProjectId, path: string): Promise<void>
  /** Closes a project whose database was damaged, replaces the new database by the last backup, and opens it again. */
  restoreBackup(id: ProjectId): Promise<void>
}

export function createProjects(
  options: ProjectOptions,
  settings: SettingsSource,
  provider: Provider,
  registry: Registry,
  sandbox: Sandbox,
  userMemories: UserMemoryStore,
): Projects {
  const open = new Map<ProjectId, Promise<Project>>()
  const opened = new Map<ProjectId, Project>()
  const slow = new Map<ProjectId, OpeningProject>()
  const closing = new AbortController()
  /** Projects that are closed while others stay open. Never rejects. */
  const closings = new Map<ProjectId, Promise<void>>()

  const openNow = (place: ProjectPlace): Promise<Project> => {
    // The folder may have been looked at while the app began to close, and nobody would close the project then.
    if (closing.signal.aborted) return Promise.reject(closing.signal.reason)
    const { id, name } = place.info
    return openProject({
      ...{ options, settings, provider, place, sandbox, userMemories },
      report: (progress) => slow.set(id, { name, ...progress }),
      signal: closing.signal,
    })
      .then(
        (project) => {
          opened.set(id, project)
          // A verb of the command line does what it was asked for, and leaves the rest to the next window.
          if (options.frontend !== 'cli') goOn(project, options.log)
          return project
        },
        (error) => refuse(error, place),
      )
      .finally(() => slow.delete(id))
  }

  /** Whoever asks for the project from now on gets this one, unless it cannot be opened. */
  const keep = (id: ProjectId, opening: Promise<Project>): Promise<Project> => {
    open.set(id, opening)
    opening.catch(() => open.delete(id))
    return opening
  }

  const openAt = (place: ProjectPlace): Promise<Project> => {
    const { id } = place.info
    const closed = closings.get(id)
    return open.get(id) ?? keep(id, closed ? closed.then(() => openNow(place)) : openNow(place))
  }

  /** A project that is stored under its folder as it is now, or in memory. */
  const findPlace = async ({ id, rootFolder, kind }: StoredPlace): Promise<ProjectPlace> => {
    if (rootFolder === null || kind === 'scratch') return scratchPlace(options.dataFolder, id as ProjectId)
    return locateProject(options.dataFolder, rootFolder, kind, (real) => registry.isTrusted(real))
  }

  const readStored = (id: ProjectId): StoredPlace => {
    const place = /^[\w-]+$/.test(id) ? storedPlace(join(options.dataFolder, 'projects', id)) : undefined
    if (!place) throw new WireError('NOT_FOUND', 'This project is not known any more. Open its folder again.')
    return place
  }

  const rememberFolder = ({ rootFolder, info }: ProjectPlace): void => {
    if (rootFolder !== null) registry.remember(rootFolder, info.name, info.gitHead ?? null)
  }

  /** Closes a project, changes what it is opened from, and opens it again. */
  const openAgain = async (project: Project, change: () => void): Promise<void> => {
    const { id } = project.info()
    const stored = readStored(id)
    opened.delete(id)
    const again = async (): Promise<Project> => {
      await project[Symbol.asyncDispose]()
      change()
      return openNow(await findPlace(stored))
    }
    // Pages that follow the project ask for it again while it closes, and wait for the new one.
    await keep(id, again())
  }

  const close = async (project: Project): Promise<void> => {
    const summary = summarizeProject(project.services.log, Date.now())
    const { rootFolder } = project
    await project[Symbol.asyncDispose]()
    if (rootFolder === null) return
    registry.summarize(rootFolder, { ...summary, working: 0 })
    registry.setGitHead(rootFolder, readGitHead(rootFolder))
  }
  const letGo = (project: Project): Promise<void> => {
    const { id } = project.info()
    opened.delete(id)
    open.delete(id)
    const closed = close(project)
      .catch((error: unknown) => options.log('A project could not be closed', error))
      .finally(() => closings.delete(id))
    closings.set(id, closed)
    return closed
  }

  return {
    async open(path) {
      const found = await locateProject(options.dataFolder, path, 'folder', (real) => registry.isTrusted(real))
      // A demo that is opened again is still a demo, whose model needs no key.
      const isDemo = storedPlace(found.dataFolder)?.kind === 'demo'
      const place: ProjectPlace = isDemo ? { ...found, info: { ...found.info, kind: 'demo', trusted: true } } : found
      const project = await openAt(place)
      rememberFolder(place)
      return project
    },
    async findWithin(path) {
      const { info } = await locateProject(options.dataFolder, path, 'folder', (real) => registry.isTrusted(real))
      return info.within ?? null
    },
    async openDemo() {
      const folder = join(options.dataFolder, 'demo', randomUUID().slice(0, 8), basename(options.demoFolder))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await cp(options.demoFolder, folder, { recursive: true })
      const place = await locateProject(options.dataFolder, folder, 'demo', () => true)
      const project = await openAt(place)
      // Only the latest demo is among the recent folders.
      const demos = join(await realpath(options.dataFolder), 'demo') + sep
      for (const known of registry.recent()) if (known.path.startsWith(demos)) registry.forget(known.path)
      rememberFolder(place)
      return project
    },
    openScratch: () => openAt(scratchPlace(options.dataFolder, randomUUID().slice(0, 23) as ProjectId)),
    openStored: async (place) => openAt(await findPlace(place)),
    async reopen(id) {
      const place = readStored(id)
      const project = opened.get(id) ?? (await this.openStored(place))
      // A page opens its project again when another branch was checked out.
      if (project.rootFolder !== null) registry.setGitHead(project.rootFolder, readGitHead(project.rootFolder))
      return project
    },
    find: (id) => opened.get(id),
    get(id) {
      const project = opened.get(id)
      if (!project) throw new WireError('NOT_FOUND', 'This project is not open any more. Open its folder again.')
      return project
    },
    setTrusted(id, trusted) {
      const project = this.get(id)
      project.setTrusted(trusted)
      registry.setTrusted(project.info().path, trusted)
      return project.info()
    },
    recent: () =>
      registry.recent().map((known) => {
        const project = [...opened.values()].find(({ rootFolder }) => rootFolder === known.path)
        const now = project && { summary: summarizeProject(project.services.log, Date.now()) }
        return { ...known, ...now }
      }),
    opening: () => [...slow.values()],
    working: () =>
      [...opened.values()].reduce(
        (sum, project) => sum + summarizeProject(project.services.log, Date.now()).working,
        0,
      ),
    use: createUse(async () => {
      await Promise.all([...opened.values()].filter(isIdle).map(letGo))
    }),
    wake() {
      for (const project of opened.values()) project.runtime.wake()
    },
    async restoreBackup(id) {
      const project = this.get(id)
      const { lastBackup, databaseFile } = project
      if (lastBackup === null) throw new WireError('NOT_FOUND', 'There is no backup of this project.')
      await openAgain(project, () => restoreBackup(databaseFile, lastBackup, Date.now))
    },
    async addFolder(id, wanted) {
      const project = requireIdle(this.get(id))
      const { path, name, access } = folderToAdd(project, wanted, settings.read().folders, placesOf(options))
      await openAgain(project, () => settings.saveFolder(project.rootFolder ?? '', name, { path, access }))
    },
    async removeFolder(id, path) {
      const project = requireIdle(this.get(id))
      const { name } = folderToRemove(project, path, settings.read().folders)
      await openAgain(project, () => settings.saveFolder(project.rootFolder ?? '', name, undefined))
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new WireError('CANCELLED', 'The app is closing.'))
      await Promise.all(closings.values())
      const projects = await Promise.allSettled(open.values())
      await Promise.allSettled(
        projects.map(async (result) => {
          if (result.status === 'fulfilled') await close(result.value)
        }),
      )
    },
  }
}

function requireIdle(project: Project): Project {
  if (project.rootFolder === null)
    throw new WireError('REFUSED', 'A workspace without a folder has no other folders either.')
  if (summarizeProject(project.services.log, Date.now()).working > 0)
    throw new WireError(
      'REFUSED',
      'Agents work in this project, and it must be opened again for that. Stop them first.',
    )
  return project
}

/** What goes on in a window's project without a command. */
function goOn(project: Project, report: HostOptions['log']): void {
  watchAnswers(project)
  project.checks.resumeMerges().catch((error: unknown) => report('The merges that waited could not go on', error))
}

/** Turns the error of a database that cannot be opened into a refusal that a person can act on. */
function refuse(error: unknown, { dataFolder }: ProjectPlace): never {
  if (!(error instanceof JournalError)) throw error
  if (error.code === 'locked') throw new HeldProjectError(error.message, doorOfHolder(join(dataFolder, 'lock.db')))
  throw new WireError('UNREADABLE', error.message)
}
