import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { appRoot } from '../app-paths.ts'
import type { CommandLine } from '../arguments.ts'
import { findElectron } from '../electron-binary.ts'
import { serve } from './serve.ts'

/** `coppice open`: opens the desktop window, or the web frontend with a one-line reason when Electron cannot start. */
export async function open(line: CommandLine): Promise<number> {
  const electron = findElectron(process.env, process.platform)
  if (electron.ok) return startDesktop(electron.path, line)
  process.stdout.write(`No desktop window: ${electron.why}. Using the web shell instead.\n`)
  return serve(line)
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
