import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

type AxeResults = Awaited<ReturnType<AxeBuilder['analyze']>>

/** A script that does nothing, in place of axe in a page that has it. */
const nothing = 'void 0'

/**
 * The findings of axe for a page. It runs in one pass, without an extra page to join the results of frames, because
 * there are no frames. Rules that hold are only named, because listing every place where they hold takes the longest. A
 * page gets axe once, because reading half a megabyte of script twice takes longer than most examinations.
 */
export async function examine(page: Page, narrow = (axe: AxeBuilder): AxeBuilder => axe): Promise<AxeResults> {
  const isThere = await page.evaluate(() => 'axe' in window)
  const axe = new AxeBuilder({ page, ...(isThere && { axeSource: nothing }) }).options({ resultTypes: ['violations'] })
  return narrow(axe).setLegacyMode().analyze()
}

/** At night alone: on every change the component tests of the same screen end with axe. */
export const isNight = process.env.COPPICE_TEST_SIZE === 'full'

/** The findings of axe for a page that component tests show as well. */
export async function violationsAtNight(page: Page): Promise<AxeResults['violations']> {
  return isNight ? (await examine(page)).violations : []
}

/** The findings that keep somebody from using a page, a line each: the rule and the elements. */
export function seriousIn({ violations }: Pick<AxeResults, 'violations'>): readonly string[] {
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html.slice(0, 160)).join('\n    ')}`)
}
