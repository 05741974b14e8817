import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { packagedLayout, plainLayout } from '#host/app/app-layout.ts'
import type { HostOptions } from '#host/app/host-options.ts'
import { installCommand } from '#host/command-line/install-command.ts'
import type { PackageOwner, Updater } from '#host/updates/updater.ts'
import type { Electron } from './electron.ts'
import { createKeyStore } from './key-store.ts'
import { keepAwake } from './system/power.ts'

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
  const { app, shell, session } = electron
  const layout = app.isPackaged ? packagedLayout(resources, process.platform) : plainLayout(appRoot, false)
  return {
    frontend: 'desktop',
    version: app.getVersion(),
    dataFolder,
    settingsFile,
    environment: process.env,
    nodePath: layout.node ?? pinnedNode(appRoot),
    runnerChildPath: layout.runnerChild,
    indexWorkerPath: layout.indexWorker,
    textWorkerPath: layout.textWorker,
    pdfWorkerPath: layout.pdfWorker,
    pageWorkerPath: layout.pageWorker,
    demoFolder: layout.demo,
    initialFolder: null,
    secrets: await createKeyStore(electron, join(dataFolder, 'key'), process.platform),
    holder: 'the Coppice window',
    keepAwake: () => keepAwake(electron),
    findProxy: (url) => session.defaultSession.resolveProxy(url),
    openExternal: (url) => shell.openExternal(url),
    async showFolder(path) {
      // Electron resolves with the problem, empty for none.
      const problem = await shell.openPath(path)
      if (problem !== '') throw new Error(problem)
    },
    ...(app.isPackaged && { installCommand: () => installOnPath(resources) }),
    ...updates,
    logFile,
    log,
  }
}

function installOnPath(resources: string): ReturnType<typeof installCommand> {
  // An AppImage lies in another folder at each start, so a link to it would soon lead nowhere.
  if (process.env.APPIMAGE !== undefined)
    return Promise.reject(
      new Error('An AppImage has no lasting place. Install the deb or rpm, or run: npm i -g coppice'),
    )
  return installCommand({ platform: process.platform, resources, path: process.env.PATH ?? '', mayWrite })
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The Node that runs code in development: the pinned dependency. */
function pinnedNode(appRoot: string): string {
  return join(appRoot, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
}
