import type { CustomScheme } from 'electron'
import { createRendererFiles, securityHeaders } from '#host/app/renderer-files.ts'
import type { Electron } from './electron.ts'
import { stoppedPath } from './plain-page.ts'

/** The page's own origin. A `file:` page could read the disk, and has no origin to check. */
export const appOrigin = 'app://coppice'

export const appScheme: CustomScheme = {
  scheme: 'app',
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
}

/** Serves the built renderer and the page without scripts, and nothing else, under `app://coppice/`. */
export function serveRenderer({ protocol }: Pick<Electron, 'protocol'>, folder: string, stopped = ''): void {
  const built = createRendererFiles(folder)
  const page = { bytes: new TextEncoder().encode(stopped), type: 'text/html; charset=utf-8' }
  const files = (path: string) => (path === stoppedPath ? page : built(path))
  protocol.handle('app', (request) => {
    const url = new URL(request.url)
    const file = url.host === 'coppice' && request.method === 'GET' ? files(url.pathname) : undefined
    if (!file) return new Response('Not found', { status: 404, headers: { ...securityHeaders } })
    return new Response(file.bytes, { headers: { ...securityHeaders, 'content-type': file.type } })
  })
}
