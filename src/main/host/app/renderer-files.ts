import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

export interface RendererFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
  /** True for files with a hash in their name, which never change. */
  readonly immutable: boolean
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
}

/**
 * The built renderer by URL path. Lists its files once, so that a request cannot name any other file, and reads each one
 * once, so that many requests hold no more than one.
 */
export function createRendererFiles(folder: string): (path: string) => RendererFile | undefined {
  const files = new Map(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [`/${relative(folder, file).split(sep).join('/')}`, file]),
  )
  const known = new Map<string, RendererFile>()
  return (path) => {
    const file = files.get(path === '/' ? '/index.html' : path)
    if (file === undefined) return undefined
    const made = known.get(file) ?? {
      bytes: new Uint8Array(readFileSync(file)),
      type: types[extname(file)] ?? 'application/octet-stream',
      immutable: path.startsWith('/assets/'),
    }
    known.set(file, made)
    return made
  }
}

/**
 * What the page may load, the same in every frontend. `style-src 'unsafe-inline'` is for the editor, the terminal and
 * the graph, which set styles themselves.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The headers of every response. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}
