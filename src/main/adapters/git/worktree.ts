import { DeliveryError } from '#core/ports/git-delivery.ts'
import { askRepository, ownerOf, partsOf } from './ask-repository.ts'
import { gitFailed, textOf } from './run-git.ts'

/** No hook of the repository runs. */
const withoutHooks = ['-c', 'core.hooksPath=/dev/null']
const longMs = 600_000

export interface WorktreeRequest {
  /** The top of the person's repository. */
  readonly top: string
  /** Absolute. Missing, or an empty folder. */
  readonly folder: string
  /** The commit that is checked out. Null for the one of `branch`, which must exist then, or of the repository's HEAD. */
  readonly commit: string | null
  /** A branch of git to check out. It is made at the commit where it does not exist. Null for none (a detached HEAD). */
  readonly branch: string | null
  /** The part of the repository that somebody else fills: empty for all of it, or a path that ends with a slash. */
  readonly left: string
}

/**
 * Makes a worktree whose index is that of its commit. All files of `left` are missing in it. Throws `DeliveryError`; then there
 * is neither a worktree nor a new branch.
 */
export async function addWorktree({ top, folder, commit, branch, left }: WorktreeRequest): Promise<string> {
  const git = (cwd: string, ...args: readonly string[]) => runFor(top, cwd, args)
  const exists =
    branch !== null && (await git(top, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)).status === 0
  const start = commit ?? 'HEAD'
  if (!exists && (await git(top, 'cat-file', '-e', `${start}^{commit}`)).status !== 0)
    throw new DeliveryError(
      'refused',
      `The commit that the work began with (${start.slice(0, 10)}) is not in the repository any more: it was rewritten. Name a branch of git that exists, to check that out.`,
    )
  const how = branch === null ? ['--detach', folder, start] : exists ? [folder, branch] : ['-b', branch, folder, start]
  const added = await git(top, 'worktree', 'add', '--no-checkout', ...how)
  if (added.status !== 0) throw new DeliveryError('refused', `${gitFailed('Git made no worktree', added)}.`)
  const read = await git(folder, 'read-tree', 'HEAD')
  await leaveOutSparse(top, folder)
  const rest =
    left === '' || read.status !== 0
      ? read
      : await git(folder, 'checkout', '--quiet', '--', ':/', `:(top,exclude)${left.slice(0, -1)}`)
  const head = await git(folder, 'rev-parse', 'HEAD')
  if (rest.status === 0 && head.status === 0) return textOf(head)
  await removeWorktree(top, folder)
  if (branch !== null && !exists) await git(top, 'branch', '-D', branch)
  throw new DeliveryError(
    'refused',
    `${gitFailed('Git could not fill the worktree', rest.status === 0 ? head : rest)}.`,
  )
}

/** What the person's own checkout leaves out is not missing in this one either. */
async function leaveOutSparse(top: string, folder: string): Promise<void> {
  const listed = await runFor(top, top, ['ls-files', '-t', '-z'])
  const sparse = partsOf(listed).flatMap((line) => (line.startsWith('S ') ? [line.slice(2)] : []))
  if (sparse.length > 0)
    await runFor(top, folder, ['update-index', '-z', '--skip-worktree', '--stdin'], `${sparse.join('\0')}\0`)
}

/** Whether the repository has a commit that can be checked out. */
export async function hasCommit(top: string): Promise<boolean> {
  return (await runFor(top, top, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])).status === 0
}

/** Removes a worktree with everything in it. What is on a branch stays. Throws `DeliveryError`. */
export async function removeWorktree(top: string, folder: string): Promise<void> {
  const removed = await runFor(top, top, ['worktree', 'remove', '--force', folder])
  if (removed.status !== 0)
    throw new DeliveryError('refused', `${gitFailed('Git did not remove the worktree', removed)}.`)
}

/**
 * How many commits would be lost with this folder: of a worktree, those of its HEAD that no branch has; of a borrowed repository,
 * those that it got after `began`. 0 where that is not known.
 */
export async function countOwnCommits(folder: string, began: 'worktree' | (string & {})): Promise<number> {
  const others = began === 'worktree' ? ['HEAD', '--not', '--branches', '--tags'] : ['HEAD', '--all', '--not', began]
  const counted = await runFor(folder, folder, ['rev-list', '--count', ...others, '--remotes'])
  return counted.status === 0 ? Number(textOf(counted)) : 0
}

/**
 * A repository of its own in a folder that has none, with the commits of another one: it takes the objects from there. Resolves
 * to the commit that is checked out, or null before the first one. Throws `DeliveryError`.
 */
export async function borrowRepository(top: string, folder: string): Promise<string | null> {
  const cloned = await runFor(top, top, ['clone', '--quiet', '--shared', '--no-checkout', '--template=', top, folder])
  if (cloned.status !== 0) throw new DeliveryError('refused', `${gitFailed('Git made no repository', cloned)}.`)
  const head = await runFor(top, folder, ['rev-parse', '--verify', '--quiet', 'HEAD'])
  if (head.status !== 0) return null
  await runFor(top, folder, ['read-tree', 'HEAD'])
  return textOf(head)
}

function runFor(top: string, cwd: string, args: readonly string[], input?: string) {
  const env = { GIT_CEILING_DIRECTORIES: '', GIT_ALLOW_PROTOCOL: 'file' }
  return askRepository(top, [...withoutHooks, ...args], {
    // Killed with the app it would leave a worktree that git locks.
    ...{ cwd, env, timeoutMs: longMs, runAs: ownerOf(top), finishes: args[0] === 'worktree' },
    ...(input !== undefined && { input }),
  })
}
