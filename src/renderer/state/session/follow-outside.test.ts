import { describe, expect, it } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { eventually } from '#core/ports/eventually.testkit.ts'
import type { OutsideChange } from '#shared/contract/views/app.ts'
import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { Client } from '../connection/connection.ts'
import type { QueryCache, QueryName } from '../connection/query-cache.ts'
import { type AppState, initialState } from '../store/app-state.ts'
import { followOutside } from './follow-outside.ts'

const project = (id: string, gitHead: string): ProjectInfo => ({
  id: id as ProjectId,
  path: `/${id}`,
  name: id,
  kind: 'folder',
  git: true,
  gitHead,
  trusted: true,
  wouldLoad: [],
  damage: null,
})

/** A window without screens, whose host tells what `tell` gives it. */
function openWindow() {
  const store = createStore<AppState>(() => ({ ...initialState, connection: 'connected' }))
  const [followed, asked]: [(string | null)[], QueryName[]] = [[], []]
  let tell = (_: OutsideChange): void => {}
  async function* outside({ projectId }: { projectId: string | null }, { signal }: { signal: AbortSignal }) {
    followed.push(projectId)
    while (!signal.aborted) {
      yield await new Promise<OutsideChange>((resolve) => {
        tell = resolve
      })
    }
  }
  const client = {
    events: { outside: async (...given: Parameters<typeof outside>) => outside(...given) },
    projects: { reopen: async () => project('one', 'other') },
    app: { info: async () => ({ version: 'new' }) },
  } as unknown as Client
  const queries = { reloadAll: (names: readonly QueryName[]) => asked.push(...names) } as unknown as QueryCache
  const stop = followOutside({ store, client, queries, sleep: () => new Promise(() => {}) })
  return { store, followed, asked, tell: (kind: OutsideChange) => tell(kind), stop }
}

describe('a window that follows changes outside the journal', () => {
  it('asks again for settings, also without a project', async () => {
    const { store, followed, asked, tell } = openWindow()
    await eventually(() => expect(followed).toEqual([null]))
    tell('settings')
    await eventually(() => expect(store.getState().info?.version).toBe('new'))
    expect(asked).toContain('settings.text')
  })

  it('follows the project that is open, and shows its branch', async () => {
    const { store, followed, tell } = openWindow()
    store.setState({ projectInfo: project('one', 'main') })
    await eventually(() => expect(followed).toEqual([null, 'one']))
    tell('git')
    await eventually(() => expect(store.getState().projectInfo?.gitHead).toBe('other'))
  })

  it('asks again for agents, skills and servers', async () => {
    const { store, followed, asked, tell } = openWindow()
    store.setState({ projectInfo: project('one', 'main') })
    await eventually(() => expect(followed).toEqual([null, 'one']))
    tell('extensions')
    await eventually(() => expect(asked).toEqual(['extensions.list', 'extensions.slash', 'mcp.list']))
  })

  it('asks again for what only events tell, once it is connected again', async () => {
    const { store, asked } = openWindow()
    store.setState({ projectInfo: project('one', 'main') })
    expect(asked).toEqual([])
    store.setState({ connection: 'connecting' })
    store.setState({ connection: 'connected' })
    expect(asked).toContain('checks.queue')
  })

  it('follows nothing after it stopped', async () => {
    const { store, followed, stop } = openWindow()
    await eventually(() => expect(followed).toEqual([null]))
    stop()
    store.setState({ projectInfo: project('one', 'main') })
    expect(followed).toEqual([null])
  })
})
