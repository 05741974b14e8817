import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { AskedAndAnswered } from './asked-and-answered.tsx'

it('shows each question with what was chosen and written', async () => {
  const questions = [
    { question: 'Which **rounding**?', options: ['Half up', 'Half even'] },
    { question: 'Why?', options: [] },
  ]
  await renderInWindow(
    <div className="bg-canvas p-4 text-sm text-text">
      <AskedAndAnswered args={{ questions }} answer={'Which **rounding**?\n- Half even\n\nWhy?\n- Taxes.'} />
    </div>,
  )
  const rounding = page.getByRole('region', { name: 'Which rounding?' })
  await expect.element(rounding.getByRole('listitem').nth(1)).toHaveTextContent('Half even')
  await expect.element(rounding.getByRole('img', { name: 'Chosen' })).toBeVisible()
  expect(rounding.getByRole('img', { name: 'Chosen' }).elements()).toHaveLength(1)
  await expect.element(page.getByRole('region', { name: 'Why?' })).toHaveTextContent('You answered: Taxes.')
})
