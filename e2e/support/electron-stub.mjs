// Starts the built desktop app with a stand-in for Electron, and speaks with it as its page does. The host, the port and the
// contract are the real ones. Prints one line of JSON.
import { EventEmitter } from 'node:events'
import { registerHooks } from 'node:module'
import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'

const seen = { menu: [], left: false, boxes: [] }
const nothing = () => undefined
const posted = Promise.withResolvers()

class BrowserWindow extends EventEmitter {
  webContents = Object.assign(new EventEmitter(), {
    mainFrame: { url: 'app://coppice/index.html' },
    setWindowOpenHandler: nothing,
    postMessage: (_name, _data, [port]) => posted.resolve(port),
  })
  constructor() {
    super()
    seen.window = this
  }
  loadURL = async (url) => {
    seen.loaded = url
  }
}
for (const name of ['show', 'focus', 'restore', 'isMinimized', 'isFocused', 'setProgressBar', 'setBackgroundColor'])
  BrowserWindow.prototype[name] = nothing

/** Electron's end of a port is an emitter. */
class MessageChannelMain {
  constructor() {
    const { port1, port2 } = new MessageChannel()
    this.port1 = Object.assign(new EventEmitter(), {
      start: () => port1.on('message', (data) => this.port1.emit('message', { data })),
      postMessage: (data) => port1.postMessage(data),
      close: () => port1.close(),
    })
    this.port2 = port2
  }
}

const area = { x: 0, y: 0, width: 1000, height: 800 }
const app = Object.assign(new EventEmitter(), {
  isPackaged: false,
  requestSingleInstanceLock: () => true,
  quit: () => {
    seen.left = true
  },
  whenReady: async () => undefined,
  getVersion: () => '9.9.9',
  ...Object.fromEntries(['enableSandbox', 'exit', 'setBadgeCount', 'addRecentDocument'].map((name) => [name, nothing])),
})
const session = Object.fromEntries(
  ['setPermissionRequestHandler', 'setPermissionCheckHandler', 'setDevicePermissionHandler'].map((n) => [n, nothing]),
)
globalThis.electronStub = {
  app,
  BrowserWindow,
  MessageChannelMain,
  ipcMain: new EventEmitter(),
  powerMonitor: new EventEmitter(),
  nativeTheme: Object.assign(new EventEmitter(), { shouldUseDarkColors: false }),
  screen: { getAllDisplays: () => [{ bounds: area, workArea: area, scaleFactor: 1 }] },
  protocol: { registerSchemesAsPrivileged: nothing, handle: nothing },
  session: { defaultSession: session },
  Menu: {
    buildFromTemplate: (template) => template,
    setApplicationMenu: (menu) => {
      seen.menu = menu.flatMap(({ submenu }) => submenu ?? [])
    },
  },
  dialog: {
    showMessageBox: async (...given) => {
      seen.boxes.push(given)
      return { response: 1 }
    },
  },
  safeStorage: { isAsyncEncryptionAvailable: async () => false, getSelectedStorageBackend: () => 'none' },
}

registerHooks({
  resolve: (name, context, next) =>
    name === 'electron'
      ? { url: 'data:text/javascript,export default globalThis.electronStub', shortCircuit: true }
      : next(name, context),
})
await import('../../out/main/desktop.js')

const { webContents } = seen.window ?? {}
globalThis.electronStub.ipcMain.emit('coppice:connect', { sender: webContents, senderFrame: webContents?.mainFrame })
const port = await posted.promise
const client = createORPCClient(new RPCLink({ port }))
port.start()
const { shell, version } = await client.app.info()
const requests = await client.window.requests()
seen.menu.find(({ id }) => id === 'about')?.click()
const { value: request } = await requests.next()
app.emit('before-quit', { preventDefault: nothing })
while (!seen.left) await new Promise((resolve) => setImmediate(resolve))
process.stdout.write(`${JSON.stringify({ loaded: seen.loaded, shell, version, request, boxes: seen.boxes })}\n`)
process.exit(0)
