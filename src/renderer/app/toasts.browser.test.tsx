import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { Toasts } from './toasts.tsx'

/** What has the focus after each of some presses. */
async function press(key: string, times: number): Promise<readonly string[]> {
  const seen: string[] = []
  for (let time = 0; time < times; time += 1) {
    await userEvent.keyboard(key)
    // The notes give the focus back in a later task.
    await new Promise((resolve) => setTimeout(resolve))
    seen.push(document.activeElement?.textContent ?? '')
  }
  return seen
}

it.each(['{Tab}', '{Shift>}{Tab}{/Shift}'])('lets %s go through the notes to every other part', async (key) => {
  await renderInWindow(
    <>
      <Toasts />
      <button type="button">first</button>
      <button type="button">second</button>
      <button type="button">third</button>
    </>,
  )
  toastNote('A note.')
  await expect.element(page.getByText('A note.')).toBeVisible()
  await page.getByRole('button', { name: 'first' }).click()
  const seen = await press(key, 24)
  for (const name of ['first', 'second', 'third']) expect(seen.filter((one) => one === name).length).toBeGreaterThan(1)
})
