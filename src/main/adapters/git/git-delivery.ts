import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import {
  DeliveryError,
  type DeliveryGround,
  type DeliveryPlace,
  type GitDelivery,
  type OpenDelivery,
} from '#core/ports/git-delivery.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { namesIn } from '../system/look-at.ts'
import { textIfReadable } from '../system/read-bounded.ts'
import { askRepository, ownerOf, partsOf } from './ask-repository.ts'
import { createGitStorage } from './git-storage.ts'
import { makeCommits, streamOf } from './make-commits.ts'
import { isOn, type OpenRepository, openRepository } from './open-repository.ts'
import { readContents } from './read-commit.ts'
import { diskIsFull, gitFailed, textOf } from './run-git.ts'
import { takeCommits } from './take-commits.ts'

export interface GitDeliveryOptions {
  /** Absolute. Null for a scratch workspace, which has no repository. */
  readonly rootFolder: string | null
  readonly temporaryFolder: string
  /** Whether programs that the project's repository names may run. */
  readonly trusts: () => boolean
}

export function createGitDelivery(options: GitDeliveryOptions): GitDelivery {
  const { rootFolder } = options
  const folderOf = (repository: string) => {
    if (rootFolder === null)
      throw new DeliveryError('refused', 'A scratch workspace has no repository. Export a patch instead.')
    return join(rootFolder, repository)
  }
  return {
    find(repository) {
      using found = requireRepository(folderOf(repository))
      return { top: found.top, prefix: found.prefix }
    },
    async open(place) {
      const repository = requireRepository(folderOf(place.repository))
      try {
        return openDelivery(repository, place, await openGround(repository, place), options)
      } catch (error) {
        repository[Symbol.dispose]()
        throw error
      }
    },
    async withdraw({ repository, branch, from, to }) {
      using found = requireRepository(folderOf(repository))
      await requireNotCheckedOut(found, branch)
      await moveBranch(found.top, branch, from, to)
    },
  }
}

function openDelivery(
  repository: OpenRepository,
  place: DeliveryPlace,
  { ground, author }: FoundGround,
  options: GitDeliveryOptions,
): OpenDelivery {
  const { top, objects, commits } = repository
  const { temporaryFolder, trusts } = options
  const move = async (made: string) => moveBranch(top, ground.branch, ground.tip, made)
  return {
    ground,
    storage: createGitStorage({ ...options, opened: (name) => (name === place.repository ? repository : null) }),
    async hasCommit(commit, earlier) {
      return (await repository.ask('merge-base', '--is-ancestor', earlier, commit)).status === 0
    },
    filesAt: commits.filesAt,
    filesInTheWay: commits.filesInTheWay,
    contentsOf: (ids) => readContents(objects, ids),
    streamOf: (planned) => streamOf(repository, ground, planned, author),
    async hooksFolder() {
      return (await repository.settings()).get('core.hookspath')?.value ?? null
    },
    async deliver(planned, { sign, signal }) {
      const making = { temporaryFolder, sign, trusts: trusts(), author }
      const made = await onDisk(makeCommits(repository, ground, planned, making))
      signal?.throwIfAborted()
      const last = made.at(-1)
      if (last !== undefined) await move(last)
      return made
    },
    async deliverMade(commit, folders) {
      const made = await onDisk(takeCommits(repository, ground, { commit, objects: folders, temporaryFolder }))
      await move(commit)
      return made
    },
    [Symbol.dispose]: () => repository[Symbol.dispose](),
  }
}

/** Says in words that the disk of the repository, or that of temporary files, is full or closed. */
async function onDisk<Made>(making: Promise<Made>): Promise<Made> {
  try {
    return await making
  } catch (error) {
    const { code, path = '' } = Object(error) as { readonly code?: unknown; readonly path?: unknown }
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new DeliveryError('refused', `Nothing was delivered: ${diskIsFull}`)
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') throw error
    const why = 'Git did not take the commits: nobody may write to the objects of the repository'
    throw new DeliveryError('refused', `${why} (${shownName(String(path))}). Make its folder of objects writable.`)
  }
}

const noRepository =
  'There is no git repository here. Make one with "git init" and a first commit, or write the changes with "coppice apply".'

function requireRepository(folder: string): OpenRepository {
  const found = openRepository(folder)
  if (found === null) throw new DeliveryError('refused', noRepository)
  return found
}

interface FoundGround {
  readonly ground: DeliveryGround
  /** As git writes it into a commit, with the time. */
  readonly author: string
}

async function openGround(repository: OpenRepository, { branch, base, began }: DeliveryPlace): Promise<FoundGround> {
  const { top, prefix } = repository
  if (!isBranchName(branch))
    throw new DeliveryError('invalid', `"${branch}" is no name for a branch of git. Choose another one.`)
  // Nobody waits for it yet: git reads the index while the changes are collected.
  void repository.staged()
  const tipping = commitAt(repository, `refs/heads/${branch}`)
  tipping.catch(() => undefined)
  const [parts, settings, identity] = await Promise.all([
    repository.parts().catch((error: Error) => {
      throw new DeliveryError('refused', error.message)
    }),
    repository.settings(),
    repository.ask('var', 'GIT_AUTHOR_IDENT'),
  ])
  const tip = await tipping
  if (tip !== null) await requireNotCheckedOut(repository, branch)
  const stood = await findBase(repository, { branch, base, began, tip })
  if (identity.status !== 0)
    throw new DeliveryError(
      'refused',
      'Git does not know who commits. Tell it with: git config --global user.name "Your name"; git config --global user.email you@example.com',
    )
  const author = textOf(identity)
  const ground = {
    ...{ top, prefix, branch, tip, objectFormat: parts.objectFormat },
    ...stood,
    author: author.replace(/ \d+ [+-]\d+$/, ''),
    signs: isOn(settings, 'commit.gpgsign'),
  }
  return { ground, author }
}

/** The rules of git-check-ref-format(1) below `refs/heads/`. They only spare a start of git, which refuses the name later. */
export function isBranchName(name: string): boolean {
  const parts = name.split('/')
  if (name === 'HEAD' || name.startsWith('-') || name.endsWith('.') || /\.\.|@\{/.test(name)) return false
  if (parts.some((part) => part === '' || part.startsWith('.') || part.endsWith('.lock'))) return false
  return ![...name].some((letter) => letter <= ' ' || '\x7f~^:?*[\\'.includes(letter))
}

interface Wanted extends Pick<DeliveryPlace, 'branch' | 'base' | 'began'> {
  readonly tip: string | null
}

async function findBase(
  repository: OpenRepository,
  { branch, base, began, tip }: Wanted,
): Promise<Pick<DeliveryGround, 'base' | 'notes'>> {
  if (base !== null) {
    const found = await commitAt(repository, base)
    if (found === null) throw new DeliveryError('not_found', `The repository has no commit "${base}".`)
    if (tip !== null && tip !== found)
      throw new DeliveryError(
        'invalid',
        `The branch ${branch} exists and is not at ${base}. Leave the base out to deliver on top of the branch, or choose another name.`,
      )
    return { base: found, notes: [] }
  }
  if (tip !== null) return { base: tip, notes: [] }
  const head = await commitAt(repository, 'HEAD')
  if (began !== null && began !== head) {
    if (await isReached(repository, began)) return { base: began, notes: [] }
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
async function isReached({ ask }: OpenRepository, commit: string): Promise<boolean> {
  const found = await ask('for-each-ref', '--count=1', `--contains=${commit}`)
  return found.status === 0 && found.stdout.length > 0
}

/** Null for a name of no commit. */
async function commitAt({ objects }: OpenRepository, revision: string): Promise<string | null> {
  return (await objects.read(`${revision}^{commit}`))?.id ?? null
}

/** A branch under a checkout moves with its index and files alone, and those are the person's. */
async function requireNotCheckedOut(repository: OpenRepository, branch: string): Promise<void> {
  const { ask, top } = repository
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
  if (await isBeingRebased(repository, ref))
    throw new DeliveryError('refused', `The branch ${branch} is being rebased. End that first, or choose another name.`)
}

/** In any worktree. There HEAD is at no branch meanwhile, and the end of the rebase moves this one. */
async function isBeingRebased(repository: OpenRepository, ref: string): Promise<boolean> {
  const { common } = await repository.parts()
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
    { cwd: top, runAs: ownerOf(top), finishes: true },
  )
  if (moved.status === 0) return
  using repository = requireRepository(top)
  const now = await commitAt(repository, ref)
  if (now !== from)
    throw new DeliveryError(
      'conflict',
      now === null
        ? `Somebody removed the branch ${branch}.`
        : `Somebody moved the branch ${branch} (now at ${now.slice(0, 10)}), so it stays as it is.`,
    )
  const what = `Git did not move the branch ${branch}`
  // Of a lock that it could not write git does not say why.
  if (statfsSync(top).bavail < 2) throw new DeliveryError('refused', `${what}: ${diskIsFull}`)
  throw new DeliveryError('refused', gitFailed(what, moved))
}
