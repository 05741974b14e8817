import { contextBridge, ipcRenderer } from 'electron'

/**
 * Everything the window gets: the kind of frontend, and one message port to the host on request. The port is posted to
 * the page, because a bridge cannot carry one.
 */
contextBridge.exposeInMainWorld('coppice', {
  shell: 'desktop',
  connect: () => ipcRenderer.send('coppice:connect'),
})

ipcRenderer.on('coppice:port', (event) => {
  window.postMessage({ type: 'coppice:port' }, location.origin, [...event.ports])
})
