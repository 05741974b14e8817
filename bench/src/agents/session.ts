import type { ChildProcess } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { startModelServer } from '../../../e2e/model-server/model-server.ts'
import type { ApiRequest, Call } from '../../../e2e/model-server/scenario.ts'
import type { Agent, Calls, Place } from './agent.ts'
import { expectNoFailure } from './jobs.ts'
import { processorOf, watchMemory } from './process-tree.ts'

/** What one session of an agent cost. */
export interface Session {
  /** Milliseconds from the start of the program to its first request. */
  readonly firstRequest: number
  /** For each call, the milliseconds from the request that it answered to the next request. */
  readonly steps: readonly number[]
  /** Milliseconds from the start of the program to its end. */
  readonly whole: number
  /** Milliseconds of the processor for each call but the first, together with everything that it started. */
  readonly processorOfStep: number
  /** The most megabytes that it and what it started held. NaN unless it was asked for. */
  readonly peakMb: number
}

export interface SessionOptions {
  /** Goes on with the session of the place. */
  readonly resume?: boolean
  /** Looks at the memory ten times a second, which disturbs the other figures a little. */
  readonly memory?: boolean
}

/** A session in which the model makes one call after the other. Throws if the agent or a call fails, or one is left out. */
export async function runSession(
  agent: Agent,
  folder: string,
  project: string,
  callsOf: (calls: Calls) => readonly Call[],
  { resume = false, memory = false }: SessionOptions = {},
): Promise<Session> {
  const calls = callsOf(agent.calls(project))
  const askedAt: number[] = []
  const processor: number[] = []
  let child: ChildProcess | null = null
  await using server = await startModelServer((request: ApiRequest) => {
    if (!agent.isTurn(request)) return { text: 'A title' }
    const turn = askedAt.push(performance.now()) - 1
    if (turn === 1 || turn === calls.length) processor.push(processorOf(child?.pid ?? 0))
    const call = calls[turn]
    return call ? { calls: [call] } : { text: 'Done.' }
  })
  const place: Place = { project, home: join(folder, 'home'), url: server.url }
  mkdirSync(place.home, { recursive: true })
  const started = performance.now()
  child = resume ? agent.resume(place, 'Go on') : agent.start(place, 'Do it')
  using watched = memory ? watchMemory([child.pid ?? 0]) : null
  await endOf(agent, child)
  const whole = performance.now() - started
  if (askedAt.length !== calls.length + 1)
    throw new Error(`${agent.name} asked ${askedAt.length} times for ${calls.length} calls`)
  expectNoFailure(agent.name, server.requests)
  return {
    firstRequest: (askedAt[0] ?? Number.NaN) - started,
    steps: askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? Number.NaN)),
    whole,
    processorOfStep: ((processor[1] ?? Number.NaN) - (processor[0] ?? Number.NaN)) / (calls.length - 1),
    peakMb: watched?.peakMb() ?? Number.NaN,
  }
}

/** Throws with what it said if it fails. */
export async function endOf({ name }: Agent, child: ChildProcess): Promise<void> {
  const said = Promise.all([child.stdout, child.stderr].map((stream) => (stream ? readAll(stream) : '')))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${(await said).join('\n').slice(-2_000)}`)
}
