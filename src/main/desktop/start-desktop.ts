import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import envPaths from 'env-paths'
import type { Guest } from '#host/handover/door.ts'
import { readEarlySettings } from '#host/settings/early-settings.ts'
import { createHost, type Host } from '#host/wiring/create-host.ts'
import type { WindowCommand } from '#shared/contract/window-commands.ts'
import { appScheme, serveRenderer } from './app-protocol.ts'
import { type DesktopArguments, parseDesktopArguments, wordsOf } from './arguments.ts'
import { type DesktopStart, desktopHostOptions } from './desktop-host.ts'
import type { Electron } from './electron.ts'
import { guardContents, guardSession } from './guards.ts'
import { createLog } from './log-file.ts'
import { stoppedPage } from './plain-page.ts'
import { setAppMenu } from './system/app-menu.ts'
import { findUpdates, type UpdateSurroundings } from './system/find-updates.ts'
import { chooseGpu, followProcesses } from './system/gpu.ts'
import { createLeaving, followEnds, type Leaving } from './system/leave.ts'
import { joinPaths, needsLoginPath, readLoginPath } from './system/login-path.ts'
import { followPower } from './system/power.ts'
import { followBugs, sayProblem } from './system/start-problem.ts'
import type { AppWindows } from './windows/app-windows.ts'
import { showContextMenus } from './windows/context-menu.ts'
import { backgroundOf } from './windows/main-window.ts'
import { makeWindows } from './windows/make-windows.ts'
import { servePorts } from './windows/serve-ports.ts'

/** The name of the app for the system, as in the configuration of the packages. */
const appId = 'dev.coppice.app'

/** What differs between the real start and a test. */
export interface Surroundings extends UpdateSurroundings {
  readonly argv: readonly string[]
  readonly workingFolder: string
  /** Hears of bugs that reach the top. */
  readonly process: NodeJS.EventEmitter
  readonly openHost: typeof createHost
  /** Where the data is unless the person says otherwise: the folder of the command line, so that both know the same. */
  readonly usualDataFolder: string
}

const real: Surroundings = {
  platform: process.platform,
  argv: process.argv,
  workingFolder: process.cwd(),
  process,
  loadUpdater: async () => (await import('electron-updater')).default.autoUpdater,
  openHost: createHost,
  usualDataFolder: envPaths('coppice', { suffix: '' }).data,
}

/** Starts the desktop app: one instance, one window for each project, and the host behind them. */
export async function startDesktop(
  electron: Electron,
  appRoot: string,
  surroundings: Partial<Surroundings> = {},
): Promise<void> {
  const around = { ...real, ...surroundings }
  const { app, protocol } = electron
  const given = parseDesktopArguments(wordsOf(around.argv, app.isPackaged), around.workingFolder)
  protocol.registerSchemesAsPrivileged([appScheme])
  app.enableSandbox()
  // Windows shows notifications only of an app that it knows by this name, which the installer gives it.
  if (around.platform === 'win32') app.setAppUserModelId(appId)
  if (!app.requestSingleInstanceLock({ folder: given.folder })) return app.quit()
  const start = readStart(around, appRoot, given)
  const gpu = { file: join(start.dataFolder, 'gpu-failed'), version: app.getVersion() }
  followBugs(electron, start, start.log, around.process)
  chooseGpu(electron, {
    ...gpu,
    isOff: given.isGpuOff,
    setting: readEarlySettings(start.dataFolder, start.settingsFile).gpu,
  })
  followProcesses(electron, gpu, start.log)
  const asked = askedFolders(electron, given)
  app.on('web-contents-created', (_event, contents) => {
    guardContents(contents)
    showContextMenus(electron, contents)
  })
  const path = app.isPackaged ? findPath(around.platform) : null
  await app.whenReady()
  try {
    // Commands, setups and MCP servers find the person's programs by it.
    if (path !== null) process.env.PATH = await path
    await openApp(electron, start, around, asked)
  } catch (error) {
    start.log('Coppice cannot start', error)
    await sayProblem(electron, 'Coppice cannot start', error, start)
    app.exit(1)
  }
}

function readStart({ usualDataFolder }: Surroundings, appRoot: string, given: DesktopArguments): DesktopStart {
  const dataFolder = given.dataFolder ?? (process.env.COPPICE_DATA_DIR || usualDataFolder)
  const logFile = join(dataFolder, 'logs', 'desktop.log')
  // Plain Node, which runs the tests, has no such path.
  const resources = process.resourcesPath ?? join(appRoot, 'resources')
  return { appRoot, resources, dataFolder, settingsFile: given.settingsFile, logFile, log: createLog(logFile) }
}

/** Null where the app has the person's PATH already. */
function findPath(platform: NodeJS.Platform): Promise<string> | null {
  const { env } = process
  if (!needsLoginPath(platform, env)) return null
  const shell = env.SHELL || (platform === 'darwin' ? '/bin/zsh' : '/bin/bash')
  return readLoginPath({ shell, environment: env, patience: 5_000 }).then((found) => joinPaths(found, env.PATH ?? ''))
}

/** Folders that a person asks for: with the first start, with later ones, or by dropping them on the icon. */
interface AskedFolders {
  /** From now on `open` gets each folder, null for a start without one. Earlier ones come first. */
  follow(open: (folder: string | null) => void): void
}

function askedFolders({ app }: Electron, given: DesktopArguments): AskedFolders {
  const early: (string | null)[] = []
  let open = (folder: string | null): void => void early.push(folder)
  app.on('open-file', (event, path) => {
    event.preventDefault()
    open(path)
  })
  app.on('second-instance', (_event, argv, workingFolder, data) => {
    const { folder } = (data ?? {}) as { readonly folder?: string | null }
    open(folder === undefined ? parseDesktopArguments(wordsOf(argv, app.isPackaged), workingFolder).folder : folder)
  })
  return {
    follow(listener) {
      open = listener
      const first = early.length === 0 || given.folder !== null ? [given.folder, ...early] : early
      for (const folder of first) listener(folder)
    },
  }
}

async function openApp(electron: Electron, start: DesktopStart, around: Surroundings, asked: AskedFolders) {
  const { app, session, nativeTheme } = electron
  const { platform } = around
  guardSession(session.defaultSession)
  serveRenderer(electron, join(start.appRoot, 'out/renderer'), stoppedPage(start.logFile))
  // The updater ends the app, so it needs what is made after the host.
  const later: { leaving?: Leaving } = {}
  const updates = await findUpdates(electron, start, around, async () => later.leaving?.storeAll())
  const options = await desktopHostOptions(electron, start, updates)
  const host: Host = await around.openHost({ ...options, carryOut: (guest) => answerGuest(guest, host) })
  const windows = makeWindows(electron, start, around, host, () => later.leaving)
  const leaving = createLeaving(electron, {
    windows,
    working: () => host.projects.working(),
    store: async () => host[Symbol.asyncDispose](),
    every: again,
    log: start.log,
  })
  later.leaving = leaving
  setAppMenu(electron, platform, (command) => runCommand(windows, command))
  servePorts(electron, host, windows.all)
  followEnds(electron, platform, leaving)
  followPower(electron, () => host.projects.wake())
  app.on('activate', () => windows.show())
  nativeTheme.on('updated', () => {
    for (const { browserWindow } of windows.all()) browserWindow.setBackgroundColor(backgroundOf(nativeTheme))
  })
  asked.follow((folder) => {
    if (folder !== null) windows.openFolder(folder)
    else windows.show()
  })
}

/** Carries out a command line about a project that has a window. Loaded when the first one comes. */
async function answerGuest(guest: Guest, host: Host): Promise<number> {
  const [{ carryOut }, { runLine }] = await Promise.all([
    import('../cli/handover/carry-out.ts'),
    import('../cli/run-line.ts'),
  ])
  return carryOut(guest, host, runLine)
}

/** The entries of the menu do what the same commands do in the window. */
function runCommand(windows: AppWindows, command: WindowCommand): void {
  if (command === 'newWindow') return void windows.open()
  const window = windows.front() ?? windows.open()
  window.send({ type: 'command', command })
}

function again(milliseconds: number, act: () => void): Disposable {
  const timer = setInterval(act, milliseconds)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** The nearest folder above the built file that has a package.json. */
export function appRootFrom(folder: string): string {
  return existsSync(join(folder, 'package.json')) &&
    readFileSync(join(folder, 'package.json'), 'utf8').includes('"coppice"')
    ? folder
    : appRootFrom(join(folder, '..'))
}
