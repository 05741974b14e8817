import { describe, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { UpdateState } from '#shared/contract/views/updates.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { LeavingLine, UpdateLine } from './app-lines.tsx'
import { UpdateCard } from './update-card.tsx'

const found = { version: '2.0.0', notes: '## Faster\n\n- It *starts* at once\n- <img src=x onerror=alert(1)>' }

async function showCard(state: UpdateState, isAutomatic = true, answers: Parameters<typeof renderInWindow>[1] = {}) {
  const shown = await renderInWindow(<UpdateCard />, answers)
  shown.session.store.setState({ update: { state, isAutomatic } })
  return shown
}
const status = page.getByRole('status')
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('the card of updates', () => {
  it.each([
    [{ kind: 'current', checkedAt: null }, 'Nobody has looked for a new version yet.', 'Check for updates'],
    [{ kind: 'checking' }, 'Looking for a new version…', null],
    [{ kind: 'downloading', found, share: 0.42 }, 'Downloading version 2.0.0: 42', null],
    [{ kind: 'ready', found }, 'Version 2.0.0 is ready', 'Restart and update'],
    [{ kind: 'waiting', found, working: 2 }, 'is installed when 2 agents are done', 'Not now'],
    [{ kind: 'installing', found }, 'Starting version 2.0.0…', null],
    [{ kind: 'failed', problem: 'disk', detail: 'There is no room.', found }, 'There is no room.', 'Try again'],
    [
      { kind: 'failed', problem: 'network', detail: 'No network.', found: null },
      'The check for updates failed',
      'Try again',
    ],
  ] satisfies readonly (readonly [UpdateState, string, string | null])[])('%o', async (state, words, act) => {
    await showCard(state)
    await expect.element(status).toHaveTextContent(words)
    expect(
      page
        .getByRole('button')
        .elements()
        .map((one) => one.textContent),
    ).toEqual(act === null ? [] : [act])
    await expect.element(page.getByRole('switch', { name: /Look for updates once a day/ })).toBeChecked()
  })

  it('shows what is new as Markdown, in which HTML is text', async () => {
    const { screen } = await showCard({ kind: 'ready', found })
    await expect.element(page.getByRole('heading', { name: 'Faster' })).toBeVisible()
    await expect.element(page.getByText('<img src=x')).toBeVisible()
    expect(screen.container.querySelector('img')).toBeNull()
  })

  it('of a packaged installation names the command, and offers no switch', async () => {
    await showCard({ kind: 'managed', by: 'deb', command: 'sudo apt install ./Coppice-*.deb' }, false)
    await expect.element(page.getByText('sudo apt install ./Coppice-*.deb')).toBeVisible()
    expect(page.getByRole('switch').elements()).toEqual([])
  })

  it('keeps the reason when an act was refused', async () => {
    await showCard({ kind: 'ready', found }, true, {
      'updates.install': () => Promise.reject(new Error('lost')),
    })
    await button('Restart and update').click()
    await expect.element(page.getByRole('alert')).toBeVisible()
  })
})

describe('the line above the window', () => {
  it('offers a version, leads to what is new, and stays away after Later', async () => {
    const { session } = await renderInWindow(<UpdateLine />)
    session.store.setState({ update: { state: { kind: 'ready', found }, isAutomatic: true } })
    await userEvent.click(button('What is new'))
    expect(session.store.getState().ui).toMatchObject({ route: 'settings', settingsSection: 'about' })
    await button('Later').click()
    expect(status.elements()).toEqual([])
    const next = { ...found, version: '2.0.1' }
    session.store.setState({ update: { state: { kind: 'ready', found: next }, isAutomatic: true } })
    await expect.element(status).toHaveTextContent('Version 2.0.1 is ready')
  })

  it('says nothing while a version is only on its way', async () => {
    const { session } = await renderInWindow(<UpdateLine />)
    session.store.setState({ update: { state: { kind: 'downloading', found, share: 0.5 }, isAutomatic: true } })
    expect(status.elements()).toEqual([])
  })

  it('counts the agents that the app waits for before it quits, with both ways out', async () => {
    const stay = vi.fn()
    const leaveNow = vi.fn()
    const { session } = await renderInWindow(<LeavingLine />, { 'window.stay': stay, 'window.leaveNow': leaveNow })
    expect(status.elements()).toEqual([])
    session.store.setState({ leaving: 2 })
    await expect.element(status).toHaveTextContent('Coppice quits when 2 agents are done.')
    await button('Stay open').click()
    await button('Stop and quit').click()
    expect([stay.mock.calls.length, leaveNow.mock.calls.length]).toEqual([1, 1])
  })
})
