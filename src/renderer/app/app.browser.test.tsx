import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import type { AppInfo } from '#shared/contract/views/app.ts'
import { createSession } from '../state/session/session.ts'
import { startUp } from '../state/session/start-up.ts'
import { App } from './app.tsx'

const info: AppInfo = {
  version: '1',
  shell: 'web',
  platform: 'linux',
  initialFolder: '/project',
  homeFolder: '/home',
  canPickFolder: false,
  provider: {
    model: 'm',
    baseUrl: null,
    keySource: null,
    canAsk: false,
    models: [],
    runLimit: null,
    assumedPrice: null,
  },
  sandbox: { state: 'off', reason: 'This is a test.', command: null },
  dataFolder: '/data',
  logFile: null,
  canInstallCommand: false,
  recent: [],
}

beforeEach(() => sessionStorage.clear())

/** Noticed: Home was drawn while the project opened, so a click on its Settings button could hit nothing. */
it('shows how far a slow project is, and Home only when it could not be opened', async () => {
  const opening = Promise.withResolvers<never>()
  const asked: string[] = []
  const session = createSession(async () => ({
    link: {
      call: async (path) => {
        asked.push(path.join('.'))
        if (path.join('.') === 'app.info') return info
        if (path.join('.') === 'projects.opening') return [{ name: 'work', done: 1_200, total: 3_400 }]
        return path.join('.') === 'projects.open' ? opening.promise : Promise.reject(new Error('not answered here'))
      },
    },
    closed: new Promise(() => undefined),
    close: () => undefined,
  }))
  onTestFinished(() => session[Symbol.dispose]())
  void startUp(session)
  await render(<App session={session} />)
  await expect.poll(() => asked).toContain('projects.open')
  await expect.element(page.getByText('Opening the project…')).toBeVisible()
  expect(page.getByRole('button').elements()).toEqual([])
  await expect.element(page.getByText('Reading the history of work before it opens.')).toBeVisible()
  await expect.element(page.getByText('1,200 of 3,400 threads')).toBeVisible()
  await expect.element(page.getByRole('progressbar', { name: 'Threads that were read' })).toHaveAttribute('max', '3400')
  opening.reject(new Error('no such folder'))
  await expect.element(page.getByRole('button', { name: 'Open folder' })).toBeVisible()
  expect(page.getByText('Opening the project…').elements()).toEqual([])
  expect(page.getByRole('progressbar').elements()).toEqual([])
})

it('shows the project that was asked for last, whichever opens first', async () => {
  const long = Promise.withResolvers<unknown>()
  const asked: unknown[] = []
  const projectAt = (path: string) => ({
    ...{
      id: path,
      path,
      name: path,
      kind: 'folder',
      git: false,
      trusted: true,
      wouldLoad: [],
      gitHead: null,
      damage: null,
    },
  })
  const session = createSession(async () => ({
    link: {
      call: async (name, input) => {
        const { path } = (input ?? {}) as { readonly path?: string }
        if (name.join('.') === 'projects.opening') return [{ name: 'long', done: 1, total: 2 }]
        if (name.join('.') !== 'projects.open' || path === undefined) return new Promise(() => undefined)
        asked.push(path)
        return path === '/long' ? long.promise : projectAt(path)
      },
    },
    closed: new Promise(() => undefined),
    close: () => undefined,
  }))
  onTestFinished(() => session[Symbol.dispose]())
  const first = session.openProject({ kind: 'folder', path: '/long' })
  await expect.poll(() => session.store.getState().opening?.name).toBe('long')
  await session.openProject({ kind: 'folder', path: '/short' })
  expect(session.store.getState().opening).toBeNull()
  long.resolve(projectAt('/long'))
  await first
  expect(asked).toEqual(['/long', '/short'])
  expect(session.store.getState()).toMatchObject({ projectInfo: { id: '/short' }, opening: null })
})

/** Noticed: a project with threads said for a moment that it had none, and offered examples. */
it('says that a project has no threads only when that is known', async () => {
  const [outline, events] = [Promise.withResolvers<never>(), Promise.withResolvers<AsyncIterable<never>>()]
  const known = { id: 'p', path: '/project', name: 'project', kind: 'folder', git: false, trusted: true, wouldLoad: [] }
  const answers: Readonly<Record<string, unknown>> = {
    'app.info': info,
    'projects.open': { ...known, gitHead: null, damage: null },
    'events.outline': outline.promise,
    'events.subscribe': events.promise,
  }
  const session = createSession(async () => ({
    link: { call: async (path) => answers[path.join('.')] ?? new Promise(() => undefined) },
    closed: new Promise(() => undefined),
    close: () => undefined,
  }))
  onTestFinished(() => session[Symbol.dispose]())
  void startUp(session)
  // As high as the page, as in the app. A list without a height would scroll.
  const container = Object.assign(document.createElement('div'), { id: 'root' })
  await render(<App session={session} />, { container: document.body.appendChild(container) })
  await expect.element(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
  expect(page.getByText('No threads yet').elements()).toEqual([])
  outline.reject(new Error('no outline'))
  events.resolve({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) })
  await expect.element(page.getByText('No threads yet')).toBeVisible()
})

/** Noticed: a window whose connection broke during its first question stayed empty for ever. */
it('asks about the host again when the connection breaks before the first answer', async () => {
  let questions = 0
  const session = createSession(async () => ({
    link: {
      call: async (path) => {
        if (path.join('.') !== 'app.info') return new Promise(() => undefined)
        questions += 1
        return questions === 1 ? Promise.reject(new Error('the connection broke')) : { ...info, initialFolder: null }
      },
    },
    closed: new Promise(() => undefined),
    close: () => undefined,
  }))
  onTestFinished(() => session[Symbol.dispose]())
  void startUp(session)
  await render(<App session={session} />)
  await expect.element(page.getByRole('button', { name: 'Open folder' })).toBeVisible()
  expect(questions).toBeGreaterThan(1)
})

/** The screens are read after that, and nothing is heard from the host in the meantime. */
it('says when the host is asked for the entries of the first project', async () => {
  const asked: string[] = []
  const answers: Readonly<Record<string, unknown>> = { 'app.info': info, 'projects.open': { id: 'p', damage: null } }
  const session = createSession(async () => ({
    link: {
      call: async (path) => {
        asked.push(path.join('.'))
        return answers[path.join('.')] ?? new Promise(() => undefined)
      },
    },
    closed: new Promise(() => undefined),
    close: () => undefined,
  }))
  onTestFinished(() => session[Symbol.dispose]())
  await new Promise<void>((resolve) => void startUp(session, resolve))
  await expect.poll(() => asked).toContain('events.subscribe')
  expect(session.store.getState().projectInfo).toBeNull()
})
