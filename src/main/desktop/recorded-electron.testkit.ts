import { EventEmitter } from 'node:events'
import type { BrowserWindow as RealWindow, Session, WebContents } from 'electron'
import type { Electron } from './electron.ts'

/** All calls in order: `[name, arguments]`. */
export type Recording = [name: string, args: readonly unknown[]][]

/**
 * A part of one of Electron's objects: only names that Electron declares, and functions where Electron has functions
 * that take the same arguments. A wrong or renamed member does not compile.
 */
type Recorded<Part> = {
  readonly [Name in keyof Part]?: Part[Name] extends (...args: infer Args) => unknown
    ? (...args: Args) => unknown
    : unknown
}
/** The same for everything that an instance of a class has. */
type RecordedInstance<Class extends abstract new (...args: never[]) => unknown> = Recorded<InstanceType<Class>>

/** Does not compile when a recorder has a name that Electron's own class does not have. */
function allowNames<_Unknown extends never>(): void {}

/** The parts of a web contents that the frontend uses. */
export class RecordedContents extends EventEmitter implements Recorded<WebContents> {
  readonly mainFrame = { url: 'app://coppice/index.html' }
  /** What was recorded. */
  readonly test = {
    windowOpenHandler: (_details: { url: string }): { action: string } => ({ action: 'allow' }),
    posted: [] as unknown[][],
    learned: [] as string[],
    corrected: [] as string[],
    reloads: 0,
  }
  readonly session = { addWordToSpellCheckerDictionary: (word: string) => this.test.learned.push(word) }

  setWindowOpenHandler(handler: Parameters<WebContents['setWindowOpenHandler']>[0]): void {
    this.test.windowOpenHandler = handler as unknown as (details: { url: string }) => { action: string }
  }
  postMessage(...message: unknown[]): void {
    this.test.posted.push(message)
  }
  replaceMisspelling(word: string): void {
    this.test.corrected.push(word)
  }
  reload(): void {
    this.test.reloads += 1
  }
}

interface RecordedOptions {
  readonly locked?: boolean
  readonly backend?: string
  readonly encryption?: boolean
  readonly isPackaged?: boolean
  readonly userData?: string
  /** The button that a person presses in each question, by its place. */
  readonly answers?: readonly number[]
  readonly displays?: readonly {
    readonly workArea: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
    readonly scaleFactor?: number
  }[]
}

const usualDisplays = [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }]

/**
 * The part of `electron` that the frontend uses, recording every call, for machines without its binary. Names and
 * shapes are checked against electron.d.ts. The specs in `e2e` use the real one where it is installed.
 */
export function recordElectron(options: RecordedOptions = {}) {
  allowNames<Exclude<keyof RecordedContents, keyof WebContents | 'test'>>()
  const calls: Recording = []
  const answers = [...(options.answers ?? [])]
  const record =
    (name: string, result?: unknown) =>
    (...args: unknown[]) => {
      calls.push([name, args])
      return result
    }
  const windows: RecordedWindow[] = []
  class RecordedWindow extends EventEmitter implements Recorded<RealWindow> {
    readonly webContents = new RecordedContents()
    /** What a test knows and sets. */
    readonly test: { readonly options: Record<string, unknown>; isFocused: boolean }
    constructor(given: Record<string, unknown>) {
      super()
      this.test = { options: given, isFocused: false }
      calls.push(['BrowserWindow', [given]])
      windows.push(this)
    }
    loadURL = async (url: string) => void calls.push(['loadURL', [url]])
    show = record('show')
    focus = record('focus')
    maximize = record('maximize')
    restore = record('restore')
    setFullScreen = record('setFullScreen')
    setProgressBar = record('setProgressBar')
    setOverlayIcon = record('setOverlayIcon')
    setBackgroundColor = record('setBackgroundColor')
    isMinimized = () => true
    isMaximized = () => false
    isFullScreen = () => false
    isFocused = () => this.test.isFocused
    getNormalBounds = () => ({ x: 10, y: 20, width: 800, height: 600 })
  }
  allowNames<Exclude<keyof RecordedWindow, keyof RealWindow | 'test'>>()
  class MessageChannelMain {
    readonly port1 = Object.assign(new EventEmitter(), {
      start: record('port.start'),
      postMessage: record('port.postMessage'),
      close: () => {},
    })
    readonly port2 = {}
  }
  const notifications: EventEmitter[] = []
  class Notification extends EventEmitter implements RecordedInstance<Electron['Notification']> {
    static isSupported = () => true
    constructor(given: unknown) {
      super()
      calls.push(['Notification', [given]])
      notifications.push(this)
    }
    show = record('Notification.show')
  }
  const app = Object.assign(new EventEmitter(), {
    isPackaged: options.isPackaged ?? false,
    enableSandbox: record('enableSandbox'),
    setAppUserModelId: record('setAppUserModelId'),
    requestSingleInstanceLock: record('requestSingleInstanceLock', !options.locked),
    disableHardwareAcceleration: record('disableHardwareAcceleration'),
    addRecentDocument: record('addRecentDocument'),
    setBadgeCount: record('setBadgeCount'),
    setJumpList: record('setJumpList'),
    dock: { setMenu: record('dock.setMenu') },
    quit: record('quit'),
    exit: record('exit'),
    whenReady: async () => {},
    getVersion: () => '0.0.0',
    getPath: () => options.userData ?? '/nowhere',
  } satisfies Recorded<Electron['app']>)
  const encoded = (text: string) => Buffer.from(`sealed:${text}`)
  const surface = {
    app,
    BrowserWindow: RecordedWindow,
    MessageChannelMain,
    Notification,
    ipcMain: new EventEmitter(),
    powerMonitor: new EventEmitter(),
    nativeTheme: Object.assign(new EventEmitter(), {
      shouldUseDarkColors: false,
      themeSource: 'system',
    } satisfies Recorded<Electron['nativeTheme']>),
    nativeImage: { createFromBitmap: record('createFromBitmap', 'mark') } satisfies Recorded<Electron['nativeImage']>,
    clipboard: { writeText: record('clipboard.writeText') } satisfies Recorded<Electron['clipboard']>,
    screen: {
      getAllDisplays: () =>
        (options.displays ?? usualDisplays).map((display) => ({
          scaleFactor: 1,
          bounds: display.workArea,
          ...display,
        })),
    } satisfies Recorded<Electron['screen']>,
    protocol: {
      registerSchemesAsPrivileged: record('registerSchemesAsPrivileged'),
      handle: record('protocol.handle'),
    } satisfies Recorded<Electron['protocol']>,
    session: {
      defaultSession: {
        setPermissionRequestHandler: record('setPermissionRequestHandler'),
        setPermissionCheckHandler: record('setPermissionCheckHandler'),
        setDevicePermissionHandler: record('setDevicePermissionHandler'),
      } satisfies Recorded<Session>,
    },
    Menu: {
      buildFromTemplate: (template: unknown) => ({ template, popup: record('popup') }),
      setApplicationMenu: record('setApplicationMenu'),
    } satisfies Recorded<Electron['Menu']>,
    shell: {
      openExternal: record('openExternal'),
      openPath: async (...args: unknown[]) => {
        calls.push(['openPath', args])
        return ''
      },
    } satisfies Recorded<Electron['shell']>,
    dialog: {
      showOpenDialog: async () => ({ filePaths: ['/picked'] }),
      showMessageBox: async (...args: unknown[]) => {
        calls.push(['showMessageBox', args])
        return { response: answers.shift() ?? 0 }
      },
    } satisfies Recorded<Electron['dialog']>,
    safeStorage: {
      isAsyncEncryptionAvailable: async () => options.encryption ?? true,
      getSelectedStorageBackend: () => options.backend ?? 'gnome_libsecret',
      encryptStringAsync: async (text: string) => encoded(text),
      decryptStringAsync: async (bytes: Buffer) => ({
        result: bytes.toString().slice('sealed:'.length),
        shouldReEncrypt: false,
      }),
    } satisfies Recorded<Electron['safeStorage']>,
  } satisfies { readonly [Name in keyof Electron]?: unknown }
  const of = (name: string) => calls.filter(([called]) => called === name).map(([, args]) => args)
  return { electron: surface as unknown as Electron, surface, calls, of, windows, notifications }
}
