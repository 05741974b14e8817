import { type Result, success } from '#shared/base/result.ts'
import type { MemoryEntryBody } from '#shared/model/entry.ts'
import { type ProjectId, projectThread, type Sequence } from '#shared/model/ids.ts'
import { latestVersion, versionBefore } from '#shared/model/memory.ts'
import { userMemoryKey } from '../journal/user-memory-delivery.ts'
import { memoryProblem } from '../memory/memory-files.ts'
import { type CommandError, type CommandProject, type Decided, refuse, write } from './command.ts'
import { memoryPath } from './memory.ts'

/** A change of a memory for all projects by a person. `latest` is the version they saw, null for none. */
interface UserMemoryChange {
  readonly name: string
  readonly latest: Sequence | null
}

/** Stores a version. Its text passes the same checks as an agent's. An unchanged text stores nothing. */
export function writeUserMemory(
  project: CommandProject,
  change: UserMemoryChange & { readonly text: string },
): Decided {
  const { name, text } = change
  const path = memoryPath(name)
  if (!path.ok) return path
  const problem = changeProblem(project, change)
  if (problem) return problem
  const unfit = memoryProblem(new TextEncoder().encode(text)) ?? nestingProblem(project, name)
  if (unfit !== null) return refuse('refused', unfit)
  if (project.userMemories.current().get(name)?.text === text) return write([])
  return writeEntry({ type: 'user_memory.written', name, text, agent: null, callId: null, restores: null })
}

/** Stores that the memory is gone; nothing where it is gone already or never was. */
export function deleteUserMemory(project: CommandProject, change: UserMemoryChange): Decided {
  const problem = changeProblem(project, change)
  if (problem) return problem
  const { name } = change
  if ((project.userMemories.current().get(name)?.text ?? null) === null) return write([])
  return writeEntry({ type: 'user_memory.deleted', name, agent: null, callId: null })
}

/** Stores a new version equal to `to`, or deletes the memory when `to` is null. The versions in between stay. */
export function restoreUserMemory(
  project: CommandProject,
  { to, ...change }: UserMemoryChange & { readonly to: Sequence | null },
): Decided {
  if (to === null) return deleteUserMemory(project, change)
  const problem = changeProblem(project, change)
  if (problem) return problem
  const text = findUserMemoryVersion(project, change.name, to)
  if (!text.ok) return text
  const by = { agent: null, callId: null }
  return writeEntry({ type: 'user_memory.written', name: change.name, text: text.value, ...by, restores: to })
}

/** Takes back one write or deletion of this project, as long as it is the latest version in all projects. */
export function undoUserMemory(
  { log, userMemories }: CommandProject,
  { projectId, sequence }: { readonly projectId: ProjectId; readonly sequence: Sequence },
): Decided {
  const entry = log.entryAt(sequence)
  if (entry?.type !== 'user_memory.written' && entry?.type !== 'user_memory.deleted')
    return refuse('not_found', 'There is nothing to undo at this point of the history.')
  const { name } = entry
  const problem = userMemories.problem()
  if (problem !== null) return refuse('refused', problem)
  const memory = userMemories.current().get(name)
  const version = userMemories.findVersion(userMemoryKey(entry, { id: projectId }))
  if (!memory || version === null)
    return refuse('not_found', 'The store of the memories for all projects lacks this version.')
  if (latestVersion(memory).sequence !== version) return refuse('conflict', writtenMeanwhile)
  const before = versionBefore(memory, version)
  const text = before && userMemories.textOf(name, before.sequence)
  const by = { agent: null, callId: null, undoes: sequence }
  if (!before || text === null) return writeEntry({ type: 'user_memory.deleted', name, ...by })
  return writeEntry({ type: 'user_memory.written', name, text, ...by, restores: before.sequence })
}

/** The text of one version. */
export function findUserMemoryVersion(
  { userMemories }: CommandProject,
  name: string,
  version: Sequence,
): Result<string, CommandError> {
  const text = userMemories.textOf(name, version)
  if (text !== null) return success(text)
  return refuse(
    'not_found',
    userMemories.problem() ?? 'There is no version of this memory at this point of its history.',
  )
}

const writtenMeanwhile =
  'This memory was written again meanwhile, perhaps in another project. Look at it as it is now, then try again.'

function writeEntry(body: MemoryEntryBody): Decided {
  return write([{ ...body, threadId: projectThread }])
}

function changeProblem(
  { userMemories }: CommandProject,
  { name, latest }: UserMemoryChange,
): Result<never, CommandError> | undefined {
  const problem = userMemories.problem()
  if (problem !== null) return refuse('refused', problem)
  const memory = userMemories.current().get(name)
  return (memory ? latestVersion(memory).sequence : null) === latest ? undefined : refuse('conflict', writtenMeanwhile)
}

/** A memory is a file, so nothing can be below it, and a folder cannot become one. Null when the name fits. */
function nestingProblem({ userMemories }: CommandProject, name: string): string | null {
  for (const memory of userMemories.current().values()) {
    if (memory.text === null || memory.name === name) continue
    if (name.startsWith(`${memory.name}/`)) return `${memory.name} is a memory, so nothing can be below it.`
    if (memory.name.startsWith(`${name}/`)) return `${name} is a folder of memories. Choose another name.`
  }
  return null
}
