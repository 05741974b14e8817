import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { appRoot } from '../app-paths.ts'
import type { CommandLine } from '../arguments.ts'
import { serve } from './serve.ts'

/** `coppice open`: the desktop window where Electron can start, else the web shell, with the reason in one line. */
export async function open(line: CommandLine): Promise<number> {
  const electron = findElectron()
  if (electron.ok) return startDesktop(electron.path, line)
  process.stdout.write(`No desktop window: ${electron.why}. Using the web shell instead.\n`)
  return serve(line)
}

type Found = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly why: string }

/** Asking the package for its binary downloads it once; that fails where the network does not let it through. */
function findElectron(): Found {
  const { platform, env } = process
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY)
    return { ok: false, why: 'this machine has no display' }
  try {
    const path: unknown = createRequire(import.meta.url)('electron')
    return typeof path === 'string' ? { ok: true, path } : { ok: false, why: 'the electron package gave no binary' }
  } catch {
    return { ok: false, why: 'the Electron binary is not here and could not be downloaded' }
  }
}

function startDesktop(electron: string, line: CommandLine): Promise<number> {
  const [folder] = line.positionals
  const data = line.text('data-dir')
  const settings = line.text('settings')
  const args = [
    appRoot,
    ...(folder === undefined ? [] : [resolve(folder)]),
    ...(data === undefined ? [] : [`--data-dir=${resolve(data)}`]),
    ...(settings === undefined ? [] : [`--settings=${resolve(settings)}`]),
  ]
  return new Promise((done, fail) => {
    spawn(electron, args, { stdio: 'inherit' })
      .on('error', fail)
      .on('exit', (code) => done(code ?? 1))
  })
}
