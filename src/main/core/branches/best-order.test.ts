import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '#core/ports/test-size.testkit.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { bestOrder } from './best-order.ts'
import type { SurveyedBranch } from './survey.ts'

const path = '/a' as VirtualPath
const idOf = (place: number) => `b${place}` as BranchId

/** Branches of which these pairs changed one file, and these changed what their parent changed. */
function surveyOf(count: number, pairs: readonly (readonly [number, number])[], stuck: readonly number[] = []) {
  return Array.from({ length: count }, (_, place): SurveyedBranch => {
    const others = pairs.flatMap(([one, other]) => (one === place ? [other] : other === place ? [one] : []))
    return {
      ...{ branchId: idOf(place), ready: 1, conflicts: stuck.includes(place) ? [path] : [] },
      rivals: others.map((other) => ({ branchId: idOf(other), path })),
    }
  })
}

/** How many merge one after the other: one that conflicts with what is merged stays. */
function mergedIn(order: readonly BranchId[], survey: readonly SurveyedBranch[]): number {
  const merged = new Set<BranchId>()
  for (const id of order) {
    const one = survey.find(({ branchId }) => branchId === id)
    if (one && one.conflicts.length === 0 && one.rivals.every(({ branchId }) => !merged.has(branchId))) merged.add(id)
  }
  return merged.size
}

function permutations(ids: readonly BranchId[]): readonly (readonly BranchId[])[] {
  if (ids.length < 2) return [ids]
  return ids.flatMap((id) => permutations(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]))
}

it('merges as many branches as any order can', () => {
  const graph = fc.integer({ min: 2, max: 6 }).chain((count) => {
    const place = fc.nat({ max: count - 1 })
    const pair = fc.tuple(place, place).filter(([one, other]) => one !== other)
    return fc.record({
      count: fc.constant(count),
      pairs: fc.array(pair, { maxLength: 12 }),
      stuck: fc.array(place, { maxLength: 2 }),
    })
  })
  fc.assert(
    fc.property(graph, ({ count, pairs, stuck }) => {
      const survey = surveyOf(count, pairs, stuck)
      const order = bestOrder(survey)
      expect([...order].sort()).toEqual(survey.map(({ branchId }) => branchId).sort())
      const most = Math.max(...permutations(order).map((one) => mergedIn(one, survey)))
      expect(mergedIn(order, survey)).toBe(most)
    }),
    runs(500),
  )
})

it('puts the one in the middle last, and keeps the order of the rest', () => {
  expect(
    bestOrder(
      surveyOf(
        5,
        [
          [0, 1],
          [0, 2],
          [0, 3],
        ],
        [4],
      ),
    ),
  ).toEqual(['b1', 'b2', 'b3', 'b0', 'b4'])
  expect(bestOrder(surveyOf(4, []))).toEqual(['b0', 'b1', 'b2', 'b3'])
})

it('answers for hundreds of branches that all conflict with some others', () => {
  const pairs = Array.from({ length: 400 }, (_, place): readonly [number, number] => [place, (place * 7 + 1) % 400])
  const survey = surveyOf(
    400,
    pairs.filter(([one, other]) => one !== other),
  )
  expect(mergedIn(bestOrder(survey), survey)).toBeGreaterThan(120)
})
