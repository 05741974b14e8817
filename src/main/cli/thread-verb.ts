import type { Project } from '#host/project/project.ts'
import { findThread } from '#host/threads/stored-threads.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { createDirectClient, type DirectClient } from '#host/wiring/direct-client.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId, ProjectId } from '#shared/model/ids.ts'
import { familyOf, type ProjectState } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { answerVerb, describeError, exitCodeOf, type VerbAnswer, type VerbError } from './answer-verb.ts'
import { type CommandLine, UsageError } from './arguments.ts'
import { openHost } from './open-host.ts'
import { printLeftOut } from './print-status.ts'
import { type Line, lineOf } from './screen/spans.ts'

/** What verbs about a thread work with. Its client has the same commands as the window. */
export interface ThreadPlace {
  readonly host: Host
  readonly client: DirectClient
  readonly project: Project
  readonly projectId: ProjectId
  readonly thread: ThreadState
}

/** Opens the project of the thread that is the first argument, and answers with what `work` does there. */
export function answerAboutThread(
  line: CommandLine,
  work: (place: ThreadPlace) => Promise<VerbAnswer>,
): Promise<number> {
  return answerVerb(line, async () => {
    const word = requireWords(line, 1)
    await using host = await openHost(line, 'cli')
    const { project, thread, leftOut } = await findThread(host, word)
    printLeftOut(leftOut)
    return await work({ host, client: createDirectClient(host), project, projectId: project.info().id, thread })
  })
}

/** The first argument. Throws `UsageError` when fewer than `count` are given. */
function requireWords({ command, positionals }: CommandLine, count: number): string {
  const [first] = positionals
  if (first === undefined || positionals.length < count)
    throw new UsageError(`${command} needs a thread. "coppice threads" lists them.`)
  return first
}

/** The branch of a thread's family that a person named: by its handle, its name, its id or the beginning of one. */
export function findNamedBranch(state: ProjectState, { id }: ThreadState, word: string): Branch {
  const branches = branchesOf(state, id)
  const exact = branches.filter((branch) => [branch.id, branch.handle, branch.name].includes(word))
  const found = exact.length > 0 ? exact : branches.filter((branch) => word.length > 3 && branch.id.startsWith(word))
  const [first, second] = found
  if (!first) throw new UsageError(`There is no branch ${word} in this thread. ${listOf(branches)}`)
  if (second) throw new UsageError(`${word} fits several branches. Use an id. ${listOf(found)}`)
  return first
}

/** The same, where `workspace` stands for the thread's own branch. */
export function findAnyBranch(state: ProjectState, thread: ThreadState, word: string): BranchId {
  const isOwn = word === 'workspace' && !branchesOf(state, thread.id).some(({ name }) => name === word)
  return isOwn ? thread.branchId : findNamedBranch(state, thread, word).id
}

/** The branches that a person named, each once, however it was named. */
export function findNamedBranches(
  state: ProjectState,
  thread: ThreadState,
  words: readonly string[],
): readonly Branch[] {
  return [...new Set(words.map((word) => findNamedBranch(state, thread, word)))]
}

/** What a command did with each branch, and where it failed. */
export interface BranchOutcomes<Done> {
  readonly done: readonly { readonly branch: Branch; readonly result: Done }[]
  readonly failed: readonly { readonly branch: Branch; readonly error: VerbError }[]
  /** The exit code of the first failure. Null when there was none. */
  readonly code: number | null
}

/** Does the same with branches, one after the other. Throws the error of the only one. One of several stops no other. */
export async function doWithEach<Done>(
  branches: readonly Branch[],
  work: (branch: Branch) => Promise<Done>,
): Promise<BranchOutcomes<Done>> {
  const done: { readonly branch: Branch; readonly result: Done }[] = []
  const failed: { readonly branch: Branch; readonly error: VerbError }[] = []
  for (const branch of branches) {
    try {
      done.push({ branch, result: await work(branch) })
    } catch (error) {
      if (branches.length === 1) throw error
      failed.push({ branch, error: describeError(error) })
    }
  }
  const [first] = failed
  return { done, failed, code: first ? exitCodeOf(first.error.code) : null }
}

/** The failures for a program. */
export function failuresOf({ failed }: Pick<BranchOutcomes<unknown>, 'failed'>): readonly object[] {
  return failed.map(({ branch: { id, handle, name }, error }) => ({ branchId: id, handle, name, error }))
}

/** The failures for a person. */
export function failureLines({ failed }: Pick<BranchOutcomes<unknown>, 'failed'>): readonly Line[] {
  return failed.map(({ branch: { name }, error }) => lineOf(`${name}: ${error.message}`, 'bad'))
}

function listOf(branches: readonly Branch[]): string {
  if (branches.length === 0) return 'It has none, because it started no agents.'
  return `Branches: ${branches.map(({ name, handle, id }) => `${name} (${handle}, ${id.slice(0, 8)})`).join(', ')}.`
}

/** The branches of the agents below a thread, parents first. */
export function branchesOf(state: ProjectState, threadId: ThreadState['id']): readonly Branch[] {
  const ids = familyOf(state, threadId).map(({ branchId }) => branchId)
  return ids.flatMap((branchId: BranchId) => state.branches.get(branchId) ?? []).filter(({ parentId }) => parentId)
}

/** The paths of `--paths`; null for all. Throws `UsageError` for one that leads out of the project. */
export function pathsOf(line: CommandLine): VirtualPath[] | null {
  const words = line.texts('paths')
  if (words.length === 0) return null
  return words.map((word) => {
    const parsed = parseVirtualPath(word.startsWith('/') ? word : `/${word}`)
    if (!parsed.ok) throw new UsageError(`--paths: ${word}: ${parsed.error.message}`)
    return parsed.value
  })
}
