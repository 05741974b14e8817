import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { McpServerView } from '#shared/contract/views/extensions.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { ServerLogin } from './server-login.tsx'

const address = 'https://login.example.org/auth?state=s\u202e'
type Server = Pick<McpServerView, 'name' | 'hash' | 'login' | 'state'>
const needed: Server = {
  ...{ name: 'tracker', hash: 'h' },
  state: { kind: 'login', reason: 'It needs a login.' },
  login: { address: null, account: null },
}

interface Given {
  readonly server?: Server
  readonly storage?: 'system' | 'plain' | 'none'
  readonly loggedIn?: () => Promise<unknown>
}

async function show({ server = needed, storage = 'plain', loggedIn = () => new Promise(() => undefined) }: Given = {}) {
  const opened = vi.spyOn(window, 'open').mockReturnValue(null)
  const calls = {
    login: vi.fn(async () => ({ address })),
    cancel: vi.fn(),
    answer: vi.fn(),
    out: vi.fn(),
    changed: vi.fn(),
  }
  const element = <ServerLogin projectId={'p' as ProjectId} server={server} onChanged={calls.changed} />
  await renderInWindow(element, {
    'settings.get': () => ({ keyStorage: storage }) as never,
    'mcp.login': calls.login,
    'mcp.loggedIn': loggedIn as never,
    'mcp.cancelLogin': calls.cancel,
    'mcp.answerLogin': calls.answer,
    'mcp.logOut': calls.out,
  })
  return { ...calls, opened }
}

const button = (name: string) => page.getByRole('button', { name })

it('opens the page of the login on a click alone, and shows its address whole', async () => {
  const { login, opened } = await show()
  expect(opened).not.toHaveBeenCalled()
  await userEvent.click(button('Log in to tracker'))
  await expect.element(page.getByText('https://login.example.org/auth?state=s\\u202e')).toBeVisible()
  expect(login.mock.calls).toEqual([[{ projectId: 'p', hash: 'h', remember: false }]])
  expect(opened.mock.calls.map(([url]) => url)).toEqual([address])
})

it.each([
  ['system', false, true],
  ['plain', true, true],
  ['none', false, false],
] as const)('keeps a login in the storage %s, asked: %s, kept: %s', async (storage, isAsked, isKept) => {
  const { login } = await show({ storage })
  if (isAsked) await userEvent.click(page.getByRole('checkbox', { name: /^Keep the login in a file/ }))
  await vi.waitFor(() => expect(page.getByRole('checkbox').elements()).toHaveLength(isAsked ? 1 : 0))
  await expect.element(button('Log in to tracker')).toBeEnabled()
  await userEvent.click(button('Log in to tracker'))
  await vi.waitFor(() => expect(login).toHaveBeenCalledWith({ projectId: 'p', hash: 'h', remember: isKept }))
})

it('takes the address of a browser on another machine, and cancels', async () => {
  const { answer, cancel } = await show()
  await userEvent.click(button('Log in to tracker'))
  await userEvent.click(page.getByText('The browser is on another machine'))
  await userEvent.fill(page.getByRole('textbox', { name: 'Address at which the browser ended' }), 'http://127.0.0.1/x')
  await userEvent.click(button('Use this address'))
  expect(answer).toHaveBeenCalledWith({ projectId: 'p', hash: 'h', address: 'http://127.0.0.1/x' })
  await userEvent.click(button('Cancel the login'))
  expect(cancel).toHaveBeenCalledOnce()
})

it('says whose login it is, and logs out', async () => {
  const account = { issuer: 'https://login.example.org', name: 'ada@example.org' }
  const { out, changed } = await show({
    server: { ...needed, state: { kind: 'ready' }, login: { address: null, account } },
  })
  await expect.element(page.getByText('Logged in as ada@example.org, at https://login.example.org')).toBeVisible()
  await userEvent.click(button('Log out of tracker'))
  await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce())
  expect(out).toHaveBeenCalledOnce()
})

it('waits for a login that was begun before, and hears of its end', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const { changed } = await show({ server: { ...needed, login: { address, account: null } }, loggedIn: () => promise })
  await expect.element(button('Open the page')).toBeVisible()
  expect(changed).not.toHaveBeenCalled()
  resolve({ servers: [], problems: [] })
  await vi.waitFor(() => expect(changed).toHaveBeenCalled())
})
