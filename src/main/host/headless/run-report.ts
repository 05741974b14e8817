import { type ZodType, z } from 'zod'
import { readFamily } from '#core/journal/read-thread.ts'
import { type Difference, differenceKinds } from '#core/records/difference.ts'
import { branchDiff, emptyTree, listChanges } from '#overlay'
import type { HooksRun } from '#shared/contract/views/deliveries.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchDiff } from '#shared/model/branch.ts'
import { attemptVerdicts } from '#shared/model/calls/attempts.ts'
import type { Interrupt } from '#shared/model/calls/interrupt.ts'
import type { MadeCommit } from '#shared/model/calls/outcome.ts'
import { checkOutcomes } from '#shared/model/check.ts'
import { interrupt, madeCommit, threadId, usage } from '#shared/model/entry-parts.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { addUsage, noUsage, type Usage } from '#shared/model/models/usage.ts'
import { answerOf, type RunReason, type RunStatus } from '#shared/model/thread.ts'
import { findLeftInGit } from '../changes/left-in-git.ts'
import type { Project } from '../project/project.ts'
import { type ReportedAttempt, reportedAttempts } from './attempts-report.ts'
import type { ReportedCheck } from './require-checks.ts'
/** How a run without a window ended. The field names are those of the last `--json` line. */
export interface RunReport {
  readonly type: 'run.finished'
  readonly status: RunStatus
  /**
   * `not_delivered`: the agents finished, but the patch was not written or not applied. `checks`: a required check was
   * not green, so nothing was delivered. `replay`: something is not as recorded. `attempts`: none of them came to anything,
   * or the one to take could not be taken.
   */
  readonly reason: RunReason | 'not_delivered' | 'checks' | 'replay' | 'attempts'
  readonly message: string
  readonly threadId: ThreadId
  readonly answer: string
  readonly changes: {
    readonly written: readonly string[]
    readonly deleted: readonly string[]
    readonly renamed: BranchDiff['renamed']
  }
  /** The commits and stashes that agents left in git alone: no patch has them, and no apply writes them. */
  readonly commits: readonly (MadeCommit & { readonly agent: string })[]
  /** What `--deliver` made. Absent without it. */
  readonly delivered?: readonly DeliveredBranch[]
  /** What the hooks said before. Absent without `--hooks`. */
  readonly hooks?: HookFacts
  /** The folders of repositories that agents made. Their files are among the changes; an apply writes their `.git` too. */
  readonly repositories: readonly string[]
  readonly usage: Usage
  readonly interrupts: readonly Interrupt[]
  /** What `--require-checks` found. Absent without it, and when the agents did not finish. */
  readonly checks?: readonly ReportedCheck[]
  /** The attempts at the task, the best first. Absent without `--attempts`. */
  readonly attempts?: readonly ReportedAttempt[]
  /** What `--replay` found. Absent without it. */
  readonly replay?: ReplayReport
}

/** A branch of git that got commits. */
export interface DeliveredBranch {
  /** The folder of its repository, as agents name it. */
  readonly repository: string
  readonly branch: string
  /** Ids in full, the oldest first. */
  readonly commits: readonly string[]
  /** The address of its pull request. Absent for none. */
  readonly pull_request?: string
}

/** What hooks said about the commits of a delivery. */
export type HookFacts =
  | { readonly stopped: true }
  | (Pick<HooksRun, 'problem' | 'notes' | 'messages' | 'files'> & {
      readonly ran: readonly { readonly repository: string; readonly hooks: readonly string[] }[]
      /** Files whose changes `--hook-changes` took. */
      readonly taken: readonly string[]
    })

/** Whether a replay made the recorded trees. */
export interface ReplayReport {
  readonly same: boolean
  /** Replies that were served again. */
  readonly steps: number
  readonly agents: number
  readonly difference?: Difference
}

/** A run that was refused before it had a thread: no key, no such folder, or a project that is open elsewhere. */
export type RefusedReport = Omit<RunReport, 'reason' | 'threadId'> & {
  readonly reason: 'not_started'
  readonly threadId: null
}

const path = z.string()
const renamed = z.array(z.object({ from: path, to: path }))
const reasons = [
  'completed',
  'budget',
  'user',
  'interrupt',
  'step',
  'restart',
  'storage',
  'goal',
  'model_error',
  'refusal',
  'max_tokens',
  'context_window_exceeded',
  'invalid_answer',
  'internal_error',
  'not_delivered',
  'checks',
  'replay',
  'attempts',
  'not_started',
] as const satisfies readonly (RunReport | RefusedReport)['reason'][]

const hookFacts = z.union([
  z.object({ stopped: z.literal(true) }),
  z.object({
    ran: z.array(z.object({ repository: path, hooks: z.array(z.string()) })),
    problem: z.string().nullable().meta({ description: 'Why nothing was delivered. Null when they let it pass.' }),
    notes: z.array(z.string()),
    messages: z.int().meta({ description: 'Messages that they changed.' }),
    files: z
      .array(
        z.object({
          ...{ path, kind: z.string() },
          ...{ added: z.int().nullable(), removed: z.int().nullable() },
        }),
      )
      .meta({ description: 'Files that they changed and that nobody took.' }),
    taken: z.array(path).meta({ description: 'Files whose changes --hook-changes took.' }),
  }),
])

/** The last line of `--json`, for programs that read it. */
export const runFinishedSchema = z
  .object({
    type: z.literal('run.finished'),
    status: z.enum(['done', 'failed', 'interrupted', 'stopped']),
    reason: z.enum(reasons),
    message: z.string().meta({ description: 'A sentence for a person.' }),
    threadId: threadId.nullable().meta({ description: 'Null when the run was refused before it had a thread.' }),
    answer: z.string().meta({ description: 'The last reply of the main agent.' }),
    changes: z.object({ written: z.array(path), deleted: z.array(path), renamed }),
    commits: z.array(madeCommit.extend({ agent: z.string() })).meta({
      description: 'Commits and stashes that agents left in git alone: no patch has them, and no apply writes them.',
    }),
    delivered: z
      .array(
        z.object({
          repository: path,
          branch: z.string(),
          commits: z.array(z.string()),
          pull_request: z.string().optional(),
        }),
      )
      .optional()
      .meta({ description: 'With --deliver: the branches of git that got commits.' }),
    hooks: hookFacts.optional().meta({ description: 'With --deliver and --hooks: what the hooks said before.' }),
    repositories: z.array(path).meta({
      description: 'Folders of repositories that agents made: one entry of the changes each, with the files in it.',
    }),
    usage,
    interrupts: z.array(interrupt).meta({ description: 'What waits for decisions.' }),
    checks: z
      .array(z.object({ name: z.string(), status: z.enum(checkOutcomes), exit_code: z.int().nullable() }))
      .optional()
      .meta({ description: 'With --require-checks: what each check said about the result.' }),
    attempts: z
      .array(
        z.object({
          branch: z.string().nullable().meta({ description: 'For the next commands. Null when it could not be made.' }),
          checks: z.enum(attemptVerdicts).meta({
            description: 'none: no check ran. no change: it changed nothing, so no check says anything about it.',
          }),
          green_before: z.array(z.string()).meta({
            description: 'Green checks that were green before anything changed, so they say only that nothing broke.',
          }),
          lines: z.int().meta({ description: 'Lines added and removed.' }),
          cost: z.number().nullable().meta({ description: 'US dollars. Null when a price is unknown.' }),
          picked: z.boolean().meta({ description: 'Whether it was merged.' }),
        }),
      )
      .optional()
      .meta({ description: 'With --attempts: what came of each, the best first.' }),
    replay: z
      .object({
        same: z.boolean(),
        steps: z.int(),
        agents: z.int(),
        difference: z
          .object({
            kind: z.enum(differenceKinds),
            agent: z.string(),
            step: z.int(),
            message: z.string(),
            expected: z.string().optional(),
            found: z.string().optional(),
            files: z.array(path).optional(),
          })
          .optional()
          .meta({ description: 'The first thing that is not as recorded.' }),
      })
      .optional()
      .meta({ description: 'With --replay: whether every tree is the recorded one.' }),
  })
  .meta({ description: 'The last line: how the run ended.' }) satisfies ZodType<unknown>

const waiting = { status: 'interrupted', reason: 'interrupt', message: 'Waiting for decisions.' } as const
/** An end that is not in the journal, of agents that wait for nobody. */
const notStored = {
  status: 'interrupted',
  reason: 'storage',
  message:
    'The run could not be stored to its end, as when the disk of the data folder is full or may not be written. What was stored before stays. Make room, then go on with "coppice resume".',
} as const

/** Waits until no agent of the family can go on, then reports the state. */
export async function reportWhenQuiet(project: Project, threadId: ThreadId): Promise<RunReport> {
  await project.runtime.whenIdle(threadId)
  const { log, base, blobs } = project.services
  const family = readFamily(log, threadId)
  const [thread] = family
  if (!thread) throw new WireError('NOT_FOUND', `There is no thread ${threadId}.`)
  const interrupts = family.flatMap((member) => member.interrupts)
  const diff = branchDiff(
    await listChanges({ base, blobs, from: emptyTree, to: log.trees.heads.get(thread.branchId) ?? emptyTree }),
  )
  const end = thread.end ?? (interrupts.length > 0 ? waiting : notStored)
  return {
    type: 'run.finished',
    status: interrupts.length > 0 ? 'interrupted' : end.status,
    reason: interrupts.length > 0 ? 'interrupt' : end.reason,
    message: end.message,
    threadId,
    answer: answerOf(thread),
    changes: { written: diff.written.map(({ path }) => path), deleted: diff.deleted, renamed: diff.renamed },
    commits: await findCommits(project, threadId),
    repositories: (await findLeftInGit(project, thread.branchId)).repositories,
    usage: family.map(({ usage }) => usage).reduce(addUsage, noUsage),
    interrupts,
    ...reportedAttempts(project, threadId),
  }
}

/** What the agents of a thread's family left in git, each commit once. */
export async function findCommits(project: Project, threadId: ThreadId): Promise<RunReport['commits']> {
  const found = new Map<string, RunReport['commits'][number]>()
  for (const { agent, branchId } of readFamily(project.services.log, threadId)) {
    for (const commit of (await findLeftInGit(project, branchId)).commits) {
      const key = `${commit.repository} ${commit.id}`
      if (!found.has(key)) found.set(key, { ...commit, agent })
    }
  }
  return [...found.values()]
}

export function notStarted(message: string): RefusedReport {
  return {
    type: 'run.finished',
    status: 'failed',
    reason: 'not_started',
    message,
    threadId: null,
    answer: '',
    changes: { written: [], deleted: [], renamed: [] },
    commits: [],
    repositories: [],
    usage: noUsage,
    interrupts: [],
  }
}
