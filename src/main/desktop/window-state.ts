import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface WindowState {
  readonly bounds: { readonly x?: number; readonly y?: number; readonly width: number; readonly height: number }
  readonly maximized: boolean
}

const fresh: WindowState = { bounds: { width: 1440, height: 900 }, maximized: false }

/** Where the window was; a missing or damaged file is the usual size. */
export function loadWindowState(file: string): WindowState {
  try {
    const state: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isWindowState(state) ? state : fresh
  } catch {
    return fresh
  }
}

export function saveWindowState(file: string, state: WindowState): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(state))
}

function isWindowState(state: unknown): state is WindowState {
  if (typeof state !== 'object' || state === null || !('bounds' in state) || !('maximized' in state)) return false
  const { bounds } = state
  if (typeof bounds !== 'object' || bounds === null || !('width' in bounds) || !('height' in bounds)) return false
  return Object.values(bounds).every((value) => Number.isFinite(value)) && typeof state.maximized === 'boolean'
}
