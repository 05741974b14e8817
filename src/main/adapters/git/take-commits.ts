import { DeliveryError, type DeliveryGround } from '#core/ports/git-delivery.ts'
import { askRepository, partsOf } from './repository-facts.ts'
import { gitFailed, textOf } from './run-git.ts'
import { openScratchRepository } from './scratch-repository.ts'

/**
 * Copies a commit that agents made into the person's repository, with everything that it leads to and that is missing there. Git
 * checks each object on arrival, because an agent may have written it by hand. Returns the ids of the commits that are new there,
 * the oldest first; the commit itself where none is.
 */
export async function takeCommits(
  ground: DeliveryGround,
  commit: string,
  objects: readonly string[],
  temporaryFolder: string,
): Promise<readonly string[]> {
  await using scratch = await openScratchRepository(ground, temporaryFolder, objects)
  const wanted = `${commit}\n${(await tipsOf(ground.top)).map((id) => `^${id}\n`).join('')}`
  const listed = await scratch.alone(['rev-list', '--reverse', '--topo-order', '--ignore-missing', '--stdin'], wanted)
  if (listed.status !== 0)
    throw new DeliveryError('not_found', gitFailed(`The agents left no commit ${commit.slice(0, 10)}`, listed))
  await requireDescent(ground, commit, scratch.alone)
  const packed = await scratch.alone(['pack-objects', '--revs', '--stdout', '-q', '--thin'], wanted)
  if (packed.status !== 0) throw new DeliveryError('refused', gitFailed('Git cannot read the commits', packed))
  const taken = await scratch.git(['index-pack', '--stdin', '--fix-thin', '--strict'], packed.stdout)
  if (taken.status !== 0) throw new DeliveryError('refused', gitFailed('Git refuses the commits', taken))
  const ids = textOf(listed)
  return ids === '' ? [commit] : ids.split('\n')
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

async function tipsOf(top: string): Promise<readonly string[]> {
  const listed = await askRepository(top, ['for-each-ref', '--format=%(objectname)%00'], { cwd: top })
  return [...new Set(partsOf(listed).map((id) => id.trim()))].filter((id) => id !== '')
}
