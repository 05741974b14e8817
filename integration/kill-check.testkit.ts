import { expect } from 'vitest'
import { effectKeys, type KillPoint } from './kill-load.testkit.ts'
import { markedDone, outcomeOf, type Remains, remainsOf, stateOf } from './kill-state.testkit.ts'
import { type KillWorld, type Load, type Said, type StoredLine, storedJournal } from './kill-world.testkit.ts'

/** What two loads that nobody disturbs leave behind, and how long one takes. */
export async function neverKilled(world: KillWorld): Promise<{ readonly remains: Remains; readonly tookMs: number }> {
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
export async function killOneAfterTheOther(
  world: KillWorld,
  due: Iterator<KillPoint>,
  reference: Remains,
  seed: number,
) {
  const killed: KillPoint[] = []
  const resumedMs: number[] = []
  let last: Killed | null = null
  while (true) {
    const { value: point, done } = due.next()
    const load = done ? null : world.newLoad()
    const ran = await world.run(last?.load ?? null, load, point ?? null)
    // V8 says at length that it has no memory.
    if (point?.at !== 'memory') expect(ran.errors).toBe('')
    if (last) {
      checkResumed(last, ran.finish, reference, seed)
      resumedMs.push(ran.finish.openedAfterMs ?? Number.NaN)
    }
    if (!load || !point) return { killed, resumedMs }
    killed.push(point)
    last = { load, point, said: ran.work, left: storedJournal(load).lines }
  }
}

function checkResumed({ load, point, said, left }: Killed, finish: Said, reference: Remains, seed: number): void {
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
