import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'

/** What a command may read on the machine, and what stays hidden inside it. Nothing else exists for the command. */
export interface ReadablePlaces {
  readonly folders: readonly string[]
  /** Pairs of a link and its target, such as `/bin` and `/usr/bin`. */
  readonly links: readonly (readonly [string, string])[]
  readonly maskedFiles: readonly string[]
  readonly maskedFolders: readonly string[]
}

const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/gnu']
/** Where version managers and package managers put programs in a home. Folders with passwords are not in the list. */
const toolChains = [
  '.asdf',
  '.bun/bin',
  '.cargo/bin',
  '.deno/bin',
  '.fnm',
  '.local/bin',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/pnpm',
  '.local/share/uv',
  '.nvm',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.sdkman',
  '.volta',
  'go/bin',
  'go/pkg/mod',
]
/** Files that only root may read. The app may run as root. */
const secretOfSystem = /^(g?shadow-?|sudoers|opasswd|krb5\.keytab|.*\.pem|.*_key)$/
const secretFoldersOfSystem = [
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/wireguard',
  '/etc/NetworkManager',
  '/etc/docker',
]

/** `hidden` are the app's own folders. A place that would show one of them is left out. */
export function readablePlaces(hidden: readonly string[], home: string, path: string): ReadablePlaces {
  const wanted = [...system, ...toolChains.map((name) => join(home, name)), ...path.split(':').filter(isAbsolute)]
  const folders: string[] = []
  const links: (readonly [string, string])[] = []
  for (const place of new Set(wanted)) {
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (!stats || place === '/' || isAbove(place, home) || hidden.some((one) => overlaps(place, one))) continue
    if (stats.isSymbolicLink()) links.push([place, targetOf(place)])
    else if (stats.isDirectory() && !folders.some((one) => isAbove(one, place))) folders.push(place)
  }
  return { folders, links: links.filter(([, target]) => target !== ''), ...findMaskedPlaces() }
}

function targetOf(link: string): string {
  try {
    return realpathSync.native(link)
  } catch {
    return ''
  }
}

function findMaskedPlaces(): Pick<ReadablePlaces, 'maskedFiles' | 'maskedFolders'> {
  const maskedFiles = ['/etc', '/etc/ssh', '/etc/security'].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => secretOfSystem.test(name))
      .map((name) => join(folder, name))
      .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isFile()),
  )
  return {
    maskedFiles,
    maskedFolders: secretFoldersOfSystem.filter((folder) => lstatSync(folder, { throwIfNoEntry: false })),
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function overlaps(one: string, other: string): boolean {
  return isAbove(one, other) || isAbove(other, one)
}

/** True also when both are the same folder. */
function isAbove(above: string, folder: string): boolean {
  const path = relative(above, folder)
  return path === '' || !(path.startsWith('..') || isAbsolute(path))
}
