import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Display, Rectangle } from 'electron'
import { z } from 'zod'

const size = { width: z.number().positive(), height: z.number().positive() }
const place = z.object({
  bounds: z.object({ x: z.number().exactOptional(), y: z.number().exactOptional(), ...size }),
  maximized: z.boolean(),
  fullScreen: z.boolean().default(false),
})
/** Where a window was, and how it filled the screen. A place without `x` and `y` is the system's choice. */
export type WindowPlace = Readonly<z.infer<typeof place>>

const places = z.object({ version: z.literal(2), places: z.record(z.string(), place) })
/** The place of earlier versions, which knew one arrangement of displays. */
const onePlace = place.extend({ version: z.literal(1).default(1) })

const fresh: WindowPlace = { bounds: { width: 1440, height: 900 }, maximized: false, fullScreen: false }
const smallest = { width: 400, height: 480 }
/** Arrangements of displays that are remembered. Who travels has a few. */
const kept = 12

/** Names an arrangement of displays: a desk with two screens is another one than the laptop alone. */
export function displaysKey(displays: readonly Pick<Display, 'bounds' | 'scaleFactor'>[]): string {
  const names = displays.map(
    ({ bounds, scaleFactor }) => `${bounds.width}x${bounds.height}+${bounds.x}+${bounds.y}@${scaleFactor}`,
  )
  return names.sort().join(' ')
}

/**
 * The last place of a window on these displays, or the usual one. A damaged file, or one of a newer version, is
 * reported and set aside so that it is not lost.
 */
export function loadWindowPlace(file: string, key: string, report: (problem: string) => void): WindowPlace {
  const known = readPlaces(file, report)
  return known.get(key) ?? known.get('') ?? fresh
}

/** The places by the key of their displays. The empty key is for any displays. */
function readPlaces(file: string, report: (problem: string) => void): ReadonlyMap<string, WindowPlace> {
  if (!existsSync(file)) return new Map()
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const old = onePlace.safeParse(found)
    if (old.success) return new Map([['', old.data]])
    return new Map(Object.entries(places.parse(found).places))
  } catch {
    report(`The saved place of the window cannot be read. ${setAside(file)} The window has its usual size.`)
    return new Map()
  }
}

function setAside(file: string): string {
  const aside = `${file}.damaged`
  try {
    renameSync(file, aside)
    return `It is kept as ${aside}.`
  } catch {
    // Its folder cannot be written. The window opens all the same.
    return `It stays at ${file}.`
  }
}

/** Saves the place for these displays beside those for others. */
export function saveWindowPlace(file: string, key: string, saved: WindowPlace): void {
  const others = [...readPlaces(file, () => undefined)].filter(([known]) => known !== key && known !== '')
  const all = Object.fromEntries([...others.slice(1 - kept), [key, saved] as const])
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, JSON.stringify({ version: 2, places: all }), { mode: 0o600 })
}

/** What a window opens with: never larger than the display it is on, and never where no display is. */
export function fitToDisplays(
  { bounds, ...rest }: WindowPlace,
  workAreas: readonly Rectangle[],
): WindowPlace & { readonly minWidth: number; readonly minHeight: number } {
  const { x, y } = bounds
  const shown =
    x === undefined || y === undefined ? undefined : workAreas.find((area) => overlaps(area, { ...bounds, x, y }))
  const area = shown ?? workAreas[0] ?? { x: 0, y: 0, ...fresh.bounds }
  const [width, height] = [Math.min(bounds.width, area.width), Math.min(bounds.height, area.height)]
  return {
    ...rest,
    bounds: shown && x !== undefined && y !== undefined ? { x, y, width, height } : { width, height },
    minWidth: Math.min(smallest.width, area.width),
    minHeight: Math.min(smallest.height, area.height),
  }
}

function overlaps(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}
