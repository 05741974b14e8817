import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { OverlayText } from '#core/ports/search.ts'

const sliceMs = 8

/** The overlay's files written out under their own names, so that one engine reads base and overlay alike. */
export interface OverlayMirror extends AsyncDisposable {
  readonly folder: string
}

/** `withContent: false` makes empty files, enough to match names. */
export async function mirrorOverlay(
  temporaryFolder: string,
  files: readonly OverlayText[],
  withContent: boolean,
): Promise<OverlayMirror> {
  mkdirSync(temporaryFolder, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(temporaryFolder, 'search-'))
  const made = new Set<string>([folder])
  let sliceEnd = performance.now() + sliceMs
  try {
    for (const { path, bytes } of files) {
      const location = join(folder, path)
      const above = dirname(location)
      if (!made.has(above)) mkdirSync(above, { recursive: true })
      made.add(above)
      writeFileSync(location, withContent ? bytes : '', { flag: 'wx' })
      if (performance.now() > sliceEnd) {
        await setImmediate()
        sliceEnd = performance.now() + sliceMs
      }
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
