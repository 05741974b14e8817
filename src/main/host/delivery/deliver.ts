import { findApplyTarget } from '#core/commands/apply.ts'
import { unwrap, write } from '#core/commands/command.ts'
import { findDeliveries } from '#core/delivery/find-deliveries.ts'
import { withMessages } from '#core/delivery/plan-commits.ts'
import { readThread } from '#core/journal/read-thread.ts'
import { DeliveryError, type PlannedCommit } from '#core/ports/git-delivery.ts'
import type { DeliveryReceipt } from '#shared/contract/views/deliveries.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { plural } from '#shared/text/plural.ts'
import type { DeliveredBranch } from '../headless/run-report.ts'
import type { Project } from '../project/project.ts'
import { passedHooks } from './hooks.ts'
import {
  type DeliveryRequest,
  findPointers,
  type PreparedDelivery,
  prepareDeliveries,
  updatesSubmodules,
} from './prepare-delivery.ts'

export interface DeliverOptions extends DeliveryRequest {
  /** In place of the planned messages, in order. Shorter than the commits for the rest as planned. */
  readonly messages: readonly string[]
  /** The run of hooks that let these commits pass. Null or absent for none: no hook runs. */
  readonly hooks?: string | null | undefined
  /** Null for as the person's settings of git say. */
  readonly sign: boolean | null
  /** The tips that a person saw. Absent for none. */
  readonly expected?: readonly { readonly repository: string; readonly tip: string | null }[] | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes commits of a workspace's changes, in each repository that they touch, and stores what was made. Empty where the branch has
 * everything already.
 */
export async function deliver(project: Project, options: DeliverOptions): Promise<readonly DeliveryReceipt[]> {
  using opened = new DisposableStack()
  const prepared = await prepareDeliveries(project, options, opened)
  requireDelivery(prepared, options)
  const planned = prepared.flatMap(({ commits }) => withMessages(commits, options.messages))
  await requireHooks(project, options, planned)
  const { hooks = null } = options
  const passed = hooks === null ? null : passedHooks(project, prepared, options, hooks)
  const receipts: DeliveryReceipt[] = []
  for (const one of prepared) {
    try {
      const named = withMessages(one.commits, options.messages)
      const commits = await withPointers(one, passed?.(one.repository, named) ?? named, receipts)
      if (commits.length > 0) receipts.push(await carryOut(project, options, one, commits))
    } catch (error) {
      const told = await takeBack(project, receipts)
      throw told === '' ? error : aboutAll(error, one.repository, told)
    }
  }
  return receipts
}

/** Hooks may refuse commits before they are made. */
export async function requireHooks(
  { runtime, services }: Project,
  { branchId, to, signal = new AbortController().signal }: Pick<DeliverOptions, 'branchId' | 'to' | 'signal'>,
  commits: readonly Pick<PlannedCommit, 'message'>[],
): Promise<void> {
  const { threadId } = unwrap(findApplyTarget(services.log, branchId))
  const facts = { branch_id: branchId, branch: to, messages: commits.map(({ message }) => message) }
  const refusal = await runtime.askHooks(threadId, { moment: 'BeforeDeliver', facts }, signal)
  if (refusal !== null) throw new DeliveryError('refused', refusal)
}

/** Takes back what was made in other repositories before one of them refused. Says what became of it, as sentences; empty for nothing. */
async function takeBack(project: Project, receipts: readonly DeliveryReceipt[]): Promise<string> {
  const told: string[] = []
  for (const { branchId, sequence, branch, repository } of receipts.toReversed()) {
    const about = `The branch ${branch} in ${shownName(`/${repository}`)}`
    const why = await undoDelivery(project, branchId, sequence).then(
      () => null,
      (error: Error) => error.message,
    )
    told.push(why === null ? `${about} is as it was before.` : `${about} has its commits already: ${why}`)
  }
  return told.join(' ')
}

function aboutAll(error: unknown, repository: string, told: string): unknown {
  if (!(error instanceof DeliveryError)) return error
  const place = repository === '' ? '' : `In ${shownName(`/${repository}`)}: `
  return new DeliveryError(error.code, `${place}${error.message.replace(/[^.!?]$/, '$&.')} ${told}`)
}

function requireDelivery(prepared: readonly PreparedDelivery[], { to, expected, messages }: DeliverOptions): void {
  if (messages.some((message) => message.includes('\0')))
    throw new DeliveryError('invalid', 'Git takes no message with a NUL character. Take it out, then deliver.')
  for (const { repository, delivery } of prepared) {
    const seen = expected?.find((one) => one.repository === repository)
    if (seen && seen.tip !== delivery.ground.tip)
      throw new WireError('CONFLICT', `The branch ${to} moved since you looked. Look again, then deliver.`)
  }
  const undecided = prepared.flatMap(({ files }) => files.filter(({ state }) => state === 'conflict'))
  const [first] = undecided
  if (first)
    throw new WireError(
      'CONFLICT',
      `${first.path}${undecided.length > 1 ? ` and ${plural(undecided.length - 1, 'more file', 'more files')}` : ''} must be decided first. ${first.why ?? ''}`.trimEnd(),
    )
  const left = prepared.flatMap(({ files, plan }) => [
    ...files.filter(({ state, why }) => state === 'left' && why !== null),
    ...plan.leftOut,
  ])
  const [only] = left
  if (only && prepared.every(({ commits }) => commits.length === 0))
    throw new WireError(
      'REFUSED',
      `Nothing can be delivered: ${plural(left.length, 'file is', 'files are')} left out. ${only.path}: ${only.why}`,
    )
}

/** A submodule that got commits is another commit of the repository around it. */
async function withPointers(
  { repository, delivery }: PreparedDelivery,
  commits: readonly PlannedCommit[],
  receipts: readonly DeliveryReceipt[],
): Promise<readonly PlannedCommit[]> {
  const below = repository === '' ? '' : `${repository}/`
  const inside = receipts.filter((one) => one.repository.startsWith(below) && one.repository !== repository)
  const found = await findPointers(
    delivery,
    repository,
    inside.map((one) => one.repository),
  )
  const pointers = found.flatMap(({ repository: inner, path }) => {
    const id = inside.find((one) => one.repository === inner)?.commits.at(-1)
    return id === undefined ? [] : [[path, { mode: '160000', id }] as const]
  })
  if (pointers.length === 0) return commits
  const last = commits.at(-1) ?? { message: `${updatesSubmodules}\n`, files: new Map() }
  return [...commits.slice(0, -1), { ...last, files: new Map([...last.files, ...pointers]) }]
}

async function carryOut(
  project: Project,
  { branchId, sign, signal }: DeliverOptions,
  { threadId, repository, delivery: opened }: PreparedDelivery,
  planned: readonly PlannedCommit[],
): Promise<DeliveryReceipt> {
  const { ground } = opened
  const commits = await opened.deliver(planned, { sign: sign ?? ground.signs, signal })
  const files = new Set(planned.flatMap((commit) => [...commit.files.keys()])).size
  const { branch, tip: before, base } = ground
  const delivery = { branchId, repository, branch, before, base, commits, files }
  const { sequence } = project.change(write([{ type: 'thread.delivered', threadId, delivery }]))
  return { ...delivery, sequence }
}

/** Takes one delivery back: the branch is where it was, or gone. Refused when somebody moved it or checked it out. */
export async function undoDelivery(project: Project, branchId: BranchId, sequence: Sequence): Promise<void> {
  const { threadId } = unwrap(findApplyTarget(project.services.log, branchId))
  const found = findDeliveries(project.services.log, threadId).find((one) => one.sequence === sequence)
  const from = found?.commits.at(-1)
  if (!found || from === undefined || found.undone)
    throw new DeliveryError('not_found', 'There is no delivery to undo at this point of the history.')
  const { repository, branch, before: to } = found
  await project.gitDelivery.withdraw({ repository, branch, from, to })
  project.change(write([{ type: 'delivery.undone', threadId, of: sequence }]))
}

/** The usual delivery of all changes of a thread. Throws `NOT_FOUND`. */
export function usualDelivery(
  project: Project,
  threadId: ThreadId,
  wanted: Pick<DeliverOptions, 'to' | 'per'>,
): Omit<DeliverOptions, 'hooks' | 'expected' | 'signal'> {
  const thread = readThread(project.services.log, threadId)
  if (!thread) throw new WireError('NOT_FOUND', `There is no thread ${threadId}.`)
  const usual = { base: null, uncommitted: 'leave', keep: [], messages: [], sign: null } as const
  return { ...usual, ...wanted, branchId: thread.branchId }
}

/** `--deliver`: carries a delivery out. Returns what each repository got; empty for no changes. */
export async function deliverThread(project: Project, options: DeliverOptions): Promise<readonly DeliveredBranch[]> {
  const receipts = await deliver(project, options)
  return receipts.map(({ repository, branch, commits }) => ({ repository: `/${repository}`, branch, commits }))
}
