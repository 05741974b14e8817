import type { Page } from '@playwright/test'

/** A click in the page, and the element whose appearance shows that its effect is there. */
export interface Act {
  /** Selects the element to click; with `text`, the one that contains it. */
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
    // A frame is on screen only when the next one begins.
    await new Promise((resolve) => requestAnimationFrame(resolve))
    return performance.now() - started
  }, act)
}
