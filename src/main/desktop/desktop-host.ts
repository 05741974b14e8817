import { join } from 'node:path'
import type { HostOptions } from '#host/composition/host-options.ts'
import type { PackageOwner, Updater } from '#host/updates/updater.ts'
import type { Electron } from './electron.ts'
import { createKeyStore } from './key-store.ts'

/** What the start found out before the host opens. */
export interface DesktopStart {
  /** The folder with `package.json`, absolute. */
  readonly appRoot: string
  /** Where the packaged app keeps its parts that are no code, absolute. */
  readonly resources: string
  readonly dataFolder: string
  readonly settingsFile: string | null
  readonly logFile: string
  readonly log: HostOptions['log']
}

/** What the desktop gives the host. `owner` null means that `updater` brings new versions. */
export async function desktopHostOptions(
  electron: Electron,
  { appRoot, resources, dataFolder, settingsFile, logFile, log }: DesktopStart,
  updates: { readonly updater: Updater } | { readonly owner: PackageOwner },
): Promise<HostOptions> {
  const { app, shell } = electron
  return {
    frontend: 'desktop',
    version: app.getVersion(),
    dataFolder,
    settingsFile,
    environment: process.env,
    nodePath: nodeFor(app.isPackaged ? resources : join(appRoot, 'node_modules/node/bin')),
    runnerChildPath: join(appRoot, 'out/main/runner-child.js'),
    textWorkerPath: join(appRoot, 'out/main/text-worker.js'),
    pdfWorkerPath: join(appRoot, 'out/main/pdf-worker.js'),
    demoFolder: join(app.isPackaged ? resources : join(appRoot, 'resources'), 'demo/tally'),
    initialFolder: null,
    secrets: await createKeyStore(electron, join(dataFolder, 'key'), process.platform),
    holder: 'the Coppice window',
    openExternal: (url) => shell.openExternal(url),
    async showFolder(path) {
      // Electron resolves with the problem, empty for none.
      const problem = await shell.openPath(path)
      if (problem !== '') throw new Error(problem)
    },
    ...updates,
    logFile,
    log,
  }
}

/** The Node that runs code: shipped with the packaged app, or the pinned dependency in development. */
function nodeFor(folder: string): string {
  return join(folder, process.platform === 'win32' ? 'node.exe' : 'node')
}
