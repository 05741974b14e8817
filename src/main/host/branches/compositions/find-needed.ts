import { createPace } from '#adapters/pace.ts'
import { unknownCheck } from '#core/checks/project-checks.ts'
import { unwrap } from '#core/commands/command.ts'
import { type ChangePart, findNeeded, removeUnneeded } from '#core/commands/compose/needed.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import type { Project } from '../../project/project.ts'

export interface NeededSearch {
  readonly branchId: BranchId
  readonly check: string
  /** Takes off the branch what is not needed. */
  readonly removes: boolean
  /** `runs`: how often the check ran. What was known of a tree is no run. */
  readonly onStep: (step: { readonly left: number; readonly of: number; readonly runs: number }) => void
}

export interface FoundNeeded {
  readonly parts: readonly (ChangePart & { readonly needed: boolean })[]
  readonly runs: number
  /** The entry of the removal, which `branches.undo` takes back. Null when nothing was removed. */
  readonly sequence: Sequence | null
}

/**
 * Searches the smallest part of a branch's change with which a check stays green. Each result is stored, so a search that was
 * stopped goes on where it was. Throws the reason of an abort.
 */
export async function searchNeeded(project: Project, search: NeededSearch, signal: AbortSignal): Promise<FoundNeeded> {
  const { branchId, check } = search
  const { runs: checks } = project.checks
  const all = checks.definitions()
  if (!all.some(({ name }) => name === check)) throw new WireError('NOT_FOUND', unknownCheck(check, all))
  let runs = 0
  const { services } = project
  const found = unwrap(
    await findNeeded(
      services,
      {
        branchId,
        onStep: (left, of) => search.onStep({ left, of, runs }),
        async run(tree) {
          const request = {
            branchId,
            tree,
            environmentOf: branchId,
            on: 'merge',
            names: [check],
            again: false,
          } as const
          const onStart = () => {
            runs += 1
          }
          const ran = await checks.run({ ...request, by: 'person', onStart }, signal)
          if (!ran.ok) throw new WireError('REFUSED', ran.error)
          const [result] = ran.value
          if (!result) throw new Error(`The check ${check} said nothing.`)
          return result
        },
      },
      createPace(),
    ),
  )
  const needed = new Set(found.needed)
  const isLess = needed.size < found.parts.length
  const sequence = search.removes && isLess ? project.change(removeUnneeded(services, found)).sequence : null
  return { parts: found.parts.map((part, at) => ({ ...part, needed: needed.has(at) })), runs, sequence }
}
