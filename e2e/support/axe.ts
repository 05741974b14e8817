import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

type AxeResults = Awaited<ReturnType<AxeBuilder['analyze']>>

/**
 * The findings of axe for a page. It runs in one pass, without an extra page to join the results of frames, because
 * there are no frames. Rules that hold are only named, because listing every place where they hold takes the longest.
 */
export function examine(page: Page, narrow = (axe: AxeBuilder): AxeBuilder => axe): Promise<AxeResults> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] })
  return narrow(axe).setLegacyMode().analyze()
}
