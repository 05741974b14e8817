import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Electron } from '../electron.ts'

/** Ends of the graphics process in one session after which the next start does without it. */
const most = 3

interface GpuChoice {
  /** `--disable-gpu` was given. */
  readonly isOff: boolean
  readonly setting: 'auto' | 'off'
  /** Remembers that the card failed. Absolute path. */
  readonly file: string
  readonly version: string
}

/** Draws without the graphics card where a person wants it or the card failed. Call it before the app is ready. */
export function chooseGpu({ app }: Pick<Electron, 'app'>, { isOff, setting, file, version }: GpuChoice): void {
  if (isOff || setting === 'off' || hasFailed(file, version)) app.disableHardwareAcceleration()
}

/** A new version tries the card again, since it may bring another driver or another Chromium. */
function hasFailed(file: string, version: string): boolean {
  try {
    return existsSync(file) && readFileSync(file, 'utf8').trim() === version
  } catch {
    // A mark that cannot be read must not keep the app from starting.
    return false
  }
}

/** Logs every process of the app that ends, and gives the graphics card up after it failed several times. */
export function followProcesses(
  { app }: Pick<Electron, 'app'>,
  { file, version }: Pick<GpuChoice, 'file' | 'version'>,
  log: (problem: string, error: unknown) => void,
): void {
  let failed = 0
  app.on('child-process-gone', (_event, { type, reason, exitCode, name }) => {
    if (reason === 'clean-exit' || reason === 'killed') return
    log(`A process of the app ended: ${name ?? type}`, `${reason}, code ${exitCode}`)
    if (type !== 'GPU') return
    failed += 1
    if (failed !== most) return
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileSync(file, `${version}\n`, { mode: 0o600 })
      log('The graphics card is not used from the next start on', `it failed ${most} times`)
    } catch (error) {
      log('That the graphics card failed was not remembered', error)
    }
  })
}
