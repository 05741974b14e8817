import fc from 'fast-check'
import { expect, it } from 'vitest'
import { repeats, testSeed } from '#overlay/testkit'
import { minimise } from './minimise.ts'

const thing = fc.nat({ max: 29 })
/** What must be there: each group needs one of its things, which may even forbid others. */
const scenario = fc.record({
  count: fc.integer({ min: 0, max: 30 }),
  groups: fc.array(fc.array(thing, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
  together: fc.array(fc.tuple(thing, thing), { maxLength: 3 }),
})

/** Mutations: stop once halves fail; forget the last thing. */
it('ends where taking any one thing away fails', async () => {
  let cases = 0
  let smaller = 0
  for (const { count, groups, together } of fc.sample(scenario, {
    numRuns: repeats(1_000, 20_000),
    seed: testSeed(),
  })) {
    const all = Array.from({ length: count }, (_, index) => index)
    const passes = (kept: readonly number[]): boolean =>
      groups.every((group) => group.every((one) => one >= count) || group.some((one) => kept.includes(one))) &&
      together.every(([one, other]) => !kept.includes(one) || other >= count || kept.includes(other))
    if (!passes(all)) continue
    cases += 1
    const kept = await minimise(all, async (some) => passes(some))
    expect(passes(kept)).toBe(true)
    for (const one of kept) expect(passes(kept.filter((other) => other !== one))).toBe(false)
    if (kept.length < count) smaller += 1
  }
  expect([cases >= 200, smaller > cases / 2]).toEqual([true, true])
})

it('never tries the same things twice, and few when little is needed', async () => {
  const tried = new Set<string>()
  let tries = 0
  const all = Array.from({ length: 64 }, (_, index) => index)
  const kept = await minimise(all, async (some) => {
    tries += 1
    tried.add(some.join())
    return some.includes(41)
  })
  expect([kept, tried.size]).toEqual([[41], tries])
  expect(tries).toBeLessThan(32)
})
