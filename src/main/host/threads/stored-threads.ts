import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isProjectOpen } from '#adapters/sqlite/file/project-lock.ts'
import { openStoredProject, readStoredEntries } from '#adapters/sqlite/read-entries.ts'
import { openProjectLog } from '#core/journal/project-log.ts'
import { JournalError } from '#core/ports/journal.ts'
import { nodeHashing } from '#overlay/node'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Entry } from '#shared/model/entry.ts'
import { createReplay } from '#shared/model/fold/project.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { emptyProject, familyOf, type ProjectState } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Project } from '../project/project.ts'
import { type StoredPlace, storedPlaces } from '../project/project-place.ts'

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

/** A project whose threads cannot be read, and why. */
export interface LeftOutProject {
  /** Its folder, or its name when it has none. */
  readonly project: string
  readonly problem: string
}

export interface StoredThreads {
  readonly threads: readonly StoredThread[]
  readonly leftOut: readonly LeftOutProject[]
}

/**
 * The root threads of all projects, latest first. Takes no project's lock. A project that cannot be read does not hide
 * the others, and is named.
 */
export function listAllThreads(dataFolder: string): StoredThreads {
  const leftOut: LeftOutProject[] = []
  const threads = [...storedProjects(dataFolder, (one) => leftOut.push(one))]
    .flatMap(({ place, threads, isOpen }) => rootThreads(place, threads, isOpen()))
    .sort((a, b) => b.updatedAt - a.updatedAt)
  return { threads, leftOut }
}

/** A thread that a person named, and where its project lies. */
interface NamedThread {
  readonly place: StoredPlace
  readonly threadId: ThreadId
  /** Projects that cannot be read and may have a later thread, when the word was `last`. Else empty. */
  readonly leftOut: readonly LeftOutProject[]
}

/**
 * Finds a thread by its id, by the beginning of the id of a root thread, or by the word `last`. Throws a refusal when
 * there is none, or when the beginning fits several.
 */
function findNamedThread(dataFolder: string, word: string): NamedThread {
  const named: (Omit<NamedThread, 'leftOut'> & Pick<ThreadState, 'title' | 'updatedAt'>)[] = []
  const leftOut: LeftOutProject[] = []
  for (const { place, threads } of storedProjects(dataFolder, (one) => leftOut.push(one))) {
    if (threads.has(word as ThreadId)) return { place, threadId: word as ThreadId, leftOut: [] }
    for (const { id, deletedAt, title, updatedAt } of threads.roots) {
      const fits = word === 'last' || (word !== '' && id.startsWith(word))
      if (deletedAt === null && fits) named.push({ place, threadId: id, title, updatedAt })
    }
  }
  const [first, second] = named.sort((a, b) => b.updatedAt - a.updatedAt)
  if (!first) throw noSuchThread(word, leftOut)
  if (second && word !== 'last') {
    const list = named.map(({ threadId, title }) => `${threadId} (${title})`).join(', ')
    throw new WireError('BAD_REQUEST', `${word} is the beginning of several threads: ${list}.`)
  }
  return { place: first.place, threadId: first.threadId, leftOut: word === 'last' ? leftOut : [] }
}

function noSuchThread(word: string, leftOut: readonly LeftOutProject[]): WireError {
  const [one] = leftOut
  if (!one) return new WireError('NOT_FOUND', `There is no thread ${word}. "coppice threads" lists them.`)
  const more = leftOut.length > 1 ? ` and ${leftOut.length - 1} more` : ''
  return new WireError(
    'UNREADABLE',
    `There is no thread ${word} in what can be read. Left out: ${one.project}${more}: ${one.problem}`,
  )
}

/** A stored thread that may be open in another process. Everything is read anew by each call. */
export interface StoredJournal extends Pick<NamedThread, 'threadId' | 'leftOut'> {
  /** The project's state with the thread's family. Other families may be left out. */
  readonly state: () => ProjectState
  /** The entries of the project after a sequence. */
  readonly entries: (after: number) => readonly Entry[]
  /** Whether a process has the project open now. */
  readonly isOpen: () => boolean
}

/** Finds the journal of a thread without opening its project. Takes no lock. */
export function findJournal(dataFolder: string, word: string): StoredJournal {
  const { place, threadId, leftOut } = findNamedThread(dataFolder, word)
  const folder = join(dataFolder, 'projects', place.id)
  return {
    ...{ threadId, leftOut },
    state: () => readFamily(join(folder, 'project.db'), threadId),
    entries: (after) => readStoredEntries(join(folder, 'project.db'), after),
    isOpen: () => isProjectOpen(join(folder, 'lock.db')),
  }
}

interface StoredProjectThreads {
  readonly place: StoredPlace
  readonly threads: ThreadsOfProject
  readonly isOpen: () => boolean
}

function* storedProjects(
  dataFolder: string,
  leaveOut: (project: LeftOutProject) => void,
): Generator<StoredProjectThreads> {
  const onUnknown = (project: string, problem: string) => leaveOut({ project, problem })
  for (const { place, folder } of storedPlaces(dataFolder, onUnknown)) {
    const threads = readThreads(folder)
    const project = place.rootFolder ?? place.name
    if ('problem' in threads) leaveOut({ project, problem: threads.problem })
    else yield { place, threads, isOpen: () => isProjectOpen(join(folder, 'lock.db')) }
  }
}

/** What a project's journal says about its threads. */
interface ThreadsOfProject {
  readonly roots: readonly Pick<ThreadState, 'id' | 'title' | 'status' | 'updatedAt' | 'deletedAt'>[]
  /** Whether a thread was ever begun, of a subagent too. */
  has(id: ThreadId): boolean
  /** Calls of the thread and its subagents that wait for a person. */
  waiting(root: ThreadId): number
}

/**
 * Reads no more than a project needs to open. The journal of an older version is read whole. Whatever goes wrong stays
 * with this project: it is said, and does not hide the threads of all others.
 */
function readThreads(folder: string): ThreadsOfProject | { readonly problem: string } {
  const file = join(folder, 'project.db')
  try {
    // Whoever opens a project for the first time has an empty file for a moment.
    const isEmpty = statSync(file, { throwIfNoEntry: false })?.size === 0
    if (isEmpty && !isProjectOpen(join(folder, 'lock.db')))
      return {
        problem:
          'Its journal is an empty file. Open the project: what was there before is offered if there is a backup.',
      }
    return readThreadsOf(file)
  } catch (error) {
    const why = (error as Error).message
    return { problem: error instanceof JournalError ? why : `Its journal cannot be read (${why}).` }
  }
}

function readThreadsOf(file: string): ThreadsOfProject {
  using stored = openStoredProject(file, nodeHashing)
  if (stored === null) return threadsIn(readStoredEntries(file).reduce(createReplay(), emptyProject))
  const log = openProjectLog(stored.journal, () => undefined, { folds: stored.folds })
  const families = [...log.families().values()]
  const begun = new Set(log.entries(['thread.created']).map(({ threadId }) => threadId))
  // Every family in which a call waits is loaded.
  return { ...threadsIn(log.state), roots: families.map(({ root }) => root), has: (id) => begun.has(id) }
}

function readFamily(file: string, threadId: ThreadId): ProjectState {
  using stored = openStoredProject(file, nodeHashing)
  if (stored === null) return readStoredEntries(file).reduce(createReplay(), emptyProject)
  const log = openProjectLog(stored.journal, () => undefined, { folds: stored.folds })
  log.load([threadId])
  return log.state
}

function threadsIn(state: ProjectState): ThreadsOfProject {
  return {
    roots: [...state.threads.values()].filter(({ parent }) => parent === null),
    has: (id) => state.threads.has(id),
    waiting: (root) => familyOf(state, root).reduce((count, { interrupts }) => count + interrupts.length, 0),
  }
}

/**
 * Root threads of one project. When no process has the project open, a working thread was cut off and waits to be
 * resumed.
 */
function rootThreads(place: StoredPlace, threads: ThreadsOfProject, isOpen: boolean): readonly StoredThread[] {
  return threads.roots
    .filter(({ deletedAt }) => deletedAt === null)
    .map(({ id, title, status, updatedAt }) => ({
      threadId: id,
      title,
      status: status === 'working' && !isOpen ? 'paused' : status,
      updatedAt,
      project: place.rootFolder ?? place.name,
      pendingApprovals: threads.waiting(id),
    }))
}

/** Opens the project of a thread that a person named: by its id, the beginning of one, or `last`. */
export async function findThread(
  host: HostParts,
  word: string,
): Promise<{ readonly project: Project; readonly thread: ThreadState } & Pick<NamedThread, 'leftOut'>> {
  const { place, threadId, leftOut } = findNamedThread(host.options.dataFolder, word)
  const project = await host.projects.openStored(place)
  return { project, thread: project.requireActive(threadId), leftOut }
}
