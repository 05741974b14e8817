import { DeliveryError, type DeliveryGround } from '#core/ports/git-delivery.ts'
import type { OpenRepository } from './open-repository.ts'
import { gitFailed, textOf } from './run-git.ts'
import { openScratchRepository, type ScratchRepository } from './scratch-repository.ts'

interface TakeOptions {
  readonly commit: string
  /** The folders that have it. */
  readonly objects: readonly string[]
  readonly temporaryFolder: string
}

/**
 * Copies a commit that agents made into the person's repository, with everything that it leads to and that is missing there. Git
 * checks each object on arrival, because an agent may have written it by hand. Returns the ids of the commits that are new there,
 * the oldest first; the commit itself where none is.
 */
export async function takeCommits(
  repository: OpenRepository,
  ground: DeliveryGround,
  { commit, objects, temporaryFolder }: TakeOptions,
): Promise<readonly string[]> {
  await using scratch = await openScratchRepository(repository, temporaryFolder, objects)
  const wanted = `${commit}\n${[ground.base, ...(await tipsOf(repository, scratch))].map((id) => `^${id}\n`).join('')}`
  const listed = await scratch.git(['rev-list', '--reverse', '--topo-order', '--ignore-missing', '--stdin'], wanted)
  if (listed.status !== 0)
    throw new DeliveryError('not_found', gitFailed(`The agents left no commit ${commit.slice(0, 10)}`, listed))
  await requireDescent(ground, commit, scratch.git)
  const packed = await scratch.git(['pack-objects', '--revs', '--stdout', '-q', '--thin'], wanted)
  if (packed.status !== 0) throw new DeliveryError('refused', gitFailed('Git cannot read the commits', packed))
  // It must be complete without the objects of agents.
  await using own = await openScratchRepository(repository, temporaryFolder)
  const taken = await own.git(['index-pack', '--stdin', '--fix-thin', await checkOf(repository)], packed.stdout)
  if (taken.status !== 0) throw new DeliveryError('refused', gitFailed('Git refuses the commits', taken))
  await own.keep()
  const ids = textOf(listed)
  return ids === '' ? [commit] : ids.split('\n')
}

/** A partial clone lacks objects on purpose, so there git checks each one, but not that all are there. */
async function checkOf(repository: OpenRepository): Promise<string> {
  const pattern = /^(extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$/
  const isPartial = [...(await repository.settings()).keys()].some((key) => pattern.test(key))
  return isPartial ? '--fsck-objects' : '--strict'
}

/** A branch only goes forward. */
async function requireDescent(
  { branch, tip }: DeliveryGround,
  commit: string,
  git: (args: readonly string[]) => Promise<{ readonly status: number | null }>,
): Promise<void> {
  if (tip === null || (await git(['merge-base', '--is-ancestor', tip, commit])).status === 0) return
  throw new DeliveryError(
    'refused',
    `The branch ${branch} has commits that ${commit.slice(0, 10)} does not stand on. Choose another name.`,
  )
}

/** What the branches and tags stand on. One that leads nowhere is no obstacle. */
async function tipsOf({ ask }: OpenRepository, { git }: ScratchRepository): Promise<readonly string[]> {
  const listed = await ask('for-each-ref', '--format=%(objectname)')
  const found = await git(['cat-file', '--batch-check'], `${textOf(listed)}\n`)
  const known = textOf(found).split('\n')
  return [...new Set(known.flatMap((line) => /^([0-9a-f]+) (?:commit|tag) /.exec(line)?.[1] ?? []))]
}
