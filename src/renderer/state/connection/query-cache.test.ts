import { ORPCError } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import type { FolderPage } from '#shared/contract/views/projects.ts'
import type { Client } from './connection.ts'
import { createQueryCache, type Loaded, type Query } from './query-cache.ts'

interface Call {
  readonly input: unknown
  readonly signal: AbortSignal
  readonly answer: PromiseWithResolvers<FolderPage>
}

const page = (path: string): FolderPage => ({ path, parent: null, folders: [] })
const folders = (path: string, version?: number): Query<'app.folders'> => ({
  name: 'app.folders',
  input: { path },
  version,
})

function harness() {
  const calls: Call[] = []
  const client = {
    app: {
      folders(input: unknown, { signal }: { signal: AbortSignal }) {
        const answer = Promise.withResolvers<FolderPage>()
        calls.push({ input, signal, answer })
        return answer.promise
      },
    },
  } as unknown as Client
  const cache = createQueryCache(client)
  const answer = async (place: number, value: FolderPage | Error): Promise<void> => {
    if (value instanceof Error) calls[place]?.answer.reject(value)
    else calls[place]?.answer.resolve(value)
    await Promise.resolve()
    await Promise.resolve()
    await Promise.resolve()
  }
  return { calls, cache, answer }
}

/** Collects every state that a watcher sees. */
function record(cache: ReturnType<typeof harness>['cache'], query: Query<'app.folders'>) {
  const states: (Loaded<FolderPage> | null)[] = []
  const stop = cache.watch(query, () => states.push(cache.read(query)))
  return { states, stop }
}

describe('a query', () => {
  it('knows nothing before it is watched, then loads, then holds the answer', async () => {
    const { cache, calls, answer } = harness()
    expect(cache.read(folders('/a'))).toBeNull()
    const { states } = record(cache, folders('/a'))
    expect(cache.read(folders('/a'))).toEqual({ state: 'loading', value: null })
    expect(calls.map(({ input }) => input)).toEqual([{ path: '/a' }])
    await answer(0, page('/a'))
    expect(states).toEqual([{ state: 'ready', value: page('/a') }])
  })

  it('shares a load under way', async () => {
    const { cache, calls, answer } = harness()
    const [one, two] = [record(cache, folders('/a')), record(cache, folders('/a'))]
    expect(calls).toHaveLength(1)
    await answer(0, page('/a'))
    expect([one.states, two.states]).toEqual([
      [{ state: 'ready', value: page('/a') }],
      [{ state: 'ready', value: page('/a') }],
    ])
  })

  it('keeps inputs and versions apart', () => {
    const { cache, calls } = harness()
    for (const query of [folders('/a'), folders('/b'), folders('/a', 1), folders('/a', 2)]) record(cache, query)
    expect(calls).toHaveLength(4)
  })

  it('writes its input down once, however often it is read', () => {
    const { cache } = harness()
    let written = 0
    const toJSON = (): unknown => {
      written += 1
      return { path: '/' }
    }
    const query: Query<'app.folders'> = { name: 'app.folders', input: Object.assign({ path: '/' }, { toJSON }) }
    for (let version = 0; version < 3; version += 1) cache.read({ ...query, version })
    expect(written).toBe(1)
  })

  it('with a version is not asked again for a second screen', async () => {
    const { cache, calls, answer } = harness()
    record(cache, folders('/a', 1))
    await answer(0, page('/a'))
    record(cache, folders('/a', 1))
    expect(calls).toHaveLength(1)
    expect(cache.read(folders('/a', 1))).toEqual({ state: 'ready', value: page('/a') })
  })

  it('without a version is asked again for a second screen, which shows the last answer meanwhile', async () => {
    const { cache, calls, answer } = harness()
    const first = record(cache, folders('/a'))
    await answer(0, page('/a'))
    record(cache, folders('/a'))
    expect(calls).toHaveLength(2)
    expect(cache.read(folders('/a'))).toEqual({ state: 'loading', value: page('/a') })
    await answer(1, page('/new'))
    expect(first.states.at(-1)).toEqual({ state: 'ready', value: page('/new') })
  })
})

describe('reloading a query', () => {
  it('keeps the last answer until the new one arrives', async () => {
    const { cache, answer } = harness()
    const { states } = record(cache, folders('/a'))
    await answer(0, page('/old'))
    cache.reload(folders('/a'))
    await answer(1, page('/new'))
    expect(states).toEqual([
      { state: 'ready', value: page('/old') },
      { state: 'loading', value: page('/old') },
      { state: 'ready', value: page('/new') },
    ])
  })

  it('aborts the previous load, whose answer then changes nothing', async () => {
    const { cache, calls, answer } = harness()
    const { states } = record(cache, folders('/a'))
    cache.reload(folders('/a'))
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, false])
    await answer(1, page('/new'))
    await answer(0, page('/stale'))
    expect(states).toEqual([{ state: 'ready', value: page('/new') }])
  })

  it('tries again after a failure', async () => {
    const { cache, answer } = harness()
    const { states } = record(cache, folders('/a'))
    await answer(0, new ORPCError('NOT_FOUND', { message: 'There is no such folder.' }))
    expect(states.at(-1)).toMatchObject({
      state: 'failed',
      value: null,
      refusal: { code: 'NOT_FOUND', message: 'There is no such folder.' },
    })
    cache.reload(folders('/a'))
    expect(states.at(-1)).toEqual({ state: 'loading', value: null })
    await answer(1, page('/a'))
    expect(states.at(-1)).toEqual({ state: 'ready', value: page('/a') })
  })

  it('is asked again with all others of its procedure', async () => {
    const { cache, calls, answer } = harness()
    const [one, two] = [record(cache, folders('/a', 1)), record(cache, folders('/b', 1))]
    await answer(0, page('/a'))
    await answer(1, page('/b'))
    cache.reloadAll(['settings.get'])
    expect(calls).toHaveLength(2)
    cache.reloadAll(['app.folders'])
    await answer(2, page('/new'))
    await answer(3, page('/newer'))
    expect([one.states.at(-1), two.states.at(-1)]).toEqual([
      { state: 'ready', value: page('/new') },
      { state: 'ready', value: page('/newer') },
    ])
  })

  it('does not ask if nobody watches', () => {
    const { cache, calls } = harness()
    cache.reload(folders('/a'))
    expect(calls).toEqual([])
  })
})

describe('when the last screen stops watching', () => {
  it('the load is aborted and the answer dropped', async () => {
    const { cache, calls, answer } = harness()
    const [one, two] = [record(cache, folders('/a')), record(cache, folders('/a'))]
    one.stop()
    expect(calls[0]?.signal.aborted).toBe(false)
    two.stop()
    expect(calls[0]?.signal.aborted).toBe(true)
    await answer(0, page('/a'))
    expect(cache.read(folders('/a'))).toBeNull()
  })

  it('stopping twice does not stop another screen', async () => {
    const { cache, calls } = harness()
    const one = record(cache, folders('/a'))
    one.stop()
    record(cache, folders('/a'))
    one.stop()
    expect(calls[1]?.signal.aborted).toBe(false)
    expect(cache.read(folders('/a'))).toEqual({ state: 'loading', value: null })
  })
})

describe('a single answer', () => {
  it('joins a running load and outlives the screen that began it', async () => {
    const { cache, calls, answer } = harness()
    const screen = record(cache, folders('/a', 1))
    const single = cache.fetch(folders('/a', 1))
    screen.stop()
    expect(calls).toHaveLength(1)
    await answer(0, page('/a'))
    expect(await single).toEqual({ state: 'ready', value: page('/a') })
    expect(cache.read(folders('/a', 1))).toBeNull()
  })

  it('says why it failed', async () => {
    const { cache, answer } = harness()
    const single = cache.fetch(folders('/a'))
    await answer(0, new Error('socket closed'))
    expect(await single).toMatchObject({ state: 'failed', refusal: { code: 'OFFLINE' } })
  })
})
