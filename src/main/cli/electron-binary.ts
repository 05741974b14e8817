import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export type ElectronBinary = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly why: string }

const fetchTimeoutMs = 300_000

/**
 * The path of Electron, or why it cannot start. Its package fetches the binary on first use, with a stack trace when
 * the network fails, so this runs in a separate, quiet process.
 */
export function findElectron(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): ElectronBinary {
  if (platform === 'linux' && !environment.DISPLAY && !environment.WAYLAND_DISPLAY) {
    return { ok: false, why: 'this machine has no display' }
  }
  const folder = packageFolder()
  if (folder === undefined) return { ok: false, why: 'the electron package is not installed' }
  const path = binaryIn(folder) ?? fetchBinary(folder)
  return path ? { ok: true, path } : { ok: false, why: 'the Electron binary is not here and could not be fetched' }
}

function packageFolder(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  } catch {
    return undefined
  }
}

function binaryIn(folder: string): string | undefined {
  const named = join(folder, 'path.txt')
  const path = existsSync(named) ? join(folder, 'dist', readFileSync(named, 'utf8')) : undefined
  return path && existsSync(path) ? path : undefined
}

function fetchBinary(folder: string): string | undefined {
  process.stdout.write('Fetching the Electron binary, once …\n')
  spawnSync(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore', timeout: fetchTimeoutMs })
  return binaryIn(folder)
}
