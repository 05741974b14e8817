import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { addWorktree, borrowRepository, hasCommit, removeWorktree } from '#adapters/git/worktree.ts'
import { listBranch } from '#core/checkouts/branch-files.ts'
import { makeCheckout } from '#core/commands/checkouts.ts'
import { commitAtStart } from '#core/delivery/find-deliveries.ts'
import { readBranch } from '#core/journal/read-thread.ts'
import type { Tree } from '#overlay'
import type { MadeCheckout } from '#shared/contract/views/checkouts.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Checkout } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { emptyAgain, requireFree, requireRoom } from './checkout-place.ts'
import { type CheckoutSources, headOf, openCheckout, placesOf } from './open-checkout.ts'

export interface CheckoutRequest {
  readonly branchId: BranchId
  /** Absolute: missing, or empty. Null for a folder of the app, which an editor opens. */
  readonly folder: string | null
  /** A branch of git to check out in it. It is made where it does not exist. Null for none. */
  readonly gitBranch: string | null
}

/** Makes a folder with the files of a branch, as `tree` has them. Throws a refusal; then nothing is left of it. */
export async function makeFolder(
  sources: CheckoutSources,
  { branchId, folder: wanted, gitBranch }: CheckoutRequest,
  signal: AbortSignal,
): Promise<{ readonly made: MadeCheckout; readonly tree: Tree }> {
  const tree = headOf(sources, branchId)
  const id = sources.services.ids.next()
  const folder = wanted === null ? editorFolder(sources, id) : await requireFree(sources, wanted, tree)
  const repository = await findRepository(sources)
  if (repository === null && gitBranch !== null)
    throw new WireError(
      'REFUSED',
      'There is no git repository with a commit here, so no branch of git can be checked out. Leave it out for a folder with the files alone.',
    )
  const { nodes } = await listBranch(sources.services, tree, signal)
  const bytes = [...nodes.values()].reduce((sum, node) => sum + (node.kind === 'file' ? node.size : 0), 0)
  requireRoom(folder, bytes)
  try {
    return {
      made: await make(
        sources,
        { branchId, tree, folder, gitBranch, id, repository, isEditor: wanted === null },
        signal,
      ),
      tree,
    }
  } catch (error) {
    throw refusedByDisk(folder, error) ?? error
  }
}

interface Making extends Preparation {
  readonly id: string
  readonly tree: Tree
}

async function make(sources: CheckoutSources, making: Making, signal: AbortSignal): Promise<MadeCheckout> {
  const { branchId, tree, folder, gitBranch, id, repository } = making
  const wasThere = existsSync(folder)
  await using undo = new AsyncDisposableStack()
  undo.defer(() => rmSync(placesOf(sources, id).own, { recursive: true, force: true }))
  undo.defer(() => emptyAgain(folder, wasThere))
  const { own, branch, making: mark } = placesOf(sources, id)
  mkdirSync(own, { recursive: true, mode: 0o700 })
  if (!making.isEditor) writeFileSync(mark, folder, { mode: 0o600 })
  const made: Omit<Checkout, 'tree'> = {
    ...{ id, folder, gitBranch },
    ...(await prepare(sources, making, undo)),
  }
  writeFileSync(branch, branchId, { mode: 0o600 })
  const leftOut = await fill(sources, { branchId, tree, made, prefix: repository?.prefix ?? '' }, signal)
  sources.run(makeCheckout(sources.services, branchId, made))
  undo.move()
  rmSync(mark, { force: true })
  return { checkoutId: id, folder, kind: made.kind, commit: made.commit, gitBranch, leftOut }
}

/** The folder that an editor opens, which has the name of the project. */
function editorFolder(sources: CheckoutSources, id: string): string {
  const { own } = placesOf(sources, id)
  mkdirSync(own, { recursive: true, mode: 0o700 })
  return join(realpathSync.native(own), basename(sources.rootFolder ?? 'workspace'))
}

interface Repository {
  readonly top: string
  readonly prefix: string
}

/** Null without a repository, and before its first commit. */
async function findRepository({ gitDelivery }: CheckoutSources): Promise<Repository | null> {
  try {
    const found = gitDelivery.find('')
    return (await hasCommit(found.top)) ? found : null
  } catch {
    return null
  }
}

interface Preparation extends Pick<CheckoutRequest, 'branchId' | 'gitBranch'> {
  readonly folder: string
  readonly repository: Repository | null
  readonly isEditor: boolean
}

/** Makes the folder, with git in it where the project has a commit. */
async function prepare(
  { services }: CheckoutSources,
  { branchId, gitBranch, folder, repository, isEditor }: Preparation,
  undo: AsyncDisposableStack,
): Promise<Pick<Checkout, 'kind' | 'commit'>> {
  if (isEditor) {
    mkdirSync(folder, { mode: 0o700 })
    const borrows = repository?.prefix === ''
    return { kind: 'editor', commit: borrows ? await borrowRepository(repository.top, folder) : null }
  }
  if (repository === null) {
    mkdirSync(folder, { recursive: true })
    return { kind: 'copy', commit: null }
  }
  const { top, prefix: left } = repository
  const threadId = readBranch(services.log, branchId)?.threadId
  const began = threadId ? commitAtStart(services.log, services.log.rootOf(threadId) ?? threadId) : null
  const commit = await addWorktree({ top, folder, commit: began, branch: gitBranch, left })
  undo.defer(() => removeWorktree(top, folder))
  return { kind: 'worktree', commit }
}

interface Filling {
  readonly branchId: BranchId
  readonly tree: Tree
  readonly made: Omit<Checkout, 'tree'>
  readonly prefix: string
}

async function fill(
  sources: CheckoutSources,
  { branchId, tree, made, prefix }: Filling,
  signal: AbortSignal,
): Promise<MadeCheckout['leftOut']> {
  const place = filesIn(made, prefix)
  mkdirSync(place, { recursive: true })
  const { checkout } = openCheckout(sources, branchId, { ...made, isLive: false }, place)
  return await checkout.fill(tree, signal)
}

/** What a disk refuses, in words. Null for another error. */
function refusedByDisk(folder: string, error: unknown): WireError | null {
  const { code, message } = Object(error) as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new WireError(
      'REFUSED',
      `The disk of ${folder} is full. Nothing was left there. Make room, or choose another disk.`,
    )
  const isAboutDisk = ['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG', 'EINVAL', 'EIO'].includes(code ?? '')
  return isAboutDisk ? new WireError('REFUSED', `${folder} cannot be written: ${message}. Choose another place.`) : null
}

/** Where a checkout has the files of the project: a worktree is of the whole repository around it. */
export function filesIn({ kind, folder }: Pick<Checkout, 'kind' | 'folder'>, prefix: string): string {
  return kind === 'worktree' ? join(folder, prefix) : folder
}
