import { Toaster } from 'sonner'
import { afterEach, expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { NeededPart, NeededView } from '#shared/contract/checks.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { seriousInSight } from '../../../app/axe.testkit.ts'
import { renderInWindow } from '../../../state/session/test-window.testkit.tsx'
import { branchId, created, event } from '../../../state/store/entries.testkit.ts'
import { NeededPanel } from './needed-panel.tsx'

const part = (name: string, hunk: number | null, text: string, needed: boolean): NeededPart => ({
  ...{ path: name as VirtualPath, hunk, text, needed },
})
const running: NeededView = {
  ...{ branchId, check: 'test', of: 12, left: 6, runs: 5, startedAt: 0, durationMs: 8000 },
  ...{ end: null, canRemove: false },
}
const parts = [
  part('/src/money.ts', 0, 'const half = 0.5\n', true),
  part('/src/money.ts', 1, 'console.log(sum)\n', false),
  part('/src/old.ts', 0, '', false),
  part('/logo.png', null, '', false),
]
const found: NeededView = { ...running, of: 4, left: 1, runs: 7, end: { kind: 'found', parts }, canRemove: true }

async function render(view: NeededView | null, isGreen = true) {
  const calls: (readonly [string, unknown])[] = []
  const note = (name: string, answer: unknown) => (input: unknown) => {
    calls.push([name, input])
    return answer
  }
  const answers = {
    'checks.neededOf': () => view,
    'checks.needed': note('needed', undefined),
    'checks.cancelNeeded': note('cancel', undefined),
    'checks.removeUnneeded': note('remove', { sequence: 70 }),
    'branches.undo': note('undo', {}),
  }
  const panel = (
    <div className="w-160 bg-canvas p-4 text-sm text-text">
      <NeededPanel branchId={branchId} check="test" isGreen={isGreen} />
      <Toaster />
    </div>
  )
  const { screen } = await renderInWindow(panel, answers as object, [event(1, created)])
  return { screen, calls, button: (name: string) => screen.getByRole('button', { name, exact: true }) }
}

const target = { projectId: 'project', branchId }
afterEach(() => void delete document.documentElement.dataset.theme)

it('starts for a green check, by keyboard', async () => {
  const { button, calls } = await render(null)
  await expect.element(button('What is needed?')).toBeVisible()
  await userEvent.keyboard('{Tab}{Enter}')
  await expect.poll(() => calls).toEqual([['needed', { ...target, check: 'test' }]])
})

it('shows how many hunks are left and what it cost so far, and can be stopped', async () => {
  const { screen, button, calls } = await render(running)
  await expect.element(screen.getByRole('status')).toHaveTextContent('6 of 12 hunks left · 5 runs, 8 s')
  await expect.element(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '6')
  await button('Stop searching').click()
  await expect.poll(() => calls).toEqual([['cancel', target]])
})

it.each(['light', 'dark'])('lists what is not needed, and removes it with an undo, %s', async (theme) => {
  document.documentElement.dataset.theme = theme
  const { screen, button, calls } = await render(found)
  const list = screen.getByRole('list', { name: 'Hunks that are not needed' })
  await expect.element(list).toHaveTextContent('/src/money.ts, hunk 2console.log(sum)')
  await expect.element(list).toHaveTextContent('/logo.pngThe whole file')
  await expect.poll(() => list.element().textContent).not.toContain('half')
  expect(await seriousInSight()).toEqual([])
  await button('Remove 3 hunks').click()
  await button('Undo').click()
  await expect
    .poll(() => calls)
    .toEqual([
      ['remove', target],
      ['undo', { projectId: 'project', sequence: 70 }],
    ])
})

it.each([
  [{ ...found, canRemove: false }, 'The branch has changed since.'],
  [{ ...running, end: { kind: 'cancelled' } }, 'Stopped. What the check said so far is kept.'],
  [
    { ...running, end: { kind: 'refused', message: 'It is red on the whole branch.' } },
    'It is red on the whole branch.',
  ],
  [{ ...found, end: { kind: 'found', parts: parts.slice(0, 1) }, canRemove: false }, 'The one hunk is needed.'],
] as const)('says in words how a search stands: %#', async (view, words) => {
  const { screen } = await render(view)
  await expect.poll(() => screen.container.textContent).toContain(words)
  expect(screen.container.textContent).not.toContain('Remove')
})

it('shows nothing about a check that is not green and that nobody searched', async () => {
  const { screen } = await render(null, false)
  await expect.poll(() => screen.container.querySelector('button')).toBeNull()
})
