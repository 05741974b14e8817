import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { strings } from '../strings/strings.ts'
import { SettingsScreen } from './settings-screen.tsx'

const labels = strings.settings

it('leaves the focus alone when somebody went on before the field that was looked for is there', async () => {
  await renderInWindow(
    <SettingsScreen
      mac={false}
      onBack={() => undefined}
      slots={{ memory: null, setup: null, checks: null, about: null }}
    />,
  )
  await page.getByRole('searchbox', { name: labels.search }).fill(labels.theme)
  await page.getByRole('button', { name: labels.theme, exact: true }).click()
  await page.getByRole('searchbox', { name: labels.search }).click()
  const field = document.createElement('button')
  field.textContent = labels.theme
  page.getByRole('main').element().append(field)
  await userEvent.keyboard('x')
  await expect.element(page.getByRole('searchbox', { name: labels.search })).toHaveFocus()
})
