import type { Page } from '@playwright/test'
import { examine, isNight, seriousIn } from './axe.ts'
import { settled } from './settled.ts'
import { expect } from './window.ts'

/** What can differ between two colour schemes of the same screen. All other rules look at its elements. */
const colourRules = ['color-contrast', 'link-in-text-block']

interface Look {
  readonly name: string
  readonly width: number
  readonly media: NonNullable<Parameters<Page['emulateMedia']>[0]>
  /** True when the elements are those of the look before, in other colours. */
  readonly sameElements: boolean
}

const look = (name: string, width: number, media: Look['media'], sameElements = false): Look => ({
  name,
  width,
  media: { colorScheme: 'light', contrast: 'no-preference', forcedColors: 'none', reducedMotion: 'reduce', ...media },
  sameElements,
})
const usual = look('1280, light', 1280, {})
/** Every element once, and every colour of each theme. */
const firstLooks = [usual, look('1280, dark', 1280, { colorScheme: 'dark' }, true)]
/** Every element on a narrow screen too: at night, beside *Everything can be reached at 320 pixels*. */
const nightLooks = [look('400, dark', 400, { colorScheme: 'dark' })]
const otherLooks = [
  look('400, light', 400, {}),
  look('400, high contrast', 400, { contrast: 'more' }, true),
  look('640 as 1280 at 200 %, light', 640, {}),
  look('1280, high contrast', 1280, { contrast: 'more' }),
  look('1280, dark, high contrast', 1280, { contrast: 'more', colorScheme: 'dark' }, true),
  look('1280, forced colours', 1280, { forcedColors: 'active' }),
  look('1280, dark, forced colours', 1280, { forcedColors: 'active', colorScheme: 'dark' }),
]
/** `COPPICE_ALL_LOOKS=1` takes five times as long for all of them. */
const looks = [
  ...firstLooks,
  ...(isNight || process.env.COPPICE_ALL_LOOKS === '1' ? nightLooks : []),
  ...(process.env.COPPICE_ALL_LOOKS === '1' ? otherLooks : []),
]

/** Milliseconds for the screens of a walk, in all looks. It takes 40 s for each of them where nothing else runs. */
export const walkTimeout = looks.length * 300_000

/**
 * `go` goes to this screen from the previous one. `part` selects the part of the page that is new, when the rest was
 * examined on an earlier screen.
 */
export type Screen = readonly [name: string, go: (page: Page, folder: string) => Promise<unknown>, part?: string]

/**
 * Goes through the screens. Returns what axe finds serious on them in any look, a line for each rule and screen. Screens
 * that component tests show as well are only passed by, except at night.
 */
export async function walk(
  page: Page,
  screens: readonly Screen[],
  folder: string,
  inComponents: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
  page.setDefaultTimeout(30_000)
  const found: string[] = []
  for (const screen of screens) {
    const [name, go] = screen
    await go(page, folder)
    if (!isNight && inComponents.has(name)) continue
    for (const one of looks) found.push(...(await examineIn(page, screen, one)))
    await show(page, usual)
  }
  return found
}

async function examineIn(page: Page, [name, , place]: Screen, one: Look): Promise<readonly string[]> {
  await show(page, one)
  // Other colours need no answer of the host, and nothing fades where less motion is asked for.
  await settled(page, one.sameElements ? 2 : 12)
  // A menu closes when its button goes away with the width.
  const part = place !== undefined && (await page.locator(place).count()) > 0 ? place : undefined
  const results = await examine(page, (axe) => {
    const narrow = part === undefined ? axe : axe.include(part)
    return one.sameElements ? narrow.withRules(colourRules) : narrow
  })
  const least = one.sameElements ? 0 : part === undefined ? 10 : 3
  expect(results.passes.length, `rules that hold on ${name}, ${one.name}`).toBeGreaterThan(least)
  return seriousIn(results).map((finding) => `${name}, ${one.name}: ${finding}`)
}

async function show(page: Page, { width, media }: Look): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  await page.emulateMedia(media)
}
