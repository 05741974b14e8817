import puppeteer, { type Browser, type KeyInput, type Page } from 'puppeteer-core'
import { findFirefox } from '../../scripts/browser-options.ts'

/** Milliseconds to wait for a state, as in the specs for Chromium. */
const patience = 30_000

export interface FirefoxPage {
  readonly page: Page
  /** Waits until an element with this role and this accessible name is there and can be clicked. */
  click(role: string, name: string): Promise<void>
  shows(role: string, name: string): Promise<void>
  /** Waits until the text of the page contains this. */
  says(text: string): Promise<void>
  type(text: string): Promise<void>
  press(key: KeyInput): Promise<void>
  /** Errors of the page and of its console so far. */
  readonly errors: readonly string[]
}

/** A Firefox of the system, driven over WebDriver BiDi. Playwright drives only builds of its own. */
export async function startFirefox(): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: findFirefox() ?? '',
    headless: true,
    timeout: patience * 2,
    // The size is given to the program, because older versions do not know all commands that setting a viewport sends.
    defaultViewport: null,
    args: ['--width=1280', '--height=800'],
  })
}

/** Opens the window of a `coppice serve` at its address. */
export async function openIn(browser: Browser, url: string): Promise<FirefoxPage> {
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await page.goto(url)
  const find = (role: string, name: string) =>
    page.locator(`::-p-aria([name=${JSON.stringify(name)}][role="${role}"])`).setTimeout(patience)
  return {
    page,
    errors,
    click: (role, name) => find(role, name).click(),
    shows: async (role, name) => {
      await find(role, name).wait()
    },
    says: async (text) => {
      await page.waitForFunction((wanted) => document.body.innerText.includes(wanted), { timeout: patience }, text)
    },
    type: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
  }
}
