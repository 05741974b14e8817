import { realpathSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { DeliveryError, type DeliveryGround, type DeliveryPlace, type GitDelivery } from '#core/ports/git-delivery.ts'
import { repositoryOf } from '../system/git/tracked-files.ts'
import { namesIn } from '../system/look-at.ts'
import { textIfReadable } from '../system/read-bounded.ts'
import { makeCommits } from './make-commits.ts'
import { findInTheWay, listFiles, readObjects } from './read-commit.ts'
import { askRepository, ownerOf, partsOf } from './repository-facts.ts'
import { gitFailed, textOf } from './run-git.ts'
import { takeCommits } from './take-commits.ts'

export interface GitDeliveryOptions {
  /** Absolute. Null for a scratch workspace, which has no repository. */
  readonly rootFolder: string | null
  readonly temporaryFolder: string
  /** Whether programs that the project's repository names may run. */
  readonly trusts: () => boolean
}

export function createGitDelivery({ rootFolder, temporaryFolder, trusts }: GitDeliveryOptions): GitDelivery {
  const folderOf = (repository: string) => {
    if (rootFolder === null)
      throw new DeliveryError('refused', 'A scratch workspace has no repository. Export a patch instead.')
    return join(rootFolder, repository)
  }
  return {
    find: (repository) => findRepository(folderOf(repository)),
    open: (place) => openGround(folderOf(place.repository), place),
    async hasCommit(top, commit, earlier) {
      const asked = await askRepository(top, ['merge-base', '--is-ancestor', earlier, commit], { cwd: top })
      return asked.status === 0
    },
    filesAt: ({ top }, commit, paths) => listFiles(top, commit, paths),
    filesInTheWay: ({ top }, commit, paths) => findInTheWay(top, commit, paths),
    contentsOf: ({ top }, ids) => readObjects(top, ids),
    async deliver(ground, commits, { sign, signal }) {
      const made = await makeCommits(ground, commits, { temporaryFolder, sign, trusts: trusts(), signal })
      signal?.throwIfAborted()
      const last = made.at(-1)
      if (last !== undefined) await moveBranch(ground.top, ground.branch, ground.tip, last)
      return made
    },
    async deliverMade(ground, commit, objects) {
      const made = await takeCommits(ground, commit, objects, temporaryFolder)
      await moveBranch(ground.top, ground.branch, ground.tip, commit)
      return made
    },
    async withdraw({ repository, branch, from, to }) {
      const { top } = findRepository(folderOf(repository))
      await requireNotCheckedOut(top, branch)
      await moveBranch(top, branch, from, to)
    },
  }
}

const noRepository =
  'There is no git repository here. Make one with "git init" and a first commit, or write the changes with "coppice apply".'

function findRepository(folder: string): { readonly top: string; readonly prefix: string } {
  const real = realpathSync.native(folder)
  const top = repositoryOf(real)
  if (top === null) throw new DeliveryError('refused', noRepository)
  const inside = relative(top, real).split(sep).join('/')
  return { top, prefix: inside === '' ? '' : `${inside}/` }
}

async function openGround(folder: string, { branch, base, began }: DeliveryPlace): Promise<DeliveryGround> {
  const { top, prefix } = findRepository(folder)
  const ask = (...args: readonly string[]) => askRepository(top, args, { cwd: top })
  const [format, name, signs, author] = await Promise.all([
    ask('rev-parse', '--show-object-format'),
    ask('check-ref-format', `refs/heads/${branch}`),
    ask('config', '--type=bool', '--get', 'commit.gpgSign'),
    ask('var', 'GIT_AUTHOR_IDENT'),
  ])
  if (format.status !== 0) throw new DeliveryError('refused', gitFailed('Git cannot read the repository', format))
  if (branch === 'HEAD' || name.status !== 0 || branch.startsWith('-'))
    throw new DeliveryError('invalid', `"${branch}" is no name for a branch of git. Choose another one.`)
  const tip = await commitAt(top, `refs/heads/${branch}`)
  if (tip !== null) await requireNotCheckedOut(top, branch)
  const stood = await findBase(top, { branch, base, began, tip })
  if (author.status !== 0)
    throw new DeliveryError(
      'refused',
      'Git does not know who commits. Tell it with: git config --global user.name "Your name"; git config --global user.email you@example.com',
    )
  return {
    ...{ top, prefix, branch, tip },
    objectFormat: textOf(format) === 'sha256' ? 'sha256' : 'sha1',
    ...stood,
    author: textOf(author).replace(/ \d+ [+-]\d+$/, ''),
    signs: textOf(signs) === 'true',
  }
}

interface Wanted extends Pick<DeliveryPlace, 'branch' | 'base' | 'began'> {
  readonly tip: string | null
}

async function findBase(
  top: string,
  { branch, base, began, tip }: Wanted,
): Promise<Pick<DeliveryGround, 'base' | 'notes'>> {
  if (base !== null) {
    const found = await commitAt(top, base)
    if (found === null) throw new DeliveryError('not_found', `The repository has no commit "${base}".`)
    if (tip !== null && tip !== found)
      throw new DeliveryError(
        'invalid',
        `The branch ${branch} exists and is not at ${base}. Leave the base out to deliver on top of the branch, or choose another name.`,
      )
    return { base: found, notes: [] }
  }
  if (tip !== null) return { base: tip, notes: [] }
  const head = await commitAt(top, 'HEAD')
  if (began !== null && began !== head) {
    if (await isReached(top, began)) return { base: began, notes: [] }
    throw new DeliveryError(
      'refused',
      `The commit that the work began with (${began.slice(0, 10)}) is in no branch any more: it was rewritten. Say what to stand on, for example the commit that is checked out (HEAD).`,
    )
  }
  if (head === null)
    throw new DeliveryError(
      'refused',
      'The repository has no commit yet. Make a first one (git commit --allow-empty -m first), or write the changes with "coppice apply".',
    )
  const notes =
    began === null
      ? ['It is not known with which commit the work began, so this stands on the one that is checked out.']
      : []
  return { base: head, notes }
}

/** Whether a branch, a tag or a remote one has the commit. */
async function isReached(top: string, commit: string): Promise<boolean> {
  const found = await askRepository(top, ['for-each-ref', '--count=1', `--contains=${commit}`], { cwd: top })
  return found.status === 0 && found.stdout.length > 0
}

/** Null for a name of no commit. */
async function commitAt(top: string, revision: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const found = await askRepository(top, args, { cwd: top })
  return found.status === 0 ? textOf(found) : null
}

/** A branch under a checkout moves with its index and files alone, and those are the person's. */
async function requireNotCheckedOut(top: string, branch: string): Promise<void> {
  const ask = (...args: readonly string[]) => askRepository(top, args, { cwd: top })
  const ref = `refs/heads/${branch}`
  const link = await ask('symbolic-ref', '--quiet', ref)
  if (link.status === 0)
    throw new DeliveryError(
      'refused',
      `The branch ${branch} is only another name of ${textOf(link)}. Choose another one.`,
    )
  const places = partsOf(await ask('worktree', 'list', '--porcelain', '-z'))
  const at = places.indexOf(`branch ${ref}`)
  const place = places.slice(0, Math.max(at, 0)).findLast((line) => line.startsWith('worktree '))
  if (at >= 0)
    throw new DeliveryError(
      'refused',
      `The branch ${branch} is checked out in ${place?.slice('worktree '.length) ?? top}. Choose another name, or write the changes there with "coppice apply".`,
    )
  if (await isBeingRebased(top, ref))
    throw new DeliveryError('refused', `The branch ${branch} is being rebased. End that first, or choose another name.`)
}

/** In any worktree. There HEAD is at no branch meanwhile, and the end of the rebase moves this one. */
async function isBeingRebased(top: string, ref: string): Promise<boolean> {
  const found = await askRepository(top, ['rev-parse', '--git-common-dir'], { cwd: top })
  const common = resolve(top, textOf(found))
  const worktrees = namesIn(join(common, 'worktrees')).map((name) => join(common, 'worktrees', name))
  const files = ['rebase-merge/head-name', 'rebase-apply/head-name', 'rebase-merge/update-refs']
  return [common, ...worktrees].some((folder) =>
    files.some((file) => (textIfReadable(join(folder, file)) ?? '').split('\n').includes(ref)),
  )
}

/** Git's own answer where two write to one branch: it moves only if it is still where it was looked at. */
async function moveBranch(top: string, branch: string, from: string | null, to: string | null): Promise<void> {
  const ref = `refs/heads/${branch}`
  const args = to === null ? ['-d', ref, from ?? ''] : [ref, to, from ?? '0'.repeat(to.length)]
  // No hook of the person's takes part.
  const moved = await askRepository(
    top,
    ['-c', 'core.hooksPath=/dev/null', 'update-ref', '-m', 'coppice: deliver', '--no-deref', ...args],
    { cwd: top, runAs: ownerOf(top) },
  )
  if (moved.status === 0) return
  const now = await commitAt(top, ref)
  if (now !== from)
    throw new DeliveryError(
      'conflict',
      now === null
        ? `Somebody removed the branch ${branch}.`
        : `Somebody moved the branch ${branch} (now at ${now.slice(0, 10)}), so it stays as it is.`,
    )
  throw new DeliveryError('refused', gitFailed(`Git did not move the branch ${branch}`, moved))
}
