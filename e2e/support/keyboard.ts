import type { Locator, Page } from '@playwright/test'
import { expect } from './window.ts'

/** What only a mouse, a pen or a finger sends. A key that presses a button sends `click` alone. */
const pointing = ['mousedown', 'mouseup', 'mousemove', 'pointerdown', 'pointermove', 'wheel', 'touchstart', 'dragstart']

/** Hands, for a page that gets nothing but keys. */
export interface Keyboard {
  press(...keys: readonly string[]): Promise<void>
  type(text: string): Promise<void>
  /** Presses the key until this has the focus. */
  to(target: Locator, key?: string): Promise<void>
  /** Goes to a button, tab or item with Tab, and presses Enter. */
  use(target: Locator, key?: string): Promise<void>
  /** Puts the text in place of what a field has. */
  fill(field: Locator, text: string): Promise<void>
  /** Fails if anything pointed at the page. */
  expectNothingPointed(): void
}

/** Takes the mouse away from a page: everything goes through keys, and an event of a pointer is remembered. */
export async function keyboardOf(page: Page): Promise<Keyboard> {
  const pointed: string[] = []
  await page.exposeFunction('pointedAt', (type: string) => void pointed.push(type))
  await page.addInitScript(watchPointers, pointing)
  await page.evaluate(watchPointers, pointing)
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const to = async (target: Locator, key = 'Tab'): Promise<void> => {
    await expect(target).toBeVisible()
    for (let steps = 0; steps < 150; steps += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press(key)
    }
    const focus = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120))
    throw new Error(`${key} does not lead to ${target}, but to ${focus}`)
  }
  const use = async (target: Locator, key = 'Tab'): Promise<void> => {
    await expect(target).toBeEnabled()
    await to(target, key)
    await page.keyboard.press('Enter')
  }
  return {
    press,
    type: (text) => page.keyboard.type(text),
    to,
    use,
    async fill(field, text) {
      await to(field)
      await press('ControlOrMeta+a')
      await page.keyboard.type(text)
      await expect(field).toHaveValue(text)
    },
    expectNothingPointed: () => expect(pointed, 'events of a pointer').toEqual([]),
  }
}

function watchPointers(names: readonly string[]): void {
  for (const name of names)
    window.addEventListener(name, ({ type }) => globalThis.pointedAt(type), { capture: true, passive: true })
}

declare global {
  /** Tells the test of an event of a pointer. */
  function pointedAt(type: string): void
}
