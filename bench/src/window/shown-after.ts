import type { Page } from '@playwright/test'

/** What is done in the page, and the selector of what shows that it is there. */
export interface Act {
  /** A click on the element of this selector, the one with this text where that is given. */
  readonly click: string
  readonly text?: string
  readonly until: string
  readonly untilText?: string
}

/** Milliseconds from a click until its effect is on screen, measured in the page itself, frame by frame. */
export function shownAfter(page: Page, act: Act): Promise<number> {
  return page.evaluate(async ({ click, text = '', until, untilText = '' }) => {
    const find = (selector: string, words: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].find(
        (element) => element.textContent?.includes(words) && element.checkVisibility({ visibilityProperty: true }),
      )
    const target = find(click, text)
    if (!target) throw new Error(`There is no ${click} ${text}`)
    const started = performance.now()
    target.click()
    while (!find(until, untilText)) {
      if (performance.now() - started > 60_000) throw new Error(`No ${until} ${untilText} was shown`)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    // The frame that has it is behind the next one's beginning.
    await new Promise((resolve) => requestAnimationFrame(resolve))
    return performance.now() - started
  }, act)
}
