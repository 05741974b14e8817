import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commitAlways } from '../../journal/project-log.ts'
import { type ModelScript, taskOf, turnOf } from '../../ports/model-client.testkit.ts'
import { ModelError, type ModelErrorCode } from '../../ports/model-client.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { defaultRetry } from '../types/settings.ts'
import { retryDelay } from './request-reply.ts'

const codes: readonly ModelErrorCode[] = [
  'no_key',
  'unauthorized',
  'forbidden',
  'not_found',
  'bad_request',
  'too_large',
  'context_window_exceeded',
  'rate_limited',
  'overloaded',
  'server',
  'unreachable',
  'cut',
  'malformed',
]
const repeated: readonly ModelErrorCode[] = ['rate_limited', 'overloaded', 'server', 'unreachable', 'cut', 'malformed']
/** A model that fails this many times, then answers. */
const failing =
  (times: number, code: ModelErrorCode, retryAfterMs?: number): ModelScript =>
  (_, { count }) =>
    count < times
      ? {
          text: 'Half a reply',
          fault: { afterEvents: 2, with: code, ...(retryAfterMs !== undefined && { retryAfterMs }) },
        }
      : { text: 'Whole.' }

/** A model whose first reply stops in the middle, as when the machine goes to sleep, and never goes on. */
function heldModel() {
  const started = Promise.withResolvers<void>()
  const model: ModelScript = (_, { count }) => {
    if (count > 0) return { text: 'Whole.' }
    setImmediate(() => started.resolve())
    return { text: 'Half a reply', until: new Promise(() => undefined) }
  }
  return { started: started.promise, model }
}

describe('a request that fails', () => {
  it.each(repeated)('with %s is sent again, and what was shown of the reply disappears', async (code) => {
    const world = await openWorld({ script: failing(2, code) })
    const id = await world.run('main')
    expect([world.answer(id), world.requests.length, world.services.clock.slept]).toEqual(['Whole.', 3, [1000, 2000]])
    const live = world.services.live.map((event) => (event.type === 'message.delta' ? event.text : event.type))
    expect(live).toEqual([
      ...['Half ', 'a ', 'message.dropped', 'model.retrying'],
      ...['Half ', 'a ', 'message.dropped', 'model.retrying'],
      'Whole.',
    ])
    expect(world.thread(id).messages.filter(({ role }) => role === 'assistant')).toHaveLength(1)
  })

  it.each(codes.filter((code) => !repeated.includes(code)))('with %s is not sent again', async (code) => {
    const world = await openWorld({ script: failing(1, code) })
    const id = await world.run('main')
    expect([world.requests.length, world.thread(id).end?.status, world.services.clock.slept]).toEqual([1, 'failed', []])
  })

  it('too often ends the run with the last reason, and the run can be continued', async () => {
    const world = await openWorld({ script: failing(6, 'overloaded') })
    const id = await world.run('main')
    expect([world.requests.length, world.thread(id).end?.reason]).toEqual([6, 'model_error'])
    world.runtime.resume(id)
    await world.whenIdle(id)
    expect(world.answer(id)).toBe('Whole.')
  })

  it('waits as long as the server asks, and says so', async () => {
    const world = await openWorld({ script: failing(1, 'rate_limited', 7_000) })
    await world.run('main')
    expect(world.services.clock.slept).toEqual([7000])
    const [told] = world.services.live.filter(({ type }) => type === 'model.retrying')
    expect(told).toMatchObject({ attempt: 1, delayMs: 7000, reason: 'The script fails: rate_limited.' })
  })

  it('with a stream that ends early is sent again', async () => {
    const world = await openWorld({
      script: (_, { count }) =>
        count === 0 ? { text: 'Half', fault: { afterEvents: 1, with: 'end' } } : { text: 'Whole.' },
    })
    const id = await world.run('main')
    expect(world.answer(id)).toBe('Whole.')
  })

  it('is sent again when nothing comes any more after the machine slept', async () => {
    const { started, model } = heldModel()
    const world = await openWorld({ script: model })
    const ended = world.run('main')
    await started
    world.runtime.wake()
    const id = await ended
    expect([world.answer(id), world.requests.length]).toEqual(['Whole.', 2])
    expect(world.services.live.map(({ type }) => type)).toContain('message.dropped')
  })

  it('is tried as often as ever after a sleep, however often it failed before', async () => {
    let fails = 0
    const world = await openWorld({
      script: () => {
        fails += 1
        // The machine sleeps during the fifth try; six tries are allowed.
        if (fails === 5) world.runtime.wake()
        return fails < 9 ? { fault: { afterEvents: 0, with: 'unreachable' } } : { text: 'Whole.' }
      },
    })
    const id = await world.run('main')
    expect([world.answer(id), world.requests.length]).toEqual(['Whole.', 9])
  })

  it('runs none of its calls, wherever the stream breaks', async () => {
    const calls = [1, 2, 3].map((n) => ({
      name: 'write_file',
      id: `c${n}`,
      input: { file_path: '/ran', content: String(n) },
    }))
    const text = 'I write three files. '
    const property = fc.asyncProperty(
      fc.nat(6),
      fc.constantFrom<ModelErrorCode | 'end'>('cut', 'malformed', 'end'),
      async (afterEvents, kind) => {
        const world = await openWorld({
          script: (request, { tries }) =>
            turnOf(request) > 0
              ? { text: 'Done.' }
              : { text, calls, ...(tries === 0 && { fault: { afterEvents, with: kind } }) },
        })
        const id = await world.run('main')
        expect(world.entries('tool.started')).toHaveLength(3)
        expect([await world.files(id), world.requests.length]).toEqual([{ '/ran': '3' }, 3])
      },
    )
    await fc.assert(property, { numRuns: 40 })
  })

  it('stops at once while it waits for the next try', async () => {
    const world = await openWorld({ script: failing(1, 'overloaded') })
    const sleep = Promise.withResolvers<void>()
    Object.assign(world.services.clock, {
      sleep: (_: number, signal: AbortSignal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
          sleep.resolve()
        }),
    })
    const id = world.begin('main')
    await sleep.promise
    await world.runtime.halt(id)
    expect([world.thread(id).status, world.requests.length]).toEqual(['stopped', 1])
  })
})

describe('more agents than may ask at once', () => {
  it('wait, learn how many are ahead of them, and all get their turn', async () => {
    let asking = 0
    let most = 0
    const world = await openWorld({
      modelCalls: 2,
      script: (request) => {
        if (taskOf(request) === 'main')
          return turnOf(request) === 0
            ? { calls: [{ name: 'spawn_subagents', input: { tasks: ['a', 'b', 'c', 'd'] } }] }
            : { text: 'ok' }
        asking += 1
        most = Math.max(most, asking)
        return { text: 'done', until: Promise.resolve().then(() => (asking -= 1)) }
      },
    })
    const id = await world.run('main')
    expect([most, world.thread(id).status]).toEqual([2, 'done'])
    const waited = world.services.live.flatMap((event) => (event.type === 'model.waiting' ? [event.ahead] : []))
    expect(waited).toEqual([0, 1])
  })
})

describe('the wait before the next try', () => {
  const policy = fc.record({
    attempts: fc.integer({ min: 1, max: 10 }),
    baseDelayMs: fc.integer({ min: 1, max: 10_000 }),
    maxDelayMs: fc.integer({ min: 1, max: 100_000 }),
  })
  const chance = fc.double({ min: 0, max: 1, noNaN: true })

  it('stays between half its computed length and the longest allowed wait, and ends after the last try', () => {
    const property = fc.property(policy, fc.integer({ min: 1, max: 12 }), chance, (given, attempt, random) => {
      const delay = retryDelay(given, new ModelError('server', ''), attempt, random)
      if (attempt >= given.attempts) {
        expect(delay).toBeNull()
        return
      }
      const full = Math.min(given.baseDelayMs * 2 ** (attempt - 1), given.maxDelayMs)
      expect(delay).toBeGreaterThanOrEqual(Math.floor(full / 2))
      expect(delay).toBeLessThanOrEqual(full)
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('is as long as the server asked for, up to the longest allowed wait', () => {
    const asked = (after: number) => retryDelay(defaultRetry, new ModelError('rate_limited', '', after), 1, 0.5)
    expect([asked(0), asked(7_000), asked(3_600_000)]).toEqual([0, 7_000, 60_000])
  })
})

describe('a model that cannot answer', () => {
  /** Only these models answer. The others fail with this. */
  const answering =
    (models: readonly string[], code: ModelErrorCode = 'overloaded'): ModelScript =>
    (request) => {
      if (!models.includes(request.model)) return { fault: { afterEvents: 0, with: code } }
      return turnOf(request) === 0
        ? { calls: [{ name: 'ls', id: `c-${request.model}`, input: {} }] }
        : { text: `${request.model} says so.` }
    }

  it('is replaced by the next of the list after three tries, until the run ends, and the journal says why', async () => {
    const world = await openWorld({ script: answering(['c']), settings: { fallback: ['b', 'away:x', 'c'] } })
    const id = await world.run('main')
    const { model, fallback, fallbacks, usageByModel } = world.thread(id)
    expect([world.answer(id), model]).toEqual(['c says so.', 'scripted'])
    expect(world.requests.map((request) => request.model)).toEqual([
      ...['scripted', 'scripted', 'scripted'],
      ...['b', 'b', 'b'],
      ...['c', 'c'],
    ])
    expect(fallback).toMatchObject({ from: 'b', model: 'c', reason: expect.stringContaining('overloaded'), after: 1 })
    expect(fallbacks?.map(({ from, model: to }) => [from, to])).toEqual([
      ['scripted', 'b'],
      ['b', 'c'],
    ])
    expect([...usageByModel.keys()]).toEqual(['c'])
    expect(
      world.thread(id).messages.flatMap((message) => (message.role === 'assistant' ? [message.model] : [])),
    ).toEqual(['c', 'c'])
  })

  it('is asked again first in the next run', async () => {
    let isBack = false
    const world = await openWorld({
      script: (request, seen) => answering(isBack ? ['scripted'] : ['b'])(request, seen),
      settings: { fallback: ['b'] },
    })
    const id = await world.run('main')
    isBack = true
    await world.say(id, 'again')
    expect(world.requests.at(-1)?.model).toBe('scripted')
    expect(world.thread(id).fallback).toBeUndefined()
  })

  it('ends the run with the last reason when no model of the list answers', async () => {
    const world = await openWorld({ script: answering([]), settings: { fallback: ['b'] } })
    const id = await world.run('main')
    expect([world.thread(id).end?.status, world.requests.length]).toEqual(['failed', 3 + 6])
  })

  it.each([
    ['a model that stands twice', ['b', 'c', 'b']],
    ['the model itself', ['scripted', 'b', 'b', 'scripted', 'c']],
  ])('is asked once for each model of a list with %s, and never again in the run', async (_, fallback) => {
    const world = await openWorld({ script: answering([]), settings: { fallback } })
    const id = await world.run('main')
    expect(world.thread(id).end?.status).toBe('failed')
    expect(new Set(world.requests.map(({ model }) => model))).toEqual(new Set(['scripted', 'b', 'c']))
    expect(world.requests).toHaveLength(3 + 3 + 6)
  })

  it('goes past a replacement that cannot be asked, and ends with what the first model answered', async () => {
    const script: ModelScript = (request) => {
      const code = { scripted: 'overloaded', b: 'no_key', c: 'not_found' } as const
      return { fault: { afterEvents: 0, with: code[request.model as keyof typeof code] } }
    }
    const world = await openWorld({ script, settings: { fallback: ['b', 'c'] } })
    const id = await world.run('main')
    expect(world.requests.map(({ model }) => model)).toEqual(['scripted', 'scripted', 'scripted', 'b', 'c'])
    expect(world.thread(id).end).toMatchObject({ status: 'failed', message: expect.stringContaining('overloaded') })
  })

  it.each(['unauthorized', 'bad_request'] as const)('for another reason (%s) is not replaced', async (code) => {
    const world = await openWorld({ script: answering(['b'], code), settings: { fallback: ['b'] } })
    const id = await world.run('main')
    expect([world.requests.map(({ model }) => model), world.thread(id).end?.status]).toEqual([['scripted'], 'failed'])
  })
})

describe('what a person chose for a thread', () => {
  it('wins over the settings, for effort and thoughts', async () => {
    const world = await openWorld({ script: failing(0, 'cut'), settings: { effort: 'low' } })
    const id = await world.run('main')
    const { model, approvalMode } = world.thread(id)
    const chosen = { effort: 'max', thinking: false } as const
    commitAlways(world.services.log, [{ type: 'thread.configured', threadId: id, model, approvalMode, ...chosen }])
    await world.say(id, 'again')
    expect(world.requests.map(({ effort, thinking }) => [effort, thinking ?? null])).toEqual([
      ['low', null],
      ['max', false],
    ])
  })
})
