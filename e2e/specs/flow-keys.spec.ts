import { beginThread, expect, test } from '../support/window.ts'

test('F6 goes through all parts of the window, and Mod+. changes the mode of a thread', async ({ open, model }) => {
  const { page } = await open()
  await test.step('F6 goes through all parts of the window in turn', async () => {
    await beginThread(page)
    await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible()
    const regions = await page.locator('[data-region]').count()
    const seen = new Set<number>()
    for (let press = 0; press < regions; press += 1) {
      await page.keyboard.press('F6')
      seen.add(
        await page.evaluate(() =>
          [...document.querySelectorAll('[data-region]')].findIndex((one) => one.contains(document.activeElement)),
        ),
      )
    }
    expect([...seen].sort()).toEqual(Array.from({ length: regions }, (_, index) => index))
  })

  await test.step('Mod+. changes the mode of a thread, before and after it has begun', async () => {
    await beginThread(page, model, () => ({ text: 'Done.' }))
    const mode = (name: string) => page.getByRole('button', { name: `Approval mode: ${name}`, exact: true })
    await page.getByRole('textbox', { name: 'Message' }).fill('Look around')
    await expect(mode('Auto-edit')).toBeVisible()
    await page.keyboard.press('ControlOrMeta+.')
    await expect(mode('Auto')).toBeVisible()
    await page.keyboard.press('ControlOrMeta+.')
    await expect(mode('Plan')).toBeVisible()
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByRole('article', { name: 'Done' })).toBeVisible()
    await expect(mode('Plan'), 'the thread began with the chosen mode').toBeVisible()
    await page.keyboard.press('ControlOrMeta+.')
    await expect(mode('Ask')).toBeVisible()
  })
})
