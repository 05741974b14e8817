import { promptFileAccess } from '#core/approval/file-policy.ts'
import { findApplyTarget } from '#core/commands/apply.ts'
import { takeChanges } from '#core/commands/checkouts.ts'
import { unwrap } from '#core/commands/command.ts'
import { withMessages } from '#core/delivery/plan-commits.ts'
import { type HooksAnswer, runHooks } from '#core/delivery/run-hooks.ts'
import { BranchMountError, type MountChange } from '#core/ports/branch-mounts.ts'
import { DeliveryError, type PlannedCommit } from '#core/ports/git-delivery.ts'
import { ShellError } from '#core/ports/shell.ts'
import { keepOnto } from '#core/trial/keep-onto.ts'
import { openTrial, type Trial } from '#core/trial/open-trial.ts'
import { linksText, notKeptText } from '#core/trial/place-changes.ts'
import { lacksOf } from '#core/trial/view-notes.ts'
import { createOverlayTransaction, listChanges, type Tree } from '#overlay'
import type { HooksRun } from '#shared/contract/views/deliveries.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import type { Project } from '../project/project.ts'
import { type DeliveryRequest, type PreparedDelivery, prepareDeliveries } from './prepare-delivery.ts'

export interface HooksRequest extends DeliveryRequest {
  /** As of a delivery. */
  readonly messages: readonly string[]
}

/** A run of hooks while a person decides about it. */
interface HeldRun {
  readonly id: string
  readonly request: HooksRequest
  readonly trial: Pick<Trial, 'tree' | 'hidden'>
  readonly changes: readonly MountChange[]
  readonly answers: readonly HooksAnswer[]
  /** Names what the hooks let pass. Null for nothing. */
  passed: string | null
}

/** The last run of each branch. A person who is away for longer runs them again, so nothing of it is stored. */
const heldRuns = new WeakMap<Project, Map<BranchId, HeldRun>>()

/** As long as a check. */
const timeoutMs = 600_000

/**
 * Runs the person's hooks for the commits that a delivery would make, as a trial over the workspace: in the sandbox, with what the
 * project's setup left, and with nothing that agents left beside their files. What they change is kept when `takeHooks` says so.
 * Throws `DeliveryError` before anything runs, and the abort reason.
 */
export async function openHooks(
  project: Project,
  request: HooksRequest,
): Promise<(onOutput: (text: string) => void, signal: AbortSignal) => Promise<HooksRun>> {
  const { state, reason } = project.services.shell.sandbox()
  if (state === 'off')
    throw new DeliveryError(
      'refused',
      `Hooks run in the sandbox, and there is none here. ${reason} Deliver without them; your own git runs them when you commit.`,
    )
  const { tree } = unwrap(findApplyTarget(project.services.log, request.branchId))
  using opened = new DisposableStack()
  const prepared = await prepareDeliveries(project, request, opened)
  const wanted = await Promise.all(prepared.flatMap((one) => (one.commits.length === 0 ? [] : hookedOf(one, request))))
  const passes = nameOf(project, prepared, request.messages)
  return (onOutput, signal) => run(project, { request, tree, wanted, passes }, onOutput, signal)
}

async function hookedOf({ repository, delivery, commits }: PreparedDelivery, { messages }: HooksRequest) {
  const { prefix, branch, base } = delivery.ground
  const named = withMessages(commits, messages)
  return {
    ...{ repository, prefix, branch, base },
    stream: Buffer.from(await delivery.streamOf(named)).toString('base64'),
    messages: named.map(({ message }) => message),
    hooksFolder: await delivery.hooksFolder(),
  }
}

interface Wanted {
  readonly request: HooksRequest
  readonly tree: Tree
  readonly wanted: readonly Awaited<ReturnType<typeof hookedOf>>[]
  readonly passes: string
}

async function run(
  project: Project,
  { request, tree, wanted, passes }: Wanted,
  onOutput: (text: string) => void,
  signal: AbortSignal,
): Promise<HooksRun> {
  const { services } = project
  const { shell, ids } = services
  const id = ids.next()
  const asker = { threadId: unwrap(findApplyTarget(services.log, request.branchId)).threadId, branchId: `${id} hooks` }
  const { layers } = await services.setup.prepare({ ...asker, branchId: asker.branchId as BranchId }, [], signal)
  const branch = createOverlayTransaction({ ...services, tree })
  const access = promptFileAccess(services.settings().policy)
  const view = { owner: `hooks ${id}`, branch, access, environment: layers, lifetime: 'once' } as const
  try {
    await using trial = await openTrial(services, view, signal)
    const answers: HooksAnswer[] = []
    for (const one of wanted)
      answers.push(await runHooks(one, { shell, view: trial.view, timeoutMs, onOutput }, signal))
    const captured = await trial.capture(false)
    trial.drop()
    signal.throwIfAborted()
    const { changes } = captured
    const kept = await keepOnto(services, trial, changes, { now: tree, moved: [] })
    const problem = problemIn(answers)
    const held: HeldRun = {
      ...{ id, request, answers },
      trial: { tree, hidden: trial.hidden },
      changes: kept.kind === 'kept' ? changes : [],
      passed: problem === null ? passes : null,
    }
    hold(project, held)
    return {
      ...{ id, problem },
      repositories: answers.map(({ repository, ran }) => ({ repository, ran })),
      notes: [
        ...answers.flatMap(({ notes }) => notes),
        ...lacksOf(trial.view),
        ...(kept.kind === 'refused' ? [kept.message] : []),
        ...[linksText(captured.refusedLinks ?? []), notKeptText(captured.notKept ?? [])].filter((text) => text !== ''),
      ],
      files: kept.kind === 'kept' ? await filesOf(project, tree, kept.branch.tree) : [],
      messages: answers.reduce((sum, answer) => sum + changedMessages(answer, wanted), 0),
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (!(error instanceof BranchMountError) && !(error instanceof ShellError)) throw error
    const problem = `The hooks could not be run: ${error.message}`
    return { id, repositories: [], problem, notes: [], files: [], messages: 0 }
  }
}

function problemIn(answers: readonly HooksAnswer[]): string | null {
  const [first] = answers.filter((one) => one.problem !== null)
  if (!first) return null
  return first.repository === '' ? first.problem : `In ${shownName(`/${first.repository}`)}: ${first.problem}`
}

function hold(project: Project, run: HeldRun): void {
  const runs = heldRuns.get(project) ?? new Map<BranchId, HeldRun>()
  heldRuns.set(project, runs.set(run.request.branchId, run))
}

async function filesOf({ services }: Project, from: Tree, to: Tree): Promise<HooksRun['files']> {
  const changes = await listChanges({ ...services, from, to })
  return changes.map(({ path, kind, added, removed }) => ({ path, kind, added, removed }))
}

function changedMessages({ repository, messages }: HooksAnswer, wanted: Wanted['wanted']): number {
  const given = wanted.find((one) => one.repository === repository)?.messages ?? []
  return given.filter((message, at) => messages[at]?.trim() !== message.trim()).length
}

/** Names the commits that would be made: other files, another base or other messages have another name. */
function nameOf({ services }: Project, prepared: readonly PreparedDelivery[], messages: readonly string[]): string {
  const parts = prepared.map(({ repository, delivery, commits }) => [
    ...[repository, delivery.ground.branch, delivery.ground.base],
    ...withMessages(commits, messages).map(({ message, files }) => [
      message,
      [...files].map(([path, file]) => [path, file?.mode, file?.id]),
    ]),
  ])
  return services.hashing.hash(new TextEncoder().encode(JSON.stringify(parts)))
}

/**
 * Makes what hooks changed the person's own change of the workspace, whose agent is told. `sequence` is the entry to undo, null for
 * none. Where the workspace has another version by now, that one stays and is named.
 */
export async function takeHooks(
  project: Project,
  branchId: BranchId,
  run: string,
): Promise<{ readonly sequence: number | null; readonly left: readonly VirtualPath[] }> {
  const held = requireRun(project, branchId, run)
  const { services } = project
  const head = () => unwrap(findApplyTarget(services.log, branchId)).tree
  const now = head()
  const isStill = held.passed !== null && held.passed === (await nameNow(project, held.request))
  const kept = await keepOnto(services, held.trial, held.changes, { now, moved: [] })
  if (kept.kind === 'refused') throw new WireError('REFUSED', kept.message)
  if (head() !== now) throw new WireError('CONFLICT', 'The workspace changed meanwhile. Take the changes again.')
  const patch = kept.branch.patch()
  const sequence = patch.length === 0 ? null : project.change(takeChanges(services, branchId, patch)).sequence
  // Whatever else came into the workspace since they ran, the hooks have not seen.
  const taken = head()
  const passed = isStill ? await nameNow(project, held.request) : null
  held.passed = head() === taken ? passed : null
  return { sequence, left: kept.left }
}

async function nameNow(project: Project, request: HooksRequest): Promise<string> {
  using opened = new DisposableStack()
  return nameOf(project, await prepareDeliveries(project, request, opened), request.messages)
}

/** The commits of each repository as the hooks let them pass. Throws `CONFLICT` when these are not what the hooks saw. */
export function passedHooks(
  project: Project,
  prepared: readonly PreparedDelivery[],
  { branchId, messages }: HooksRequest,
  run: string,
): (repository: string, commits: readonly PlannedCommit[]) => readonly PlannedCommit[] {
  const held = requireRun(project, branchId, run)
  if (held.passed !== nameOf(project, prepared, messages))
    throw new WireError('CONFLICT', 'The hooks did not let these commits pass. Run them again, then deliver.')
  return (repository, commits) => {
    const written = held.answers.find((one) => one.repository === repository)?.messages ?? []
    return withMessages(commits, written)
  }
}

function requireRun(project: Project, branchId: BranchId, run: string): HeldRun {
  const held = heldRuns.get(project)?.get(branchId)
  if (held?.id !== run) throw new WireError('NOT_FOUND', 'This run of hooks is not the last one. Run them again.')
  return held
}
