import type { Page } from '@playwright/test'

/**
 * Waits until the page stands still: its fonts are loaded, no animation with an end is running, and the document has
 * not changed for this many frames in a row.
 */
export async function settled(page: Page, frames = 12): Promise<void> {
  await page.evaluate(async (stillFrames) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const moves = () =>
      document
        .getAnimations()
        .some(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity)
    let changed = false
    const observer = new MutationObserver(() => {
      changed = true
    })
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    await document.fonts.ready
    for (let still = 0; still < stillFrames; still = changed || moves() ? 0 : still + 1) {
      changed = false
      await frame()
    }
    observer.disconnect()
  }, frames)
}
