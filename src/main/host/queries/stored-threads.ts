import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isProjectOpen } from '#adapters/sqlite/project-lock.ts'
import { readStoredEntries } from '#adapters/sqlite/read-entries.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { createReplay } from '#shared/model/fold/project.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { emptyProject, familyOf, type ProjectState } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { Host } from '../composition/create-host.ts'
import type { Project } from '../composition/project.ts'
import { type StoredPlace, storedPlace } from '../composition/project-place.ts'

export interface StoredThread {
  readonly threadId: ThreadId
  readonly title: string
  readonly status: string
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number
  /** The project's folder, or its name when it has none. */
  readonly project: string
  readonly pendingApprovals: number
}

/** The root threads of all projects, latest first. Takes no project's lock. */
export function listAllThreads(dataFolder: string): readonly StoredThread[] {
  return storedProjects(dataFolder)
    .flatMap(({ place, state, isOpen }) => rootThreads(place, state(), isOpen()))
    .sort((a, b) => b.updatedAt - a.updatedAt)
}

/** Finds the project of a thread by the thread's id. Undefined when there is none. */
function placeOfThread(dataFolder: string, threadId: string): StoredPlace | undefined {
  return storedProjects(dataFolder).find(({ state }) => state().threads.has(threadId as ThreadId))?.place
}

function storedProjects(
  dataFolder: string,
): readonly { readonly place: StoredPlace; readonly state: () => ProjectState; readonly isOpen: () => boolean }[] {
  const projects = join(dataFolder, 'projects')
  if (!existsSync(projects)) return []
  return readdirSync(projects).flatMap((id) => {
    const place = storedPlace(join(projects, id))
    const state = () => readStoredEntries(join(projects, id, 'project.db')).reduce(createReplay(), emptyProject)
    const isOpen = () => isProjectOpen(join(projects, id, 'lock.db'))
    return place ? [{ place, state, isOpen }] : []
  })
}

/**
 * Root threads of one project. When no process has the project open, a working thread was cut off and waits to be
 * resumed.
 */
function rootThreads(place: StoredPlace, state: ProjectState, isOpen: boolean): readonly StoredThread[] {
  return [...state.threads.values()]
    .filter(({ parent, deletedAt }) => parent === null && deletedAt === null)
    .map(({ id, title, status, updatedAt }) => ({
      threadId: id,
      title,
      status: status === 'working' && !isOpen ? 'paused' : status,
      updatedAt,
      project: place.rootFolder ?? place.name,
      pendingApprovals: familyOf(state, id).reduce((count, { interrupts }) => count + interrupts.length, 0),
    }))
}

/** Opens the project of a thread that is known by its id alone. */
export async function findThread(
  host: Host,
  id: string,
): Promise<{ readonly project: Project; readonly thread: ThreadState }> {
  const place = placeOfThread(host.options.dataFolder, id)
  if (!place) throw new WireError('NOT_FOUND', `There is no thread ${id}. "coppice threads" lists them.`)
  const project = await host.projects.openStored(place)
  const thread = project.services.log.state.threads.get(id as ThreadId)
  if (!thread) throw new WireError('NOT_FOUND', `There is no thread ${id}. "coppice threads" lists them.`)
  return { project, thread: project.requireActive(thread.id) }
}
