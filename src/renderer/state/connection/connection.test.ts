import { describe, expect, it } from 'vitest'
import { backoff, type CloseReason, type ConnectionStatus, connect, type OpenLink, TokenRefused } from './connection.ts'

interface FakeLink {
  readonly open: OpenLink
  readonly lose: (reason: CloseReason) => void
  readonly calls: string[]
}

function fakeLink(): FakeLink {
  const closed = Promise.withResolvers<CloseReason>()
  const calls: string[] = []
  const link = {
    call: async (path: readonly string[]) => {
      calls.push(path.join('.'))
      return path.join('.')
    },
  }
  return { open: { link, closed: closed.promise, close: () => closed.resolve('lost') }, lose: closed.resolve, calls }
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

describe('backoff', () => {
  it('doubles from 250 ms and stops at 5 s', () => {
    expect([1, 2, 3, 4, 5, 6, 60].map(backoff)).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000])
  })
})

describe('connection', () => {
  it('opens a new link after a break and sends later calls over it', async () => {
    const links = [fakeLink(), fakeLink()] as const
    const statuses: ConnectionStatus[] = []
    const delays: number[] = []
    let opened = 0
    using connection = connect({
      open: async () => links[opened++ as 0 | 1].open,
      onStatus: (status) => statuses.push(status),
      sleep: async (milliseconds) => void delays.push(milliseconds),
    })
    await connection.client.app.info()
    links[0].lose('lost')
    await settled()
    await connection.client.settings.get()
    expect(links.map(({ calls }) => calls)).toEqual([['app.info'], ['settings.get']])
    expect(statuses).toEqual(['connecting', 'connected', 'reconnecting', 'connected'])
    expect(delays).toEqual([250])
  })

  it('waits longer after each failed attempt', async () => {
    const delays: number[] = []
    const link = fakeLink()
    using connection = connect({
      open: async () => {
        if (delays.length < 3) throw new Error('nobody there')
        return link.open
      },
      onStatus: () => undefined,
      sleep: async (milliseconds) => void delays.push(milliseconds),
    })
    await connection.ready()
    expect(delays).toEqual([250, 500, 1000])
  })

  it('does not try again when the token is refused', async () => {
    const statuses: ConnectionStatus[] = []
    let attempts = 0
    using _ = connect({
      open: async () => {
        attempts++
        throw new TokenRefused()
      },
      onStatus: (status) => statuses.push(status),
      sleep: async () => undefined,
    })
    await settled()
    expect([attempts, statuses]).toEqual([1, ['connecting', 'refused']])
  })
})
