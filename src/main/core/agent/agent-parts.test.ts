import { describe, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import { ModelError } from '../ports/model-client.ts'
import { evictionNotice } from './context/eviction.ts'
import { stateSummary } from './context/inherited.ts'
import { createIdleTracker } from './delegation/idle-tracker.ts'
import { createModelGate } from './model/model-gate.ts'
import { retryDelay } from './model/request-reply.ts'
import { createSignals } from './runtime/signals.ts'
import { defaultRetry } from './types/settings.ts'

const never = new AbortController().signal

describe('retry', () => {
  const at = (code: ConstructorParameters<typeof ModelError>[0], attempt: number, after: number | null = null) =>
    retryDelay(defaultRetry, new ModelError(code, '', after), attempt, 0)

  it('backs off up to a limit and then gives up', () => {
    expect([at('server', 1), at('server', 3), at('server', 5), at('server', 6)]).toEqual([1000, 4000, 16_000, null])
  })
  it('waits as long as the server asks, and never repeats a request that cannot succeed', () => {
    expect([at('rate_limited', 1, 7000), at('unauthorized', 1), at('bad_request', 1)]).toEqual([7000, null, null])
  })
})

describe('model gate', () => {
  it('admits calls up to its limit, tells the others how many are ahead, and skips one that gave up', async () => {
    const gate = createModelGate(1)
    const ahead: number[] = []
    const first = await gate.enter(() => {}, never)
    const second = gate.enter((count) => ahead.push(count), never)
    const impatient = new AbortController()
    const third = gate.enter((count) => ahead.push(count), impatient.signal)
    impatient.abort(new Error('stop'))
    await expect(third).rejects.toThrow('stop')
    first[Symbol.dispose]()
    await second
    expect(ahead).toEqual([0, 1])
  })
})

describe('activity', () => {
  const settled = async (promise: Promise<void>) => {
    let done = false
    void promise.then(() => {
      done = true
    })
    await Promise.resolve()
    await Promise.resolve()
    return done
  }
  const later = () => {
    let release = () => {}
    const promise = new Promise<void>((resolve) => {
      release = resolve
    })
    return { promise, release }
  }

  it('is quiet when a subagent waits for a person, and not while its result is on the way to its parent', async () => {
    const decided = new Set<string>()
    const activity = createIdleTracker((agent) => decided.has(agent))
    const [child, answer] = [later(), later()]
    activity.enter('parent')
    activity.enter('child')
    const delegating = activity.whileDelegating('parent', ['child'], () => child.promise)
    expect(await settled(activity.whenIdle())).toBe(false)
    const deciding = activity.whileDeciding('child', () => answer.promise)
    expect(await settled(activity.whenIdle())).toBe(true)
    decided.add('child')
    expect(await settled(activity.whenIdle())).toBe(false)
    answer.release()
    await deciding
    activity.leave('child')
    expect(await settled(activity.whenIdle())).toBe(false)
    child.release()
    await delegating
    const quiet = activity.whenIdle()
    expect(await settled(quiet)).toBe(false)
    activity.leave('parent')
    expect(await settled(quiet)).toBe(true)
  })
})

describe('activity of neighbouring calls', () => {
  it('is quiet when one subagent asks a person after the other one has returned', async () => {
    const activity = createIdleTracker(() => false)
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    for (const agent of ['parent', 'first', 'second']) activity.enter(agent)
    const one = activity.whileDelegating('parent', ['first'], () => first.promise)
    void activity.whileDelegating('parent', ['second'], () => second.promise)
    activity.leave('first')
    first.resolve()
    await one
    void activity.whileDeciding('second', () => new Promise<void>(() => {}))
    let quiet = false
    void activity.whenIdle().then(() => {
      quiet = true
    })
    await Promise.resolve()
    await Promise.resolve()
    expect(quiet).toBe(true)
  })
})

describe('signals', () => {
  it('wakes a sleeper of the thread and releases an aborted one', async () => {
    const signals = createSignals()
    const thread = 't' as ThreadId
    const controller = new AbortController()
    const sleeping = signals.next(thread, never)
    const aborted = signals.next(thread, controller.signal)
    controller.abort(new Error('gone'))
    await expect(aborted).rejects.toThrow('gone')
    signals.wake(thread)
    await sleeping
  })
})

describe('eviction', () => {
  it('keeps the path, the size and the first and last five lines, each cut', () => {
    const text = Array.from({ length: 20 }, (_, index) => `${index}${'x'.repeat(index === 0 ? 2000 : 0)}`).join('\n')
    const notice = evictionNotice('/large_tool_results/c.txt', text).split('\n')
    expect(notice[0]).toContain('/large_tool_results/c.txt')
    expect(notice[2]).toHaveLength(1000 + '… (1001 more characters)'.length)
    expect(notice.slice(-5)).toEqual(['15', '16', '17', '18', '19'])
  })
})

describe('state summary of scoped quarantine', () => {
  it('names at most ten todos and twenty files, in at most 2 KB', () => {
    const todos = Array.from({ length: 30 }, (_, index) => ({
      content: `item ${index} ${'é'.repeat(200)}`,
      status: 'pending' as const,
    }))
    const files = Array.from({ length: 40 }, (_, index) => `/src/file-${index}.ts`)
    const summary = stateSummary({ todos }, files)
    expect(new TextEncoder().encode(summary).length).toBeLessThanOrEqual(2048)
    const parsed = JSON.parse(summary) as {
      version: string
      scope: string
      todos: unknown[]
      files: { list: string[]; remaining_count: number }
    }
    expect(parsed).toMatchObject({ version: 'v1', scope: 'scoped' })
    expect(parsed.todos.length).toBeLessThanOrEqual(10)
    expect(parsed.files.list.length + parsed.files.remaining_count).toBe(40)
  })
})
