import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

type AxeResults = Awaited<ReturnType<AxeBuilder['analyze']>>

/**
 * What axe says of the page. In one go, without a page of its own to put the parts of frames together: there are no
 * frames. Of the rules that hold only the names are given, since writing down where each of them holds takes the longest.
 */
export function examine(page: Page, narrow = (axe: AxeBuilder): AxeBuilder => axe): Promise<AxeResults> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] })
  return narrow(axe).setLegacyMode().analyze()
}
