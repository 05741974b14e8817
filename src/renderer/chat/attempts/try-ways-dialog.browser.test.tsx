import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { AttemptsWish } from '#shared/model/calls/attempts.ts'
import type { CheckDefinition } from '#shared/model/check.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { TryWaysDialog } from './try-ways-dialog.tsx'

const check = (name: string): CheckDefinition => ({
  ...{ name, run: 'true', paths: [], timeoutSeconds: 60 },
  ...{ on: ['branch'], required: true },
})

async function openDialog(checks: readonly CheckDefinition[]) {
  const start = vi.fn<(wish: AttemptsWish) => void>()
  await renderInWindow(<TryWaysDialog busy={false} refusal={null} onStart={start} onClose={() => undefined} />, {
    'checks.list': async () => ({ checks, problems: [], proposals: [] }),
    'extensions.list': async () => ({
      agents: [{ name: 'careful' }] as never,
      ...{ skills: [], settings: {}, problems: [] },
    }),
  })
  return start
}

it('asks for a number, a budget, differences and checks, all by keyboard', async () => {
  const start = await openDialog([check('test'), check('lint')])
  const count = page.getByRole('textbox', { name: 'Attempts' })
  await userEvent.fill(count, '1')
  await expect.element(page.getByRole('button', { name: /^Try . ways$/ })).toBeDisabled()
  await userEvent.fill(count, '4')
  await userEvent.fill(page.getByRole('textbox', { name: /May cost/ }), '1.5')
  await userEvent.click(page.getByRole('button', { name: 'Add a variant' }))
  const variant = page.getByRole('group', { name: 'Variant 1' })
  await userEvent.selectOptions(variant.getByRole('combobox', { name: 'Effort' }), 'high')
  await userEvent.selectOptions(variant.getByRole('combobox', { name: 'Agent' }), 'careful')
  await userEvent.fill(variant.getByRole('textbox', { name: 'Hint' }), 'Use an index.')
  await userEvent.click(page.getByRole('checkbox', { name: 'lint' }))
  ;(count.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  expect(start).toHaveBeenCalledWith({
    ...{ n: 4, budget: 1.5, checks: ['test'] },
    variants: [{ agent: 'careful', effort: 'high', hint: 'Use an index.' }],
  })
})

it('says what it means that there is no check, and refuses a budget of nothing', async () => {
  const start = await openDialog([])
  await expect.element(page.getByText(/This project has no checks/)).toBeVisible()
  const budget = page.getByRole('textbox', { name: /May cost/ })
  await userEvent.fill(budget, '0')
  await expect.element(page.getByRole('button', { name: 'Try 3 ways' })).toBeDisabled()
  await userEvent.fill(budget, '')
  await userEvent.click(page.getByRole('button', { name: 'Try 3 ways' }))
  expect(start).toHaveBeenCalledWith({ n: 3 })
})
