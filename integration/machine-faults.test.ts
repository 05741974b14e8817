import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { repeats, testSeed, timeLimit } from '../src/main/core/ports/test-size.testkit.ts'
import { killOneAfterTheOther, neverKilled } from './kill-check.testkit.ts'
import type { KillPoint } from './kill-load.testkit.ts'
import { outcomeOf, remainsOf } from './kill-state.testkit.ts'
import { openKillWorld } from './kill-world.testkit.ts'

/**
 * A machine without memory, and one that sleeps in the middle of everything. Both end as if nothing had happened, like
 * the processes of `kill.test.ts`.
 */
const seed = testSeed()

it(
  'survives that V8 ends the process for want of memory, in the middle of its work',
  async () => {
    await using world = await openKillWorld()
    const { remains } = await neverKilled(world)
    const nths = fc.sample(fc.integer({ min: 2, max: 60 }), { numRuns: repeats(3, 100), seed })
    const points = nths.map((nth): KillPoint => ({ at: 'memory', nth }))
    const { killed } = await killOneAfterTheOther(world, points.values(), remains, seed)
    expect(killed).toHaveLength(points.length)
  },
  timeLimit(300_000),
)

it(
  'goes on after the machine slept, at any moment and as often as it likes',
  async () => {
    await using world = await openKillWorld()
    const { remains, tookMs } = await neverKilled(world)
    for (let round = 0; round < repeats(2, 60); round += 1) {
      const moments = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { numRuns: 6, seed: seed + round })
      const load = world.newLoad()
      const sleeps = moments.map((share) => ({ afterMs: share * tookMs, forMs: 150 + share * 500 }))
      const { work, errors } = await world.run(null, load, null, sleeps)
      expect(errors).toBe('')
      expect(work.finished, `seed ${seed}, round ${round}`).toBe(true)
      expect(outcomeOf(remainsOf(load), new Set()), `seed ${seed}, round ${round}`).toEqual(
        outcomeOf(remains, new Set()),
      )
    }
  },
  timeLimit(300_000),
)
