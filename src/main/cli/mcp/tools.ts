import { z } from 'zod'
import { endProcesses } from '#host/headless/end-processes.ts'
import { runChecks } from '#host/headless/run-checks.ts'
import { threadPatch } from '#host/headless/run-task.ts'
import { pdfReader } from '#host/inputs/read-input.ts'
import type { Project } from '#host/project/project.ts'
import { listAllThreads } from '#host/threads/stored-threads.ts'
import { send } from '#host/threads/thread-handlers.ts'
import type { Host } from '#host/wiring/create-host.ts'
import type { DirectClient } from '#host/wiring/direct-client.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { MadeCommit } from '#shared/model/calls/outcome.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { approvalModes, type ThreadState } from '#shared/model/thread.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { appPaths } from '../app-paths.ts'
import { UsageError } from '../arguments.ts'
import { type RunLine, runVerb } from '../run-verb.ts'
import { branchesOf, findAnyBranch } from '../thread-verb.ts'
import { describeThread, noThread } from './describe-thread.ts'

/** What a tool works with: one project that is open. */
export interface ToolPlace {
  readonly host: Host
  readonly runLine: RunLine
  readonly client: DirectClient
  readonly project: Project
  readonly signal: AbortSignal
  /** Takes a task that goes on after the answer: what resolves at its end. */
  readonly begun?: ((ended: Promise<unknown>) => void) | undefined
}

/** One tool for other agents. */
export interface TaskTool {
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** True for one that changes nothing, not even the journal. */
  readonly isReadOnly: boolean
  readonly run: (place: ToolPlace, args: never) => Promise<Readonly<Record<string, unknown>>>
}

/** Characters of a patch and of the output of a check that one answer holds. */
const most = { files: 1_000, patch: 100_000, output: 4_000, threads: 100 }

const thread_id = z.string().min(1).max(100).describe('The id of a thread, as start_task and list_threads give it.')
const branch = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('A branch by its handle (subagent_0), name or id. Absent for the workspace of the thread.')
const wait_seconds = z
  .int()
  .min(0)
  .max(600)
  .default(0)
  .describe('How long to wait for the end of the work. 0 answers at once.')
const paths = z
  .array(z.string().min(1).max(4096))
  .max(1000)
  .optional()
  .describe('Only these files or folders, such as /src/a.ts.')
const file = z.looseObject({ path: z.string(), kind: z.string() })
const cut = z.boolean().describe('True when only the beginning is here.')

const status = z.object({
  thread_id: z.string(),
  title: z.string(),
  status: z.string().describe('idle, queued, working, needs_you, paused, done, failed or stopped'),
  reason: z.string().nullable(),
  message: z.string(),
  answer: z.string(),
  answer_is_cut: cut,
  todos: z.array(z.object({ content: z.string(), status: z.string() })),
  subagents: z.array(z.object({ name: z.string(), handle: z.string().nullable(), status: z.string() })),
  waiting: z
    .array(z.object({ agent: z.string(), call_id: z.string(), tool: z.string(), about: z.string() }))
    .describe('Calls about which a person must decide.'),
  files_changed: z.int(),
  files: z.array(file),
  cost: z.number().nullable().describe('US dollars; null while the price of a model is unknown.'),
  next: z.string().describe('What to do next.'),
})

/** The tools by their names. None approves a call, writes to the folder or leaves the project. */
export const taskTools = {
  start_task: toolOf({
    title: 'Start a task',
    description:
      'Gives an agent of Coppice a task in this project, or the next message to one of its threads. It works on a copy-on-write branch: the folder is not written. Answers at once with the id of the thread; thread_status says how it goes. Calls that need approval wait for a person.',
    input: z.object({
      task: z.string().min(1).max(200_000),
      thread_id: thread_id.optional().describe('Goes on in this thread. Absent for a new one.'),
      model: z.string().min(1).max(260).optional().describe('A model, or PROFILE/MODEL. Absent for the usual one.'),
      mode: z
        .enum(approvalModes)
        .optional()
        .describe('How often it asks; only stricter than the settings of the person.'),
      wait_seconds,
    }),
    output: status,
    isReadOnly: false,
    run: startTask,
  }),
  list_threads: toolOf({
    title: 'List threads',
    description: 'Lists the threads of this project, the latest first.',
    input: z.object({ limit: z.int().min(1).max(most.threads).default(20) }),
    output: z.object({
      threads: z.array(
        z.object({
          thread_id: z.string(),
          title: z.string(),
          status: z.string(),
          updated_at: z.string(),
          waiting: z.int(),
        }),
      ),
    }),
    isReadOnly: true,
    async run({ host, project }, { limit }: { readonly limit: number }) {
      const { threads } = listAllThreads(host.options.dataFolder)
      const own = threads.filter((thread) => thread.project === project.rootFolder)
      return {
        threads: own.slice(0, limit).map(({ threadId, title, status, updatedAt, pendingApprovals }) => ({
          ...{ thread_id: threadId, title, status, waiting: pendingApprovals },
          updated_at: new Date(updatedAt).toISOString(),
        })),
      }
    },
  }),
  thread_status: toolOf({
    title: 'State of a thread',
    description:
      'Says how far a thread is: its answer, todos, subagents, changed files, cost, and what waits for a person.',
    input: z.object({ thread_id, wait_seconds }),
    output: status,
    isReadOnly: true,
    async run(place, args: OfThread & Waits) {
      const { id } = requireThread(place, args)
      await waitFor(place, id, args.wait_seconds)
      return describeThread(place.project, place.client, id)
    },
  }),
  list_branches: toolOf({
    title: 'List branches',
    description: 'Lists the branches of a thread’s subagents with their state, size and conflicts.',
    input: z.object({ thread_id }),
    output: z.looseObject({ branches: z.array(z.looseObject({ name: z.string(), state: z.string() })) }),
    isReadOnly: true,
    async run(place, args: OfThread) {
      const { id } = requireThread(place, args)
      const { branches } = (await verbAnswer(place, ['branches', id])) as { readonly branches: readonly BranchRow[] }
      return {
        branches: branches.map(({ name, handle, state, agentStatus, files, added, removed, toMerge, conflicts }) => ({
          ...{ name, handle, state, agent_status: agentStatus, files, added, removed, to_merge: toMerge },
          conflicts,
        })),
      }
    },
  }),
  diff: toolOf({
    title: 'Changes of a thread',
    description:
      'The changes of a thread’s workspace against the folder, or those of a branch against where it was forked: the files and a git patch, cut when it is long. Use paths, or stat for the files alone.',
    input: z.object({ thread_id, branch, paths, stat: z.boolean().default(false) }),
    output: z.object({
      ...{ files: z.array(file), files_are_cut: cut, patch: z.string().nullable(), patch_is_cut: cut },
      commits: z.array(z.looseObject({ id: z.string() })).describe('Commits that agents left in git alone.'),
    }),
    isReadOnly: true,
    async run(
      place,
      args: OfThread & { readonly branch?: string; readonly paths?: readonly string[]; readonly stat: boolean },
    ) {
      const { id } = requireThread(place, args)
      const words = [
        ...[id, ...(args.branch === undefined ? [] : [args.branch])],
        ...(args.paths ?? []).map((path) => `--paths=${path}`),
        ...(args.stat ? ['--stat'] : []),
      ]
      const { files, commits, patch } = (await verbAnswer(place, ['diff', ...words])) as unknown as ShownDiff
      return {
        files: files.slice(0, most.files).map(({ path, kind, added, removed }) => ({ path, kind, added, removed })),
        files_are_cut: files.length > most.files,
        patch: patch && beginningOf(patch, most.patch),
        patch_is_cut: (patch?.length ?? 0) > most.patch,
        commits,
      }
    },
  }),
  merge_preview: toolOf({
    title: 'What a merge would do',
    description:
      'Says for each open branch of a thread how many files would merge without a decision, and what is in conflict. Merges nothing.',
    input: z.object({ thread_id }),
    output: z.object({
      branches: z.array(
        z.object({
          ...{ branch: z.string(), handle: z.string().nullable(), ready: z.int(), conflicts: z.array(z.string()) },
          rivals: z.array(z.object({ branch: z.string(), path: z.string() })),
        }),
      ),
    }),
    isReadOnly: true,
    run: mergePreview,
  }),
  get_patch: toolOf({
    title: 'Patch of a thread',
    description:
      'The exact git patch of all changes of a thread’s workspace. A patch that is too long for one answer is refused: "coppice export" writes it to a file.',
    input: z.object({ thread_id }),
    output: z.object({
      patch: z.string(),
      files: z.int(),
      left_out: z.array(z.object({ path: z.string(), why: z.string() })),
    }),
    isReadOnly: true,
    async run(place, args: OfThread) {
      const { id } = requireThread(place, args)
      const { bytes, files, leftOut } = await threadPatch(place.project, id)
      const patch = Buffer.from(bytes).toString()
      if (patch.length > most.patch)
        throw new Error(
          `The patch has ${patch.length} characters. Write it to a file: coppice export ${id} --patch FILE, or ask for parts with diff and paths.`,
        )
      return { patch, files, left_out: leftOut.map(({ path, why }) => ({ path, why })) }
    },
  }),
  run_checks: toolOf({
    title: 'Run checks',
    description:
      'Runs checks that the person defined for this project on the changes of a thread or a branch, in a view that is thrown away, and waits for them.',
    input: z.object({ thread_id, branch, names: z.array(z.string().min(1).max(200)).max(200).optional() }),
    output: z.object({
      checks: z.array(
        z.object({
          name: z.string(),
          outcome: z.string(),
          exit_code: z.int().nullable(),
          note: z.string(),
          output: z.string(),
        }),
      ),
    }),
    isReadOnly: false,
    run: checkThread,
  }),
} as const satisfies Readonly<Record<string, TaskTool>>

export type ToolName = keyof typeof taskTools

/** What `coppice diff --json` says, as far as it is passed on. */
interface ShownDiff {
  readonly files: readonly FileChange[]
  readonly commits: readonly MadeCommit[]
  readonly patch: string | null
}

/** The same of `coppice branches --json`. */
interface BranchRow {
  readonly name: string
  readonly handle: string | null
  readonly state: string
  readonly agentStatus: string | null
  readonly files: number
  readonly added: number
  readonly removed: number
  readonly toMerge: number
  readonly conflicts: readonly string[]
}

interface OfThread {
  readonly thread_id: string
}
interface Waits {
  readonly wait_seconds: number
}

function toolOf<Args>(
  tool: Omit<TaskTool, 'run'> & { readonly run: (place: ToolPlace, args: Args) => ReturnType<TaskTool['run']> },
): TaskTool {
  return tool
}

/** A thread of this project that is not a subagent's. */
function requireThread({ project }: Pick<ToolPlace, 'project'>, { thread_id: id }: OfThread): ThreadState {
  const [thread] = project.family(id as ThreadId)
  if (!thread || thread.parent !== null || thread.deletedAt !== null) throw new UsageError(noThread(id))
  return thread
}

async function startTask(
  place: ToolPlace,
  args: Waits & {
    readonly task: string
    readonly thread_id?: string
    readonly model?: string
    readonly mode?: (typeof approvalModes)[number]
  },
) {
  const { host, project, client } = place
  const usual = host.settings.read().approvalMode
  const { task, model, mode } = args
  if (mode !== undefined && approvalModes.indexOf(mode) > approvalModes.indexOf(usual))
    throw new UsageError(
      `The mode ${mode} asks less often than ${usual}, which the settings of the person say. Only they can choose it.`,
    )
  const known = args.thread_id === undefined ? null : requireThread(place, { thread_id: args.thread_id }).id
  const message = { projectId: project.info().id, threadId: known, text: task, images: [], inputs: [], step: false }
  const chosen = { ...(model !== undefined && { model }), ...(mode !== undefined && { approvalMode: mode }) }
  await project.extensions.refresh()
  const { threadId } = await send(host, pdfReader(appPaths.pdfWorker), { ...message, ...chosen, delivery: 'queue' })
  // The project stays open while the task goes on. In a window, what it started goes on as well.
  const goOn = host.projects.use(async () => {
    await project.runtime.whenIdle(threadId)
    if (host.options.frontend === 'cli') await endProcesses(project, threadId)
  })
  // When this process ends first, the task is paused.
  const ended = goOn.catch(() => undefined)
  place.begun?.(ended)
  await waitFor(place, threadId, args.wait_seconds)
  return describeThread(project, client, threadId)
}

/** Waits until no agent of a thread can go on, at most so many seconds. */
async function waitFor({ project, signal }: ToolPlace, threadId: ThreadId, seconds: number): Promise<void> {
  if (seconds === 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, seconds * 1000)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await Promise.race([promise, project.runtime.whenIdle(threadId)])
  clearTimeout(timer)
}

async function verbAnswer({ host, runLine }: ToolPlace, words: readonly string[]): Promise<Record<string, unknown>> {
  const { output } = await runVerb(host, runLine, [...words, '--json'])
  const value = JSON.parse(output) as Record<string, unknown> & { readonly error?: { readonly message: string } }
  if (value.error) throw new UsageError(value.error.message)
  return Array.isArray(value) ? { branches: value } : value
}

async function mergePreview(place: ToolPlace, args: OfThread) {
  const { project, client } = place
  const { id } = requireThread(place, args)
  const branches = branchesOf(project.services.log.state, id).filter(({ status }) => status === 'open')
  const branchIds = branches.map((one) => one.id)
  const nameOf = (branchId: BranchId): string => branches.find((one) => one.id === branchId)?.name ?? branchId
  const surveys =
    branchIds.length === 0 ? [] : await client.branches.survey({ projectId: project.info().id, branchIds })
  return {
    branches: surveys.map(({ branchId, ready, conflicts, rivals }) => ({
      ...{ branch: nameOf(branchId), ready, conflicts: [...conflicts] },
      handle: branches.find((one) => one.id === branchId)?.handle ?? null,
      rivals: rivals.map((rival) => ({ branch: nameOf(rival.branchId), path: rival.path })),
    })),
  }
}

async function checkThread(
  place: ToolPlace,
  args: OfThread & { readonly branch?: string; readonly names?: readonly string[] },
) {
  const { project, signal } = place
  const thread = requireThread(place, args)
  const branchId = args.branch === undefined ? null : findAnyBranch(project.services.log.state, thread, args.branch)
  const results = await runChecks(project, thread.id, branchId, args.names ?? null, signal)
  if (!results.ok) throw new UsageError(results.error)
  return {
    checks: results.value.map(({ check: name, outcome, exitCode, note, output }) => ({
      ...{ name, outcome, exit_code: exitCode, note },
      output: output.slice(-most.output),
    })),
  }
}
