import { examine, seriousIn } from '../support/axe.ts'
import { expect, test } from '../support/window.ts'

test('First start: one screen says what Coppice does and what is missing, and a local model is added in place', async ({
  open,
  model,
}) => {
  const { page } = await open({ folder: null, key: false, scenario: () => ({ text: 'Hello from the local model.' }) })
  for (const name of ['Open folder', 'Try the demo']) {
    await expect(page.getByRole('button', { name })).toBeVisible()
    await expect(page.getByRole('button', { name }), 'one button has this name').toHaveCount(1)
  }
  await expect(page.getByRole('region', { name: 'How it works' })).toBeVisible()
  const ready = page.getByRole('region', { name: 'Ready to work?' })
  await expect(ready).toContainText('No key yet. The demo needs none.')
  await expect(ready).toContainText(/sandbox/)
  await expect(page.getByRole('region', { name: 'Recent folders' })).toHaveCount(0)

  await test.step('axe finds nothing serious here and in About, in both themes and on a narrow screen', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width: colorScheme === 'light' ? 1280 : 400, height: 800 })
      await page.getByRole('button', { name: 'Add a key or a local model' }).click()
      expect(seriousIn(await examine(page))).toEqual([])
      await page.getByRole('button', { name: /^Version / }).click()
      await expect(page.getByRole('region', { name: 'Updates' })).toBeVisible()
      expect(seriousIn(await examine(page))).toEqual([])
      await page.getByRole('button', { name: 'Back' }).click()
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.reload()
  })

  await ready.getByRole('button', { name: 'Add a key or a local model' }).click()
  await ready.getByRole('button', { name: 'Save' }).click()
  await expect(ready).toContainText('Paste a key first')
  await ready.getByRole('textbox', { name: 'Base URL' }).fill(model.url)
  await ready.getByRole('button', { name: 'Save' }).click()
  await expect(ready).toContainText(`Answers from ${model.url}`)
  await expect(ready.getByRole('textbox')).toHaveCount(0)
  await ready.getByRole('button', { name: 'Details' }).click()
  await expect(ready.getByRole('button', { name: 'Details' })).toHaveAttribute('aria-expanded', 'true')
})

test('About says the version, who brings new ones, and where the data is', async ({ open, dataFolder }) => {
  const { page, app } = await open()
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.type('About Coppice')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'About', level: 2 })).toBeVisible()
  const updates = page.getByRole('region', { name: 'Updates' })
  await expect(updates).toContainText('Coppice never looks for')
  // The app of the specs is started from a checkout.
  await expect(updates).toContainText('git pull')
  await expect(page.getByRole('region', { name: 'Data' })).toContainText(dataFolder)
  if (app) return
  // What only the desktop app can do is not offered in a browser.
  for (const name of ['Open', 'Install the coppice command'])
    await expect(page.getByRole('main').getByRole('button', { name, exact: true })).toHaveCount(0)
})

test('The palette offers what means something here, and commands of the desktop app only there', async ({ open }) => {
  const { page, app } = await open({ folder: null })
  await expect(page.getByRole('button', { name: 'Try the demo' })).toBeVisible()
  await page.keyboard.press('Control+k')
  const commands = page.getByRole('dialog')
  await expect(commands.getByRole('option', { name: 'Check for updates' })).toBeVisible()
  await expect(commands.getByRole('option', { name: 'Export patch' })).toHaveCount(0)
  await expect(commands.getByRole('option', { name: 'New window' })).toHaveCount(app ? 1 : 0)
  await expect(commands.getByRole('option', { name: /^Settings/ }).first()).toContainText('Ctrl+,')
})
