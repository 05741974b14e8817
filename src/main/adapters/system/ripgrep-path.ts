import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

/**
 * The path of the ripgrep that comes with the app, or null where its package has no binary for this system. The
 * package throws when it is loaded without one, so it is loaded on first use: the app starts all the same. In the
 * packaged app the binary lies beside the archive, not in it.
 */
export function ripgrepPath(): string | null {
  try {
    const { rgPath } = load('@vscode/ripgrep') as { readonly rgPath: string }
    return outsideArchive(rgPath)
  } catch {
    return null
  }
}

/** The path of an unpacked file, given the path that Electron shows for it. */
export function outsideArchive(path: string): string {
  return path.replace(/\bapp\.asar(?=[\\/])/, 'app.asar.unpacked')
}
