import type { CustomScheme } from 'electron'
import { createRendererFiles, securityHeaders } from '#host/composition/renderer-files.ts'
import type { Electron } from './electron.ts'

/** The page's own origin. A `file:` page could read the disk, and has no origin to check. */
export const appOrigin = 'app://coppice'

export const appScheme: CustomScheme = {
  scheme: 'app',
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
}

/** Serves the built renderer, and nothing else, under `app://coppice/`. */
export function serveRenderer({ protocol }: Pick<Electron, 'protocol'>, folder: string): void {
  const files = createRendererFiles(folder)
  protocol.handle('app', (request) => {
    const url = new URL(request.url)
    const file = url.host === 'coppice' && request.method === 'GET' ? files(url.pathname) : undefined
    if (!file) return new Response('Not found', { status: 404, headers: { ...securityHeaders } })
    return new Response(file.bytes, { headers: { ...securityHeaders, 'content-type': file.type } })
  })
}
