import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { testSize, timeLimit } from '../src/main/core/ports/test-size.testkit.ts'
import { effectKeys, everyPoint, type KillPoint } from './kill-load.testkit.ts'
import { markedDone, outcomeOf, type Remains, remainsOf, stateOf } from './kill-state.testkit.ts'
import {
  type KillWorld,
  type Load,
  openKillWorld,
  type Said,
  type StoredLine,
  storedJournal,
} from './kill-world.testkit.ts'

/**
 * A busy process is killed without warning, at every point of a step's life and at random moments, and another takes
 * over. Every acknowledged entry is there, nothing happened twice, and the end is the same as without any kill. A
 * killed process loses nothing that the system holds for it; `torn-log.test.ts` covers torn writes.
 */
const seed = Number(process.env.COPPICE_SEED ?? Date.now() % 1_000_000)
const lines = 2

it('survives being killed anywhere', { timeout: timeLimit(600_000) }, async () => {
  const worlds = await Promise.all(Array.from({ length: lines }, openKillWorld))
  await using closing = new AsyncDisposableStack()
  for (const world of worlds) closing.use(world)
  const { remains, tookMs } = await neverKilled(worlds[0] as KillWorld)
  const moments = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { numRuns: testSize(17, 1000), seed })
  const points = [
    ...Array.from({ length: testSize(1, 20) }, () => everyPoint).flat(),
    ...moments.map((share): KillPoint => ({ at: 'time', ms: share * 1.5 * tookMs })),
  ]
  const due = points.values()
  const results = await Promise.all(worlds.map((world) => killOneAfterTheOther(world, due, remains)))
  const killed = results.flatMap((result) => result.killed)
  const resumed = results.flatMap((result) => result.resumedMs).sort((a, b) => a - b)
  const p95 = resumed[Math.floor(resumed.length * 0.95)] ?? Number.NaN
  process.stdout.write(
    `killed ${killed.length} times (seed ${seed}); a load takes ${Math.round(tookMs)} ms; back after p50 ${Math.round(resumed[resumed.length >> 1] ?? 0)} ms, p95 ${Math.round(p95)} ms\n`,
  )
  expect(killed).toHaveLength(points.length)
  expect(resumed).toHaveLength(points.length)
})

async function neverKilled(world: KillWorld): Promise<{ readonly remains: Remains; readonly tookMs: number }> {
  const warm = world.newLoad()
  expect((await world.run(null, warm, null)).errors).toBe('')
  const load = world.newLoad()
  const { work } = await world.run(null, load, null)
  expect(work.finished).toBe(true)
  const remains = remainsOf(load)
  expect(outcomeOf(remains, new Set())).toEqual(outcomeOf(remainsOf(warm), new Set()))
  expect(remains.made).toEqual(Object.fromEntries(effectKeys.map((key) => [key, 1]).sort()))
  return { remains, tookMs: work.tookMs }
}

interface Killed {
  readonly load: Load
  readonly point: KillPoint
  readonly said: Said
  readonly left: readonly StoredLine[]
}

/** Each process first finishes the load that the previous one left, so that every kill costs only one start. */
async function killOneAfterTheOther(world: KillWorld, due: Iterator<KillPoint>, reference: Remains) {
  const killed: KillPoint[] = []
  const resumedMs: number[] = []
  let last: Killed | null = null
  while (true) {
    const { value: point, done } = due.next()
    const load = done ? null : world.newLoad()
    const ran = await world.run(last?.load ?? null, load, point ?? null)
    expect(ran.errors).toBe('')
    if (last) {
      checkResumed(last, ran.finish, reference)
      resumedMs.push(ran.finish.openedAfterMs ?? Number.NaN)
    }
    if (!load || !point) return { killed, resumedMs }
    killed.push(point)
    last = { load, point, said: ran.work, left: storedJournal(load).lines }
  }
}

function checkResumed({ load, point, said, left }: Killed, finish: Said, reference: Remains): void {
  const where = `killed at ${JSON.stringify(point)}, seed ${seed}`
  if (point.at !== 'time') expect(said.finished, `${where}: no process died`).toBe(false)
  expect(left.at(-1)?.sequence ?? 0, `${where}: an acknowledged entry is lost`).toBeGreaterThanOrEqual(said.stored)
  expect(finish.finished, `${where}: it did not finish`).toBe(true)
  const remains = remainsOf(load)
  const { lines: all } = remains
  expect(all.slice(0, left.length), `${where}: the journal was changed`).toEqual(left)
  const before = stateOf(left)
  const pending = [...before.threads.values()].flatMap(({ interrupts }) => interrupts)
  expect(finish.interrupts, `${where}: an approval is lost`).toEqual(expect.arrayContaining(pending))
  const fresh = finish.interrupts.filter(({ id }) => pending.every((one) => one.id !== id))
  for (const { action_requests } of fresh) expect(action_requests[0]?.rule, where).toBe('outcome unknown')
  const ended = [...before.threads.values()].filter(({ parent, status }) => parent && status === 'done')
  const again = all.slice(left.length).filter(({ thread_id }) => ended.some(({ id }) => id === thread_id))
  expect(again, `${where}: a finished subagent ran again`).toEqual([])
  const marked = markedDone(all)
  expect(outcomeOf(remains, marked), `${where}: the end is different`).toEqual(outcomeOf(reference, marked))
}
