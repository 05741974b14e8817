import { EventEmitter } from 'node:events'
import type { Electron } from './electron.ts'

/** All calls in order: `[name, arguments]`. */
export type Recording = [name: string, args: readonly unknown[]][]

/** The parts of a web contents that the frontend uses. */
export class RecordedContents extends EventEmitter {
  readonly mainFrame = { url: 'app://coppice/index.html' }
  windowOpenHandler: (details: { url: string }) => { action: string } = () => ({ action: 'allow' })
  readonly posted: unknown[][] = []

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.windowOpenHandler = handler
  }
  postMessage(...message: unknown[]): void {
    this.posted.push(message)
  }
}

/**
 * The part of `electron` that the frontend uses, recording every call, for machines without its binary. Names and
 * shapes are those of electron.d.ts. The specs in `e2e` use the real one where it is installed.
 */
export function recordElectron(
  options: { readonly locked?: boolean; readonly backend?: string; readonly encryption?: boolean } = {},
) {
  const calls: Recording = []
  const record =
    (name: string, result?: unknown) =>
    (...args: unknown[]) => {
      calls.push([name, args])
      return result
    }
  const windows: (EventEmitter & {
    readonly options: Record<string, unknown>
    readonly webContents: RecordedContents
  })[] = []
  class BrowserWindow extends EventEmitter {
    readonly webContents = new RecordedContents()
    readonly options: Record<string, unknown>
    constructor(given: Record<string, unknown>) {
      super()
      this.options = given
      calls.push(['BrowserWindow', [given]])
      windows.push(this)
    }
    loadURL = async (url: string) => void calls.push(['loadURL', [url]])
    show = record('show')
    focus = record('focus')
    maximize = record('maximize')
    restore = record('restore')
    setProgressBar = record('setProgressBar')
    isMinimized = () => true
    isMaximized = () => false
    isFocused = () => false
    getNormalBounds = () => ({ x: 10, y: 20, width: 800, height: 600 })
  }
  class MessageChannelMain {
    readonly port1 = Object.assign(new EventEmitter(), {
      start: record('port.start'),
      postMessage: record('port.postMessage'),
      close: () => {},
    })
    readonly port2 = {}
  }
  const notifications: EventEmitter[] = []
  class Notification extends EventEmitter {
    static isSupported = () => true
    constructor(given: unknown) {
      super()
      calls.push(['Notification', [given]])
      notifications.push(this)
    }
    show = record('Notification.show')
  }
  const app = Object.assign(new EventEmitter(), {
    isPackaged: false,
    enableSandbox: record('enableSandbox'),
    requestSingleInstanceLock: record('requestSingleInstanceLock', !options.locked),
    quit: record('quit'),
    whenReady: async () => {},
    getVersion: () => '0.0.0',
    getPath: () => '/nowhere',
  })
  const encoded = (text: string) => Buffer.from(`sealed:${text}`)
  const surface = {
    app,
    BrowserWindow,
    MessageChannelMain,
    Notification,
    ipcMain: new EventEmitter(),
    nativeTheme: { shouldUseDarkColors: false },
    screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] },
    protocol: { registerSchemesAsPrivileged: record('registerSchemesAsPrivileged'), handle: record('protocol.handle') },
    session: {
      defaultSession: {
        setPermissionRequestHandler: record('setPermissionRequestHandler'),
        setPermissionCheckHandler: record('setPermissionCheckHandler'),
        setDevicePermissionHandler: record('setDevicePermissionHandler'),
      },
    },
    Menu: { buildFromTemplate: (template: unknown) => template, setApplicationMenu: record('setApplicationMenu') },
    shell: { openExternal: record('openExternal') },
    dialog: { showOpenDialog: async () => ({ filePaths: ['/picked'] }) },
    safeStorage: {
      isAsyncEncryptionAvailable: async () => options.encryption ?? true,
      getSelectedStorageBackend: () => options.backend ?? 'gnome_libsecret',
      encryptStringAsync: async (text: string) => encoded(text),
      decryptStringAsync: async (bytes: Buffer) => ({
        result: bytes.toString().slice('sealed:'.length),
        shouldReEncrypt: false,
      }),
    },
  }
  const of = (name: string) => calls.filter(([called]) => called === name).map(([, args]) => args)
  return { electron: surface as unknown as Electron, surface, calls, of, windows, notifications }
}
