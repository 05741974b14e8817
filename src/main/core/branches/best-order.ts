import type { BranchId } from '#shared/model/ids.ts'
import type { SurveyedBranch } from './survey.ts'

/** Branches of which the largest set without a conflict is found; of more, a good one. */
const mostExact = 24

/**
 * The order of merges in which most branches merge without a decision: first as many as fit together, then those that conflict
 * with one of them, the fewest files first, last those that conflict with their parent already. Otherwise the given order stays.
 */
export function bestOrder(surveyed: readonly SurveyedBranch[]): readonly BranchId[] {
  const places = new Map(surveyed.map(({ branchId }, place) => [branchId, place]))
  const rivals = surveyed.map(
    ({ rivals: all }) => new Set(all.flatMap(({ branchId }) => places.get(branchId) ?? [])) as ReadonlySet<number>,
  )
  const free = surveyed.flatMap(({ conflicts }, place) => (conflicts.length === 0 ? [place] : []))
  const together = new Set(largestApart(free, rivals))
  const rank = (place: number): number => {
    const { conflicts = [], rivals: all = [] } = surveyed[place] ?? {}
    if (together.has(place)) return 0
    return conflicts.length > 0 ? 1_000_000 + conflicts.length : 1 + all.length
  }
  const order = [...surveyed.keys()].sort((one, other) => rank(one) - rank(other) || one - other)
  return order.flatMap((place) => surveyed[place]?.branchId ?? [])
}

type Rivals = readonly ReadonlySet<number>[]

/** The most of these places of which no two are rivals. */
function largestApart(places: readonly number[], rivals: Rivals): readonly number[] {
  const [fought = [], quiet = []] = splitBy(places, (place) => places.some((other) => rivals[place]?.has(other)))
  return [...quiet, ...(fought.length <= mostExact ? exactly(fought, rivals) : greedily(fought, rivals))]
}

/** Takes the place with the most rivals, or leaves it out, whichever lets more of the rest in. */
function exactly(places: readonly number[], rivals: Rivals): readonly number[] {
  const degreeOf = (place: number) => places.filter((other) => rivals[place]?.has(other)).length
  const most = places.reduce((best, place) => (degreeOf(place) > degreeOf(best) ? place : best), places[0] ?? -1)
  if (most < 0 || degreeOf(most) === 0) return places
  const rest = places.filter((place) => place !== most)
  const withIt = [
    most,
    ...exactly(
      rest.filter((place) => !rivals[most]?.has(place)),
      rivals,
    ),
  ]
  if (degreeOf(most) === 1) return withIt
  const without = exactly(rest, rivals)
  return withIt.length >= without.length ? withIt : without
}

function greedily(places: readonly number[], rivals: Rivals): readonly number[] {
  const taken: number[] = []
  let open = [...places]
  while (open.length > 0) {
    const degreeOf = (place: number) => open.filter((other) => rivals[place]?.has(other)).length
    const least = open.reduce((best, place) => (degreeOf(place) < degreeOf(best) ? place : best))
    taken.push(least)
    open = open.filter((place) => place !== least && !rivals[least]?.has(place))
  }
  return taken
}

function splitBy(places: readonly number[], isFirst: (place: number) => boolean): readonly (readonly number[])[] {
  return [places.filter(isFirst), places.filter((place) => !isFirst(place))]
}
