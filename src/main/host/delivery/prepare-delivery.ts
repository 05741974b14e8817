import { createPace } from '#adapters/pace.ts'
import { environmentOf } from '#core/branches/branch-trees.ts'
import { asGitStores, type StoredPatch } from '#core/branches/stored-patch.ts'
import { findApplyTarget } from '#core/commands/apply.ts'
import { unwrap } from '#core/commands/command.ts'
import { commitAtStart, findDeliveries } from '#core/delivery/find-deliveries.ts'
import { goOn } from '#core/delivery/go-on.ts'
import { makeWay } from '#core/delivery/make-way.ts'
import { planCommits } from '#core/delivery/plan-commits.ts'
import { type DeliveryChoices, type FilePlan, planFiles } from '#core/delivery/plan-files.ts'
import { appliedPaths, splitWork } from '#core/delivery/split-commits.ts'
import { treeAt } from '#core/journal/rewind.ts'
import { DeliveryError, type DeliveryGround, type OpenDelivery, type PlannedCommit } from '#core/ports/git-delivery.ts'
import { type CollectedPatch, collectPatchFiles, emptyTree, type Tree } from '#overlay'
import type { DeliveryPlan } from '#shared/contract/views/deliveries.ts'
import type { CommitUnit, DeliveryRecord } from '#shared/model/delivery.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { isWithin, joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
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
  readonly delivery: OpenDelivery
  readonly commits: readonly PlannedCommit[]
  readonly files: FilePlan['files']
  readonly plan: DeliveryPlan
}

/**
 * What delivering a workspace would do, repositories inside others first: the commit of a submodule is what the one around it
 * points to. Writes nothing. What it opens ends with `opened`.
 */
export async function prepareDeliveries(
  project: Project,
  request: DeliveryRequest,
  opened: DisposableStack,
): Promise<readonly PreparedDelivery[]> {
  const { log } = project.services
  const { threadId, tree } = unwrap(findApplyTarget(log, request.branchId))
  const work: Work = {
    ...{ project, request, threadId, opened },
    collected: new Map(),
    applied: appliedPaths(log, { threadId, branchId: request.branchId }),
    made: (await project.services.mounts.findRepositories(environmentOf(log.trees, request.branchId))).map(
      ({ folder }) => folder,
    ),
  }
  // Git looks at the repository while the files are read.
  const around = openOne(work, '')
  around.catch(() => undefined)
  const inner = await innerRepositories(work, tree)
  const prepared: PreparedDelivery[] = []
  for (const repository of inner) prepared.push(await prepareOne(work, repository, await openOne(work, repository)))
  prepared.push(await prepareOne(work, '', await around))
  const all: PreparedDelivery[] = []
  for (const one of prepared) all.push(await withPointerFiles(withoutThoseOf(project, prepared, one), all))
  // One around another that is delivered points to a new commit of it, also when nothing else changed there.
  return all.filter(
    ({ repository, plan }, at) =>
      repository === '' ||
      plan.files.length + plan.leftOut.length > 0 ||
      all.slice(0, at).some((one) => isBelow(one, repository) && one.plan.files.length > 0),
  )
}

/** The plan names the submodules that will have another commit. `inner` are planned already. */
async function withPointerFiles(
  around: PreparedDelivery,
  inner: readonly PreparedDelivery[],
): Promise<PreparedDelivery> {
  const { repository, delivery, plan } = around
  const made = inner.filter((one) => isBelow(one, repository) && one.plan.commits.length > 0)
  const pointers = await findPointers(
    delivery,
    repository,
    made.map((one) => one.repository),
  )
  if (pointers.length === 0) return around
  const files = pointers.map((one): FilePlan['files'][number] => ({
    ...{ path: joinPath(rootPath, one.repository), kind: 'modify', state: 'ready', uncommitted: null },
    why: 'It points to the new commit of this repository.',
  }))
  const last = plan.commits.at(-1) ?? { message: updatesSubmodules, files: 0 }
  const commits = [...plan.commits.slice(0, -1), { ...last, files: last.files + files.length }]
  return { ...around, plan: { ...plan, commits, files: [...plan.files, ...files] } }
}

/** What a commit of submodules alone says. */
export const updatesSubmodules = 'Update submodules'

/** Those of the repositories that the one around them has as submodules, with their paths in it. */
export async function findPointers(
  { ground, filesAt }: Pick<OpenDelivery, 'ground' | 'filesAt'>,
  around: string,
  repositories: readonly string[],
): Promise<readonly { readonly repository: string; readonly path: string }[]> {
  const below = around === '' ? 0 : around.length + 1
  const all = repositories.map((repository) => ({ repository, path: ground.prefix + repository.slice(below) }))
  const known =
    all.length === 0
      ? new Map()
      : await filesAt(
          ground.base,
          all.map(({ path }) => path),
        )
  return all.filter(({ path }) => known.get(path)?.mode === '160000')
}

function isBelow(one: Pick<PreparedDelivery, 'repository'>, repository: string): boolean {
  return one.repository !== repository && one.repository.startsWith(repository === '' ? '' : `${repository}/`)
}

/** What belongs to a repository of its own is delivered there, or was before. */
function withoutThoseOf(
  project: Project,
  all: readonly PreparedDelivery[],
  around: PreparedDelivery,
): PreparedDelivery {
  const within = all.filter((one) => isBelow(one, around.repository))
  const folders = within.map(({ repository }) => joinPath(rootPath, repository))
  const leftOut = around.plan.leftOut
    .filter(({ path }) => !folders.some((folder) => isWithin(path, folder)))
    .map((one) => ({ ...one, why: whyElsewhere(project, one.path) ?? one.why }))
  return { ...around, plan: { ...around.plan, leftOut } }
}

/** Why nothing of another folder of the project can be delivered. Null for a path of the first one. */
function whyElsewhere({ folders }: Project, path: VirtualPath): string | null {
  const other = folders.find(({ root }) => root !== rootPath && isWithin(path, root))
  if (!other) return null
  return other.isGone
    ? `Its folder ${other.path} is not on disk. Put it back, then deliver again.`
    : `Its folder ${other.path} has no git repository. Make one there with "git init" and a first commit, or write the change with "coppice apply".`
}

interface Work {
  readonly project: Project
  readonly request: DeliveryRequest
  readonly threadId: ThreadId
  /** As `appliedPaths` says. */
  readonly applied: ReturnType<typeof appliedPaths>
  /** Repositories that agents made, which an apply writes with their commits. */
  readonly made: readonly VirtualPath[]
  readonly opened: DisposableStack
  /** What was read of whole trees. */
  readonly collected: Map<Tree, Promise<CollectedPatch>>
}

/** The person's repositories below the project in which something changed, the deepest first. */
async function innerRepositories(work: Work, tree: Tree): Promise<readonly string[]> {
  const { project, made } = work
  const { files } = await collect(work, tree, '')
  const paths = files.flatMap(({ path, renamedFrom }) => (renamedFrom === undefined ? [path] : [path, renamedFrom]))
  const inner = await project.gitStorage.innerRepositories(paths)
  const ofAgents = new Set(made.map((folder) => folder.slice(1)))
  return [...inner]
    .filter((folder) => !ofAgents.has(folder) && isOwn(project, folder))
    .sort((a, b) => b.length - a.length)
}

/**
 * False for a submodule that is not fetched: git would take the repository around it. Its files are left out. Another folder of the
 * project may be a part of its repository, as the first one may.
 */
function isOwn({ gitDelivery, folders }: Project, repository: string): boolean {
  try {
    const { prefix } = gitDelivery.find(repository)
    return prefix === '' || folders.some(({ root }) => root === joinPath(rootPath, repository))
  } catch {
    return false
  }
}

async function openOne({ project, request, threadId, opened }: Work, repository: string): Promise<OpenDelivery> {
  const { services, gitDelivery } = project
  const began = repository === '' ? commitAtStart(services.log, threadId) : null
  const { to: branch, base } = request
  const place = { repository, branch, base: repository === '' ? base : null, began }
  const delivery = await gitDelivery.open(place).catch((error: unknown) => throwAbout(repository, error))
  if (opened.disposed) delivery[Symbol.dispose]()
  else opened.use(delivery)
  return delivery
}

async function prepareOne(work: Work, repository: string, delivery: OpenDelivery): Promise<PreparedDelivery> {
  const { project, request, threadId } = work
  const { ground } = delivery
  const earlier = await findEarlier(work, delivery, repository)
  const atTop = pathsAtTop(repository, ground)
  const plans: (FilePlan & { readonly message: string })[] = []
  for (const { subject, tree, until } of splitWork(project.services.log, threadId, request.per, earlier?.sequence)) {
    const planned = await planTree(work, delivery, { repository, earlier }, tree)
    plans.push({ ...planned, delivered: withoutApplied(work, atTop, planned, until), message: `${subject}\n` })
  }
  const last = plans.at(-1)
  if (!last) throw new Error('A work has at least one part.')
  const commits = planCommits(plans, goneFrom(work, atTop, plans, last))
  return {
    ...{ threadId, repository, delivery, commits, files: last.files },
    plan: {
      ...{ repository, folder: ground.top, branch: ground.branch, tip: ground.tip, base: ground.base },
      ...{ author: ground.author, signs: ground.signs, files: last.files, leftOut: last.leftOut },
      commits: commits.map(({ message, files }) => ({ message: message.trimEnd(), files: files.size })),
      notes: repository === '' ? ground.notes : [],
    },
  }
}

/** What a part did to a file that was applied since is in the folder, and in no commit. */
function withoutApplied(
  { applied }: Work,
  atTop: PathAtTop,
  { delivered }: FilePlan,
  until: Sequence | null,
): FilePlan['delivered'] {
  if (until === null || applied.size === 0) return delivered
  const later = new Set([...applied].flatMap(([path, at]) => (at > until ? [atTop(path)] : [])))
  return new Map([...delivered].filter(([path]) => !later.has(path)))
}

/** The name that a path of the project has in a repository. Those of other repositories get one that it does not have. */
type PathAtTop = (path: VirtualPath) => string

function pathsAtTop(repository: string, { prefix }: DeliveryGround): PathAtTop {
  const folder = joinPath(rootPath, repository)
  const start = folder === rootPath ? 1 : folder.length + 1
  return (path) => (isWithin(path, folder) ? prefix + path.slice(start) : '')
}

/** Says which of several repositories is meant. */
function throwAbout(repository: string, error: unknown): never {
  if (repository === '' || !(error instanceof DeliveryError)) throw error
  throw new DeliveryError(error.code, `In ${shownName(`/${repository}`)}: ${error.message}`)
}

/** What the branch has of the work already. */
interface Earlier {
  /** The entry of the last delivery. */
  readonly sequence: Sequence
  /** The commit that the first one stood on. */
  readonly base: string
}

/** The deliveries of the thread that the branch still has. Undefined for none. */
async function findEarlier(
  { project, threadId }: Work,
  { ground: { branch, tip }, hasCommit }: OpenDelivery,
  repository: string,
): Promise<Earlier | undefined> {
  if (tip === null) return undefined
  const known = findDeliveries(project.services.log, threadId).filter(
    (one) => !one.undone && one.branch === branch && one.repository === repository && one.files > 0,
  )
  const held: DeliveryRecord[] = []
  for (const one of known) if (await hasCommit(tip, one.commits.at(-1) ?? '')) held.push(one)
  const [first, last] = [held[0], held.at(-1)]
  return first && last && { sequence: last.sequence, base: first.base }
}

/** Paths that no commit gets: what is left at the end, and what an apply took out of the workspace. */
function goneFrom(
  { applied }: Work,
  atTop: PathAtTop,
  plans: readonly FilePlan[],
  last: FilePlan,
): ReadonlySet<string> {
  const paths = new Set(plans.flatMap(({ delivered }) => [...delivered.keys()]))
  const left = new Set(
    last.files.flatMap(({ path, state }) => (state === 'left' || state === 'conflict' ? [atTop(path)] : [])),
  )
  const written = new Set([...applied.keys()].map(atTop))
  return new Set([...paths].filter((path) => !last.delivered.has(path) && (left.has(path) || written.has(path))))
}

async function planTree(
  work: Work,
  delivery: OpenDelivery,
  { repository, earlier }: { readonly repository: string; readonly earlier: Earlier | undefined },
  tree: Tree,
): Promise<FilePlan> {
  const { project, request } = work
  const { ground } = delivery
  const sources = { ...project.services, delivery }
  const stored = await storedFiles(work, { delivery, repository }, tree)
  const choices = {
    uncommitted: request.uncommitted,
    keep: new Map(request.keep.map(({ path, side }) => [path, side])),
  }
  const folder = joinPath(rootPath, repository)
  const planOn = async (base: string, one: StoredPatch) =>
    planFiles(sources, { ...ground, base }, { ...one, repository: folder }, choices)
  const options = { repository: folder, choices }
  if (!earlier) return makeWay(sources, ground, await planOn(ground.base, stored), options)
  const then = treeAt(project.services.log, request.branchId, earlier.sequence) ?? emptyTree
  const since = {
    before: await planOn(earlier.base, await storedFiles(work, { delivery, repository }, then)),
    now: await planOn(earlier.base, stored),
    again: await planOn(ground.base, stored),
    applied: work.applied,
  }
  return makeWay(sources, ground, await goOn(sources, ground, since, options), options)
}

async function storedFiles(
  work: Work,
  { delivery, repository }: { readonly delivery: OpenDelivery; readonly repository: string },
  tree: Tree,
): Promise<StoredPatch> {
  const collected = await collect(work, tree, repository)
  return asGitStores(delivery.storage, collected, { repository, made: work.made })
}

/** The changes below the folder of a repository. Those of the whole project are read once for each tree. */
function collect({ project: { services }, collected }: Work, tree: Tree, repository: string): Promise<CollectedPatch> {
  const { base, blobs, hashing } = services
  const paths = repository === '' ? null : [joinPath(rootPath, repository)]
  const read = () => collectPatchFiles({ base, blobs, hashing, tree, paths, pace: createPace() })
  if (paths !== null) return read()
  const found = collected.get(tree) ?? read()
  collected.set(tree, found)
  return found
}
