import type { DeliveryFile } from '#shared/model/delivery.ts'
import { joinPath } from '#shared/model/virtual-path.ts'
import type { DeliveryGround } from '../ports/git-delivery.ts'
import type { GoOnOptions } from './go-on.ts'
import type { FilePlan, PlanSources } from './plan-files.ts'

type Sources = Pick<PlanSources, 'delivery'>

/**
 * Decides by the other paths of a branch what a plan of each path cannot know, so that nothing there goes without a word: whether a
 * file meets a folder, and that a file which moved is not gone when its new path is not delivered.
 */
export async function makeWay(
  sources: Sources,
  ground: DeliveryGround,
  plan: FilePlan,
  options: GoOnOptions,
): Promise<FilePlan> {
  const cleared = keepMoved(ground, await clearPaths(sources, ground, plan, options), options)
  // A file that stays where it was may be in the way itself.
  return clearPaths(sources, ground, cleared, options)
}

/**
 * A file and a folder cannot have one name. Git would take a whole folder away to put a file in its place, or a file for a folder.
 * So a file that meets the other kind waits for a person, unless the plan itself removes what is there.
 */
async function clearPaths(
  { delivery }: Sources,
  ground: DeliveryGround,
  plan: FilePlan,
  { repository, choices }: GoOnOptions,
): Promise<FilePlan> {
  const fresh = [...plan.delivered].flatMap(([path, file]) =>
    file !== null && !plan.committed.has(path) ? [path] : [],
  )
  const shownAs = (path: string) => joinPath(repository, path.slice(ground.prefix.length))
  const delivered = new Map(plan.delivered)
  const files = new Map(plan.files.map((file) => [file.path, file]))
  for (const [path, found] of await delivery.filesInTheWay(ground.tip ?? ground.base, fresh)) {
    const held = found.filter((one) => plan.delivered.get(one) !== null)
    const [first] = held
    const file = files.get(shownAs(path))
    if (first === undefined || file === undefined) continue
    const kept = choices.keep.get(file.path)
    files.set(file.path, { ...file, ...metBy(kept, first.startsWith(`${path}/`) ? null : shownAs(first)) })
    if (kept !== 'ours') delivered.delete(path)
    for (const one of kept === 'ours' ? held : []) {
      delivered.set(one, null)
      const why = `${file.path} takes its place.`
      files.set(shownAs(one), { path: shownAs(one), kind: 'delete', state: 'ready', uncommitted: null, why })
    }
  }
  return { ...plan, files: [...files.values()], delivered }
}

/** `inTheWay` is null for a folder. */
function metBy(kept: 'ours' | 'theirs' | undefined, inTheWay: string | null): Pick<DeliveryFile, 'state' | 'why'> {
  if (kept === 'ours') return { state: 'ready', why: 'The thread’s version.' }
  if (kept === 'theirs') return { state: 'left', why: 'The branch keeps its version.' }
  return {
    state: 'conflict',
    why: `The branch has ${inTheWay === null ? 'a folder at this path' : `a file at ${inTheWay}`}.`,
  }
}

/** The old path of a file that moved goes with the new one. */
function keepMoved(ground: DeliveryGround, plan: FilePlan, { repository }: GoOnOptions): FilePlan {
  const shownAs = (path: string) => joinPath(repository, path.slice(ground.prefix.length))
  const delivered = new Map(plan.delivered)
  const files = new Map(plan.files.map((file) => [file.path, file]))
  for (const [to, from] of plan.moved) {
    const [moved, old] = [files.get(shownAs(to)), files.get(shownAs(from))]
    if (!moved || !old || delivered.get(from) !== null || delivered.has(to)) continue
    delivered.delete(from)
    files.set(old.path, { ...old, state: 'left', why: `It was moved to ${moved.path}.` })
  }
  return { ...plan, files: [...files.values()], delivered }
}
