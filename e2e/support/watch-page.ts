import { expect, type Page } from '@playwright/test'

/** Collects dialogs, popups, frames, uncaught errors, and requests to anywhere except the app itself. */
export function watchPage(page: Page): readonly string[] {
  const seen: string[] = []
  const { origin } = new URL(page.url())
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => void seen.push(`popup ${popup.url()}`))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && !/^(data|blob|ws|app):$/.test(url.protocol)) seen.push(`request ${request.url()}`)
  })
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) seen.push(`frame ${frame.url()}`)
  })
  page.on('pageerror', (error) => void seen.push(`error ${error.stack ?? error.message}`))
  return seen
}

/** Elements that content of others could act through. The page never has any of them. */
const acting =
  'iframe, object, embed, form[action], svg[onload], img[src^="http"], [onerror], a[href^="javascript:" i], a[href^="data:" i]'

export async function expectNothingActive(page: Page): Promise<void> {
  expect(await page.locator(acting).count()).toBe(0)
}
