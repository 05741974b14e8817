import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import envPaths from 'env-paths'
import { plainLayout } from '#host/app/app-layout.ts'

/** The folder of the application: the nearest one above this file that has a package.json. */
function findRoot(from: string): string {
  return existsSync(join(from, 'package.json')) ? from : findRoot(dirname(from))
}

export const appRoot = findRoot(import.meta.dirname)

/** True for a clone of the sources, which git updates. A worktree has a file of this name. */
export const isCheckout = existsSync(join(appRoot, '.git'))

/** Entry points of other processes: built ones beside the built app, sources beside the sources. */
export const appPaths = plainLayout(appRoot, import.meta.filename.endsWith('.ts'))

export function appVersion(): string {
  const manifest = JSON.parse(readFileSync(join(appRoot, 'package.json'), 'utf8')) as { readonly version: string }
  return manifest.version
}

/** Always absolute: processes with other working folders read and compare it. */
export function dataFolderFor(flag: string | undefined, environment: NodeJS.ProcessEnv): string {
  return resolve(flag ?? (environment.COPPICE_DATA_DIR || envPaths('coppice', { suffix: '' }).data))
}
