import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { RPCHandler } from '@orpc/server/message-port'
import type { BrowserWindow, IpcMainEvent, MenuItemConstructorOptions } from 'electron'
import { packagedLayout, plainLayout } from '#host/composition/app-layout.ts'
import { createHost, type Host } from '#host/composition/create-host.ts'
import type { HostOptions } from '#host/composition/host-options.ts'
import { appScheme, serveRenderer } from './app-protocol.ts'
import type { Electron } from './electron.ts'
import { guardContents, guardSession, isAppUrl } from './guards.ts'
import { createKeyStore } from './key-store.ts'
import { openMainWindow, showAgain, windowFilesIn } from './main-window.ts'

/** Starts the desktop app: one instance, one window, and the host behind it. */
export async function startDesktop(electron: Electron, appRoot: string): Promise<void> {
  const { app, protocol, session } = electron
  protocol.registerSchemesAsPrivileged([appScheme])
  app.enableSandbox()
  if (!app.requestSingleInstanceLock()) return app.quit()
  let window: BrowserWindow | undefined
  app.on('second-instance', () => showAgain(window))
  app.on('web-contents-created', (_event, contents) => guardContents(contents))
  await app.whenReady()
  guardSession(session.defaultSession)
  serveRenderer(electron, join(appRoot, 'out/renderer'))
  setMenu(electron, process.platform)
  const host = await createHost(await hostOptions(electron, appRoot, () => window))
  const stateFile = join(host.options.dataFolder, 'window.json')
  window = openMainWindow(electron, windowFilesIn(appRoot), stateFile, (problem) =>
    host.options.log(problem, 'damaged window state'),
  )
  servePorts(electron, host, window)
  quitWith(electron, host)
}

/** Stops and stores all agents before the process ends. A second quit does not wait. */
function quitWith({ app }: Electron, host: Host): void {
  let closing = false
  app.on('window-all-closed', () => app.quit())
  app.on('before-quit', (event) => {
    if (closing) return
    closing = true
    event.preventDefault()
    const quit = () => app.quit()
    host[Symbol.asyncDispose]().then(quit, quit)
  })
}

async function hostOptions(
  electron: Electron,
  appRoot: string,
  window: () => BrowserWindow | undefined,
): Promise<HostOptions> {
  const { app, shell } = electron
  const { values, positionals } = parseArgs({
    args: process.argv.slice(app.isPackaged ? 1 : 2),
    options: { 'data-dir': { type: 'string' }, settings: { type: 'string' } },
    allowPositionals: true,
    strict: false,
  })
  const dataFolder =
    typeof values['data-dir'] === 'string'
      ? values['data-dir']
      : process.env.COPPICE_DATA_DIR || app.getPath('userData')
  const layout = app.isPackaged ? packagedLayout(process.resourcesPath, process.platform) : plainLayout(appRoot, false)
  return {
    frontend: 'desktop',
    version: app.getVersion(),
    dataFolder,
    settingsFile: typeof values.settings === 'string' ? values.settings : null,
    environment: process.env,
    nodePath: layout.node ?? nodeFor(appRoot),
    runnerChildPath: layout.runnerChild,
    textWorkerPath: layout.textWorker,
    pdfWorkerPath: layout.pdfWorker,
    demoFolder: layout.demo,
    initialFolder: positionals[0] ?? null,
    secrets: await createKeyStore(electron, join(dataFolder, 'key'), process.platform),
    holder: 'the Coppice window',
    pickFolder: () => pickFolder(electron, window()),
    openExternal: (url) => shell.openExternal(url),
    notify: (notification) => notify(electron, window(), notification),
    showProgress: (share) => showProgress(window(), share),
    log: (problem, error) =>
      process.stderr.write(`${problem}: ${error instanceof Error ? error.stack : String(error)}\n`),
  }
}

/** The Node that runs code in development: the pinned dependency. */
function nodeFor(appRoot: string): string {
  return join(appRoot, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

async function pickFolder({ dialog }: Electron, window: BrowserWindow | undefined): Promise<string | null> {
  const options = { properties: ['openDirectory', 'createDirectory'] as ('openDirectory' | 'createDirectory')[] }
  const { filePaths } = await (window ? dialog.showOpenDialog(window, options) : dialog.showOpenDialog(options))
  return filePaths[0] ?? null
}

/** The nearest folder above the built file that has a package.json. */
export function appRootFrom(folder: string): string {
  return existsSync(join(folder, 'package.json')) &&
    readFileSync(join(folder, 'package.json'), 'utf8').includes('"coppice"')
    ? folder
    : appRootFrom(join(folder, '..'))
}

/** Sets the native menu with the system's usual roles, so that copy, zoom and quit work everywhere. */
function setMenu({ Menu }: Pick<Electron, 'Menu'>, platform: NodeJS.Platform): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(platform)))
}

export function menuTemplate(platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  return [
    ...(platform === 'darwin' ? [{ role: 'appMenu' } as const] : []),
    { role: 'fileMenu' },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'reload' },
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        { role: 'toggleDevTools' },
      ],
    },
    { role: 'windowMenu' },
  ]
}

/** Shows a notification only when nobody looks, because the window shows the same news. */
export function notify(
  { Notification }: Electron,
  window: BrowserWindow | undefined,
  options: { readonly title: string; readonly body: string },
): void {
  if (!window || window.isFocused() || !Notification.isSupported()) return
  const notification = new Notification(options)
  notification.on('click', () => showAgain(window))
  notification.show()
}

/** The progress bar of the window in the task bar or the dock. A negative value takes it away. */
export function showProgress(window: BrowserWindow | undefined, share: number | null): void {
  window?.setProgressBar(share ?? -1)
}

/** Gives the window's own page one port to the contract. Other frames get nothing. */
export function servePorts({ ipcMain, MessageChannelMain }: Electron, host: Host, window: BrowserWindow): void {
  const handler = new RPCHandler(host.router)
  ipcMain.on('coppice:connect', (event) => {
    if (!isTrusted(event, window)) return
    const { port1, port2 } = new MessageChannelMain()
    handler.upgrade(port1, { context: {} })
    port1.start()
    event.sender.postMessage('coppice:port', null, [port2])
  })
}

/** True for the top frame of this window on the app's own origin. `senderFrame` is null once the frame is gone. */
export function isTrusted(event: Pick<IpcMainEvent, 'sender' | 'senderFrame'>, window: BrowserWindow): boolean {
  const { sender, senderFrame } = event
  return (
    sender === window.webContents &&
    senderFrame !== null &&
    senderFrame === sender.mainFrame &&
    isAppUrl(senderFrame.url)
  )
}
