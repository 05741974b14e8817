import type { BrowserWindow, NativeImage } from 'electron'
import type { Electron } from '../electron.ts'

interface Work {
  /** From 0 to 1; null for no progress. */
  readonly share: number | null
  /** Calls that wait for the person. */
  readonly waiting: number
}

/** Shows the work of each window in the task bar or the dock: its progress, and a mark for what waits. */
export function createWorkMarks(
  electron: Electron,
  platform: NodeJS.Platform,
): (window: BrowserWindow, work: Work | null) => void {
  const waiting = new Map<BrowserWindow, number>()
  let mark: NativeImage | null = null
  return (window, work) => {
    if (work) waiting.set(window, work.waiting)
    else waiting.delete(window)
    electron.app.setBadgeCount([...waiting.values()].reduce((sum, count) => sum + count, 0))
    if (!work) return
    // A negative value takes the bar away.
    window.setProgressBar(work.share ?? -1)
    if (platform !== 'win32') return
    mark ??= electron.nativeImage.createFromBitmap(dot(16), { width: 16, height: 16 })
    window.setOverlayIcon(work.waiting > 0 ? mark : null, work.waiting > 0 ? `${work.waiting} waiting for you` : '')
  }
}

const amber = [0x1f, 0x8a, 0xd9, 0xff] as const

/** A round mark as pixels of blue, green, red and opacity, because Windows has no badge with a number. */
export function dot(size: number): Buffer {
  const pixels = Buffer.alloc(size * size * 4)
  const middle = (size - 1) / 2
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1)
      if (Math.hypot(x - middle, y - middle) <= size / 2) pixels.set(amber, (y * size + x) * 4)
  return pixels
}
