import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { everyOf, repeats, testSeed, testSize, testStart, timeLimit } from '../src/main/core/ports/test-size.testkit.ts'
import { killOneAfterTheOther, neverKilled } from './kill-check.testkit.ts'
import { everyPoint, type KillPoint } from './kill-load.testkit.ts'
import { type KillWorld, openKillWorld } from './kill-world.testkit.ts'

/**
 * A busy process is killed without warning, at every point of a step's life and at random moments, and another takes
 * over. Every acknowledged entry is there, nothing happened twice, and the end is the same as without any kill. A
 * killed process loses nothing that the system holds for it; `torn-log.test.ts` covers torn writes.
 */
const seed = testSeed()
const lines = 2

it('survives being killed anywhere', { timeout: timeLimit(600_000) }, async () => {
  const worlds = await Promise.all(Array.from({ length: lines }, openKillWorld))
  await using closing = new AsyncDisposableStack()
  for (const world of worlds) closing.use(world)
  const { remains, tookMs } = await neverKilled(worlds[0] as KillWorld)
  const moments = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { numRuns: repeats(5, 1000), seed })
  const points = [...pointsInTurn(), ...moments.map((share): KillPoint => ({ at: 'time', ms: share * 1.5 * tookMs }))]
  const due = points.values()
  const results = await Promise.all(worlds.map((world) => killOneAfterTheOther(world, due, remains, seed)))
  const killed = results.flatMap((result) => result.killed)
  const resumed = results.flatMap((result) => result.resumedMs).sort((a, b) => a - b)
  const p95 = resumed[Math.floor(resumed.length * 0.95)] ?? Number.NaN
  process.stdout.write(
    `killed ${killed.length} times (seed ${seed}); a load takes ${Math.round(tookMs)} ms; back after p50 ${Math.round(resumed[resumed.length >> 1] ?? 0)} ms, p95 ${Math.round(p95)} ms\n`,
  )
  expect(killed).toHaveLength(points.length)
  expect(resumed).toHaveLength(points.length)
})

/**
 * Each night, every fourth point of those before and after each act, by the seed; on every change fewer. When soaking, every
 * point twenty times over all chunks.
 */
function pointsInTurn(): readonly KillPoint[] {
  if (process.env.COPPICE_SOAK !== '1') return everyPoint.filter((_, index) => index % everyOf(4) === seed % everyOf(4))
  const inAll = 20 * everyPoint.length
  const start = testStart(inAll)
  const indexes = Array.from({ length: testSize(everyPoint.length, inAll) }, (_, index) => start + index)
  return indexes.flatMap((index) => everyPoint[index % everyPoint.length] ?? [])
}
