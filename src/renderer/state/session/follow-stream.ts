import type { StoreApi } from 'zustand/vanilla'
import type { AppState } from '../store/app-state.ts'

interface StreamOptions<Item> {
  readonly store: StoreApi<AppState>
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<Item>>
  readonly take: (item: Item) => void
}

const retryDelay = 2_000

/** Reads a stream of the host while the window is connected. Returns a function that stops it. */
export function followStream<Item>({ store, open, take }: StreamOptions<Item>): () => void {
  let isConnected = false
  let following = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function follow(signal: AbortSignal): Promise<void> {
    try {
      for await (const item of await open(signal)) if (!signal.aborted) take(item)
    } catch {
      // The link broke. The stream begins again below.
    }
    if (!signal.aborted) timer = setTimeout(() => void follow(signal), retryDelay)
  }

  function look({ connection, info }: AppState): void {
    const isNow = connection === 'connected' && info !== null
    if (isNow === isConnected) return
    isConnected = isNow
    following.abort()
    clearTimeout(timer)
    following = new AbortController()
    if (isNow) void follow(following.signal)
  }

  look(store.getState())
  const stop = store.subscribe(look)
  return () => {
    following.abort()
    clearTimeout(timer)
    stop()
  }
}
