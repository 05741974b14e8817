import { updateProxy } from '#host/updates/update-proxy.ts'
import type { PackageOwner, Updater } from '#host/updates/updater.ts'
import type { DesktopStart } from '../desktop-host.ts'
import type { Electron } from '../electron.ts'
import { type AutoUpdater, createElectronUpdater, takeProxy } from './electron-updater.ts'
import { findPackageOwner } from './package-owner.ts'
import { sayFailedUpdate } from './start-problem.ts'

/** What differs between the real start and a test. */
export interface UpdateSurroundings {
  readonly platform: NodeJS.Platform
  /** Loaded only where the app replaces itself. */
  readonly loadUpdater: () => Promise<AutoUpdater>
}

/** How the app is updated: by itself, or by whoever installed it. `store` is awaited before the app is replaced. */
export async function findUpdates(
  electron: Electron,
  { resources, log }: DesktopStart,
  { platform, loadUpdater }: UpdateSurroundings,
  store: () => Promise<void>,
): Promise<{ readonly updater: Updater } | { readonly owner: PackageOwner }> {
  const { app } = electron
  const owner = findPackageOwner({
    isPackaged: app.isPackaged,
    platform,
    resources,
    appImage: process.env.APPIMAGE,
  })
  if (owner) return { owner }
  const updater = await loadUpdater()
  const proxy = updateProxy(process.env)
  if (proxy) await takeProxy(updater, proxy)
  return { updater: createElectronUpdater(updater, store, giveUp) }

  /** The host is stored and closed, so only a new start brings the app back. */
  function giveUp(error: unknown): void {
    log('The new version was not installed', error)
    const again = () => {
      app.relaunch()
      app.exit()
    }
    sayFailedUpdate(electron, error).then(again, again)
  }
}
