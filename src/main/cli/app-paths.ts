import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import envPaths from 'env-paths'

/** The folder of the application: the nearest one above this file that has a package.json. */
function findRoot(from: string): string {
  return existsSync(join(from, 'package.json')) ? from : findRoot(dirname(from))
}

export const appRoot = findRoot(import.meta.dirname)

/** Entry points of other processes: built ones beside the built app, sources beside the sources. */
const fromSources = import.meta.filename.endsWith('.ts')

export const appPaths = {
  renderer: join(appRoot, 'out/renderer'),
  demo: join(appRoot, 'resources/demo/tally'),
  runnerChild: fromSources
    ? join(appRoot, 'src/main/adapters/runner/child.ts')
    : join(appRoot, 'out/main/runner-child.js'),
  textWorker: fromSources
    ? join(appRoot, 'src/main/adapters/text/worker.ts')
    : join(appRoot, 'out/main/text-worker.js'),
  pdfWorker: fromSources ? join(appRoot, 'src/main/adapters/pdf/worker.ts') : join(appRoot, 'out/main/pdf-worker.js'),
}

export function appVersion(): string {
  const manifest = JSON.parse(readFileSync(join(appRoot, 'package.json'), 'utf8')) as { readonly version: string }
  return manifest.version
}

export function dataFolderFor(flag: string | undefined, environment: NodeJS.ProcessEnv): string {
  return flag ?? (environment.COPPICE_DATA_DIR || envPaths('coppice', { suffix: '' }).data)
}
