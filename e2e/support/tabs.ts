import type { Page } from '@playwright/test'

/** Opens the same app in a second tab of the same browser. Each tab stores its own token, so the first tab lends it. */
export async function secondTab(page: Page, prepare: (tab: Page) => Promise<void> = async () => {}): Promise<Page> {
  const token = await page.evaluate(() => sessionStorage.getItem('coppice-token') ?? '')
  const tab = await page.context().newPage()
  await prepare(tab)
  await tab.goto(`${new URL(page.url()).origin}/#token=${token}`)
  return tab
}
