import { createPace } from '#adapters/pace.ts'
import { environmentOf } from '#core/branches/branch-trees.ts'
import { asGitStores, type StoredPatch } from '#core/branches/stored-patch.ts'
import { findApplyTarget } from '#core/commands/apply.ts'
import { unwrap } from '#core/commands/command.ts'
import { commitAtStart } from '#core/delivery/find-deliveries.ts'
import { planCommits } from '#core/delivery/plan-commits.ts'
import { type DeliveryChoices, type FilePlan, planFiles } from '#core/delivery/plan-files.ts'
import { appliedPaths, splitWork, type WorkPart } from '#core/delivery/split-commits.ts'
import type { DeliveryGround, PlannedCommit } from '#core/ports/git-delivery.ts'
import { collectPatchFiles, type Tree } from '#overlay'
import type { DeliveryPlan } from '#shared/contract/views/deliveries.ts'
import type { CommitUnit } from '#shared/model/delivery.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { isWithin, joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'

/** What a person asks for. */
export interface DeliveryRequest {
  readonly branchId: BranchId
  /** The branch of git. */
  readonly to: string
  readonly base: string | null
  readonly per: CommitUnit
  readonly uncommitted: DeliveryChoices['uncommitted']
  readonly keep: readonly { readonly path: VirtualPath; readonly side: 'ours' | 'theirs' }[]
}

/** A delivery into one repository that only has to be carried out. */
export interface PreparedDelivery {
  readonly threadId: ThreadId
  readonly repository: string
  readonly ground: DeliveryGround
  readonly commits: readonly PlannedCommit[]
  readonly files: FilePlan['files']
  readonly plan: DeliveryPlan
}

/**
 * What delivering a workspace would do, repositories inside others first: the commit of a submodule is what the one around it
 * points to. Writes nothing.
 */
export async function prepareDeliveries(
  project: Project,
  request: DeliveryRequest,
): Promise<readonly PreparedDelivery[]> {
  const { log } = project.services
  const { threadId, tree } = unwrap(findApplyTarget(log, request.branchId))
  const work: Work = {
    ...{ project, request, threadId, parts: splitWork(log, threadId, request.per) },
    applied: appliedPaths(log, { threadId, branchId: request.branchId }),
    made: (await project.services.mounts.findRepositories(environmentOf(log.trees, request.branchId))).map(
      ({ folder }) => folder,
    ),
  }
  const inner = await innerRepositories(work, tree)
  const prepared: PreparedDelivery[] = []
  for (const repository of inner) prepared.push(await prepareOne(work, repository))
  const within = prepared.filter(({ plan }) => plan.files.length > 0)
  return [...within, withoutThoseOf(within, await prepareOne(work, ''))]
}

/** What is delivered to a repository of its own is not left out. */
function withoutThoseOf(within: readonly PreparedDelivery[], around: PreparedDelivery): PreparedDelivery {
  const folders = within.map(({ repository }) => joinPath(rootPath, repository))
  const leftOut = around.plan.leftOut.filter(({ path }) => !folders.some((folder) => isWithin(path, folder)))
  return { ...around, plan: { ...around.plan, leftOut } }
}

interface Work {
  readonly project: Project
  readonly request: DeliveryRequest
  readonly threadId: ThreadId
  readonly parts: readonly WorkPart[]
  /** What an apply wrote to the folder, so that the workspace does not have it any more. */
  readonly applied: ReadonlySet<VirtualPath>
  /** Repositories that agents made, which an apply writes with their commits. */
  readonly made: readonly VirtualPath[]
}

/** The person's repositories below the project in which something changed, the deepest first. */
async function innerRepositories({ project, made }: Work, tree: Tree): Promise<readonly string[]> {
  const { files } = await collect(project, tree, null)
  const paths = files.flatMap(({ path, renamedFrom }) => (renamedFrom === undefined ? [path] : [path, renamedFrom]))
  const inner = await project.gitStorage.innerRepositories(paths)
  const ofAgents = new Set(made.map((folder) => folder.slice(1)))
  return [...inner].filter((folder) => !ofAgents.has(folder)).sort((a, b) => b.length - a.length)
}

async function prepareOne(work: Work, repository: string): Promise<PreparedDelivery> {
  const { project, request, threadId, parts } = work
  const { services, gitDelivery } = project
  const began = repository === '' ? commitAtStart(services.log, threadId) : null
  const { to: branch, base } = request
  const ground = await gitDelivery.open({ repository, branch, base: repository === '' ? base : null, began })
  const plans: (FilePlan & { readonly message: string })[] = []
  for (const { subject, tree } of parts)
    plans.push({ ...(await planTree(work, ground, repository, tree)), message: messageOf(subject) })
  const last = plans.at(-1)
  if (!last) throw new Error('A work has at least one part.')
  const commits = planCommits(services, ground, plans, goneFrom(work, ground, plans, last))
  return {
    ...{ threadId, repository, ground, commits, files: last.files },
    plan: {
      ...{ repository, folder: ground.top, branch, tip: ground.tip, base: ground.base },
      ...{ author: ground.author, signs: ground.signs, files: last.files, leftOut: last.leftOut },
      commits: commits.map(({ message, files }) => ({ message: message.trimEnd(), files: files.size })),
      notes: repository === '' ? ground.notes : [],
    },
  }
}

/** Paths that no commit gets: what is left at the end, and what an apply took out of the workspace. */
function goneFrom(
  { applied }: Work,
  { prefix }: DeliveryGround,
  plans: readonly FilePlan[],
  last: FilePlan,
): ReadonlySet<string> {
  const paths = new Set(plans.flatMap(({ delivered }) => [...delivered.keys()]))
  const atTop = (path: VirtualPath) => prefix + path.slice(1)
  const left = new Set(
    last.files.flatMap(({ path, state }) => (state === 'left' || state === 'conflict' ? [atTop(path)] : [])),
  )
  const written = new Set([...applied].map(atTop))
  return new Set([...paths].filter((path) => !last.delivered.has(path) && (left.has(path) || written.has(path))))
}

async function planTree(work: Work, ground: DeliveryGround, repository: string, tree: Tree): Promise<FilePlan> {
  const { project, request } = work
  const { services, gitDelivery: delivery } = project
  const stored = await storedFiles(work, repository, tree)
  const choices = {
    uncommitted: request.uncommitted,
    keep: new Map(request.keep.map(({ path, side }) => [path, side])),
  }
  return planFiles(
    { ...services, delivery },
    ground,
    { ...stored, repository: joinPath(rootPath, repository) },
    choices,
  )
}

async function storedFiles({ project, made }: Work, repository: string, tree: Tree): Promise<StoredPatch> {
  const folder = joinPath(rootPath, repository)
  const collected = await collect(project, tree, repository === '' ? null : [folder])
  return asGitStores(project.gitStorage, collected, { isChosen: repository !== '', made })
}

function collect({ services: { base, blobs, hashing } }: Project, tree: Tree, paths: readonly VirtualPath[] | null) {
  return collectPatchFiles({ base, blobs, hashing, tree, paths, pace: createPace() })
}

function messageOf(subject: string): string {
  return `${subject}\n`
}
