import { type ReactNode, useState } from 'react'
import { expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import type { AppInfo } from '#shared/contract/views/app.ts'
import type { WindowRequest } from '#shared/contract/views/window.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { showNotice } from './notifications.ts'
import { useHost } from './use-host.ts'

function Window(): ReactNode {
  useHost()
  const [shown] = useState('window')
  return <p>{shown}</p>
}

/** A window of the desktop app, and a way to ask something of it. */
async function openOnDesktop() {
  const asked: unknown[] = []
  let send = (_request: WindowRequest): void => undefined
  async function* requests(): AsyncGenerator<WindowRequest> {
    for (;;) yield await new Promise<WindowRequest>((resolve) => (send = resolve))
  }
  const told = (name: string) => (input: unknown) => void asked.push([name, input])
  const { session } = await renderInWindow(<Window />, {
    'updates.follow': () => new Promise(() => undefined),
    'window.requests': () => requests() as never,
    'window.setTheme': told('theme'),
    'window.notify': told('notify'),
    'window.open': told('open'),
  })
  const info = { shell: 'desktop' } as AppInfo
  session.store.setState({ connection: 'connected', info })
  await expect.element(page.getByText('window')).toBeVisible()
  const ask = async (request: WindowRequest): Promise<void> => {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    send(request)
  }
  return { session, asked, ask }
}

it('does what the menu of the app says, by the same commands as its palette', async () => {
  const { session, ask, asked } = await openOnDesktop()
  await ask({ type: 'command', command: 'about' })
  await expect.poll(() => session.store.getState().ui.settingsSection).toBe('about')
  await ask({ type: 'command', command: 'newWindow' })
  await expect.poll(() => asked).toContainEqual(['open', undefined])
  await ask({ type: 'leaving', working: 3 })
  await expect.poll(() => session.store.getState().leaving).toBe(3)
})

it('tells the app the theme, whoever changes it', async () => {
  onTestFinished(() => {
    delete document.documentElement.dataset.theme
    localStorage.clear()
  })
  const { asked } = await openOnDesktop()
  await expect.poll(() => asked).toContainEqual(['theme', { theme: 'system' }])
  localStorage.setItem('coppice-theme', 'dark')
  document.documentElement.dataset.theme = 'dark'
  await expect.poll(() => asked).toContainEqual(['theme', { theme: 'dark' }])
})

it('stays as it is when another window of the app shows the project', async () => {
  const other = { id: 'other', path: '/other', name: 'other', trusted: true, wouldLoad: [], damage: null }
  const asked: unknown[] = []
  const { session } = await renderInWindow(<Window />, {
    'projects.open': () => other as never,
    'window.showProject': (input) => {
      asked.push(input)
      return { isElsewhere: true }
    },
  })
  session.store.setState({ info: { shell: 'desktop' } as AppInfo })
  await session.openProject({ kind: 'folder', path: '/other' })
  expect(asked).toEqual([{ project: { projectId: 'other', path: '/other', name: 'other' } }])
  expect(session.store.getState().projectInfo?.name).toBe('project')
})

it('hands the answer to a notification to the page that showed it, once', async () => {
  const { session, asked, ask } = await openOnDesktop()
  const answers: string[] = []
  Object.defineProperty(document, 'hasFocus', { configurable: true, value: () => false })
  onTestFinished(() => void Reflect.deleteProperty(document, 'hasFocus'))
  const notice = { id: 'n', title: 'main needs you', body: 'execute' }
  showNotice(session.client, {
    ...notice,
    isShown: true,
    onOpen: () => answers.push('open'),
    onApprove: () => answers.push('approve'),
  })
  await expect.poll(() => asked).toContainEqual(['notify', { ...notice, canApprove: true, evenInFront: false }])
  await ask({ type: 'answered', id: 'n', answer: 'approve' })
  await ask({ type: 'answered', id: 'n', answer: 'approve' })
  await ask({ type: 'leaving', working: null })
  await expect.poll(() => answers).toEqual(['approve'])
})
