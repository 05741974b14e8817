import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

type AxeResults = Awaited<ReturnType<AxeBuilder['analyze']>>

/**
 * What axe says of the page. In one go, without a page of its own to put the parts of frames together: there are no
 * frames.
 */
export function examine(page: Page, narrow = (axe: AxeBuilder): AxeBuilder => axe): Promise<AxeResults> {
  return narrow(new AxeBuilder({ page })).setLegacyMode().analyze()
}
