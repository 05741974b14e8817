import { contextBridge, ipcRenderer } from 'electron'

/**
 * All the window gets: which shell it is in, and one message port to the host when it asks. The port goes to the page
 * itself, because a bridge cannot carry one.
 */
contextBridge.exposeInMainWorld('coppice', {
  shell: 'desktop',
  connect: () => ipcRenderer.send('coppice:connect'),
})

ipcRenderer.on('coppice:port', (event) => {
  window.postMessage({ type: 'coppice:port' }, location.origin, [...event.ports])
})
