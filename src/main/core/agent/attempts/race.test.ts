import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bestAttempt, type JudgedAttempt, rankAttempts, verdictOf } from '#shared/model/calls/attempts.ts'
import { runs } from '../../ports/test-size.testkit.ts'
import { type Racers, runRace } from './race.ts'

/** Races of the law: 2,000 on every change, 10,000 each night. */
const races = runs(10_000)

/** How far one attempt would come: it turns this many of the checks green on its way, evenly, and ends then. */
interface Script {
  readonly passes: number
  /** Replies until its end. */
  readonly replies: number
}

const checkCount = 8
const price = 0.01

/** A world without a clock and without agents: a reply costs its price, and a tree's checks follow from its replies. */
function simulate(scripts: readonly Script[], budget: number | null) {
  const replies = scripts.map(() => 0)
  const stopped = new Set<number>()
  const spent = () => replies.reduce((sum, count) => sum + count * price, 0)
  let overBy = 0
  const isDone = (index: number) => (replies[index] ?? 0) >= (scripts[index]?.replies ?? 0)
  const judge = (index: number): JudgedAttempt => {
    const [done, script] = [replies[index] ?? 0, scripts[index] ?? { passes: 0, replies: 1 }]
    const green = Math.floor((script.passes * done) / script.replies)
    const checks = Array.from({ length: checkCount }, (_, at) => ({
      ...{ name: `check ${at}`, outcome: at < green ? ('green' as const) : ('red' as const) },
    }))
    return {
      ...{ index, verdict: verdictOf(done > 0, checks), checks, files: 1, lines: done, cost: done * price },
      ...{ findings: null, same: null, stopped: null },
    }
  }
  const racers: Racers = {
    hasChecks: true,
    unfinished: () => [...scripts.keys()].filter((index) => !isDone(index) && !stopped.has(index)),
    left: () => (budget === null ? null : budget - spent()),
    async advance(indexes, share) {
      const upTo = new Map(
        indexes.map((index) => [
          index,
          share === null ? Number.POSITIVE_INFINITY : (replies[index] ?? 0) * price + share,
        ]),
      )
      // In turn, as replies come in.
      for (let goesOn = true; goesOn; ) {
        goesOn = false
        for (const index of indexes) {
          const own = (replies[index] ?? 0) * price
          if (isDone(index) || stopped.has(index) || own >= (upTo.get(index) ?? 0)) continue
          // The budget itself ends an attempt at its next request.
          if (budget !== null && spent() >= budget) {
            stopped.add(index)
            continue
          }
          replies[index] = (replies[index] ?? 0) + 1
          overBy = Math.max(overBy, spent() - (budget ?? Number.POSITIVE_INFINITY))
          goesOn = true
        }
      }
    },
    judge: async (indexes) => indexes.map(judge),
    async stop(behind) {
      for (const { attempt } of behind) stopped.add(attempt.index)
    },
  }
  return { racers, spent, overBy: () => overBy, judged: () => scripts.map((_, index) => judge(index)) }
}

const script = fc.record({ passes: fc.nat({ max: checkCount }), replies: fc.integer({ min: 1, max: 40 }) })
const scripts = fc.array(script, { minLength: 2, maxLength: 16 })
const never = new AbortController().signal

it('takes a passing one whenever there is one, and spends no more than the budget and one reply', async () => {
  await fc.assert(
    fc.asyncProperty(scripts, fc.option(fc.double({ min: 0.01, max: 3, noNaN: true })), async (given, budget) => {
      const world = simulate(given, budget)
      await runRace(world.racers, never)
      const judged = world.judged()
      const passing = judged.filter(({ verdict }) => verdict === 'green')
      const best = bestAttempt(judged)
      expect(best === null).toBe(passing.length === 0)
      if (best) expect(passing.map(({ index }) => index)).toContain(best.index)
      expect(world.overBy()).toBeLessThanOrEqual(price + 1e-9)
    }),
    races,
  )
})

it('halving spends at most 0.55 of what all cost to their ends, and picks the same', async () => {
  // Attempts of one length, of which one comes to pass and the others come to half of the checks at most.
  const race = fc
    .record({
      others: fc.array(fc.nat({ max: checkCount / 2 }), { minLength: 3, maxLength: 15 }),
      ...{ place: fc.nat(), replies: fc.integer({ min: 16, max: 40 }) },
    })
    .map(({ others, place, replies }) =>
      others.toSpliced(place % (others.length + 1), 0, checkCount).map((passes) => ({ passes, replies })),
    )
  await fc.assert(
    fc.asyncProperty(race, async (given) => {
      const all = simulate(given, null)
      await runRace(all.racers, never)
      const halved = simulate(given, all.spent() * 0.54)
      await runRace(halved.racers, never)
      expect(bestAttempt(halved.judged())?.index).toBe(bestAttempt(all.judged())?.index)
      expect(halved.spent()).toBeLessThanOrEqual(0.55 * all.spent() + price)
    }),
    races,
  )
})

it('without a budget, or without checks, nobody is stopped', async () => {
  await fc.assert(
    fc.asyncProperty(scripts, fc.double({ min: 0.01, max: 3, noNaN: true }), async (given, budget) => {
      const free = simulate(given, null)
      await runRace({ ...free.racers, stop: () => Promise.reject(new Error('stopped')) }, never)
      expect(free.racers.unfinished()).toEqual([])
      const unchecked = simulate(given, budget)
      const racers = { ...unchecked.racers, hasChecks: false, stop: () => Promise.reject(new Error('stopped')) }
      await runRace(racers, never)
      expect(racers.unfinished()).toEqual([])
    }),
    runs(1_000),
  )
})

it('the order of evidence is one order, in which no word of a model counts', () => {
  const outcome = fc.constantFrom('green' as const, 'red' as const, 'flaky' as const)
  const judged = fc
    .array(
      fc.record({
        isChanged: fc.boolean(),
        checks: fc.array(fc.record({ name: fc.string(), outcome }), { maxLength: 4 }),
        ...{ files: fc.nat(9), lines: fc.nat(99), cost: fc.option(fc.nat(9)) },
        findings: fc.option(fc.array(fc.string(), { maxLength: 3 })),
      }),
      { maxLength: 12 },
    )
    .map((all) =>
      all.map(({ isChanged, checks, ...one }, index): JudgedAttempt => {
        const own = isChanged ? checks : []
        return { ...one, index, checks: own, verdict: verdictOf(isChanged, own), same: null, stopped: null }
      }),
    )
  fc.assert(
    fc.property(judged, fc.infiniteStream(fc.nat()), (all, keys) => {
      const shuffled = all.map((one) => ({ one, key: keys.next().value })).sort((a, b) => a.key - b.key)
      const ranked = rankAttempts(all)
      expect(rankAttempts(shuffled.map(({ one }) => one))).toEqual(ranked)
      const greens = ranked.filter(({ verdict }) => verdict === 'green').length
      expect(ranked.slice(0, greens).every(({ verdict }) => verdict === 'green')).toBe(true)
      const idle = ranked.findIndex(({ verdict }) => verdict === 'no change')
      expect(ranked.slice(Math.max(idle, 0)).every(({ verdict }) => idle < 0 || verdict === 'no change')).toBe(true)
    }),
  )
})
