import { createPace } from '#adapters/pace.ts'
import { type ProjectChecks, unknownCheck } from '#core/checks/project-checks.ts'
import { type CommandProject, type Decided, type Stored, unwrap } from '#core/commands/command.ts'
import { type ChangePart, findNeeded, type Needed, removeUnneeded } from '#core/commands/compose/needed.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'

export interface NeededSearch {
  readonly branchId: BranchId
  readonly check: string
  /** `runs`: how often the check ran. What was known of a tree is no run. */
  readonly onStep: (step: { readonly left: number; readonly of: number; readonly runs: number }) => void
}

export interface FoundNeeded {
  readonly parts: readonly (ChangePart & { readonly needed: boolean })[]
  readonly runs: number
  /** What is taken off the branch to leave the needed parts alone. */
  readonly removal: Needed
}

/**
 * Searches the smallest part of a branch's change with which a check stays green. Each result is stored, so a search that was
 * stopped goes on where it was. Throws the reason of an abort.
 */
export async function searchNeeded(
  project: CommandProject,
  checks: Pick<ProjectChecks, 'definitions' | 'run'>,
  { branchId, check, onStep }: NeededSearch,
  signal: AbortSignal,
): Promise<FoundNeeded> {
  const all = checks.definitions()
  if (!all.some(({ name }) => name === check)) throw new WireError('NOT_FOUND', unknownCheck(check, all))
  let runs = 0
  let step = { left: 0, of: 0 }
  const onStart = () => {
    runs += 1
    onStep({ ...step, runs })
  }
  const how = { environmentOf: branchId, on: 'past', names: [check], again: false, by: 'person', onStart } as const
  const request = {
    branchId,
    onStep(left: number, of: number) {
      step = { left, of }
      onStep({ ...step, runs })
    },
    async run(tree: Needed['before']) {
      const ran = await checks.run({ branchId, tree, ...how }, signal)
      if (!ran.ok) throw new WireError('REFUSED', ran.error)
      const [result] = ran.value
      if (!result) throw new Error(`The check ${check} said nothing.`)
      return result
    },
  }
  const removal = unwrap(await findNeeded(project, request, createPace()))
  const needed = new Set(removal.needed)
  return { parts: removal.parts.map((part, at) => ({ ...part, needed: needed.has(at) })), runs, removal }
}

/** Takes off the branch what is not needed. Returns the entry, which `branches.undo` takes back; null when all is needed. */
export function removeFound(
  project: { readonly services: CommandProject; change(decided: Decided): Pick<Stored<unknown>, 'sequence'> },
  { parts, removal }: FoundNeeded,
): Sequence | null {
  const isLess = parts.some(({ needed }) => !needed)
  return isLess ? project.change(removeUnneeded(project.services, removal)).sequence : null
}
