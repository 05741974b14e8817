import { lstatSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, normalize, relative } from 'node:path'
import { lookAt, namesIn } from '../system/look-at.ts'

/** What a command may read on the machine, and what stays hidden inside it. Nothing else exists for the command. */
export interface ReadablePlaces {
  readonly folders: readonly string[]
  /** Pairs of a link and its target, such as `/bin` and `/usr/bin`. */
  readonly links: readonly (readonly [string, string])[]
  readonly maskedFiles: readonly string[]
  readonly maskedFolders: readonly string[]
  /** Entries of PATH that commands do not have, each with the reason. */
  readonly skipped: readonly string[]
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

/** Never bound: each sandbox has its own, or none. */
const neverShown = ['/proc', '/sys']

/** `hidden` are the app's own folders. A place that would show one of them is left out. Throws for no entry of PATH. */
export function readablePlaces(hidden: readonly string[], home: string, path: string): ReadablePlaces {
  const wanted = [...system, ...toolChains.map((name) => join(home, name)), ...path.split(':').filter(isAbsolute)]
  const folders: string[] = []
  const links: (readonly [string, string])[] = []
  for (const place of new Set(wanted.map((one) => normalize(one).replace(/(?<=.)\/+$/, '')))) {
    const seen = examine(place)
    if ('why' in seen || place === '/' || isAbove(place, home) || hidden.some((one) => overlaps(place, one))) continue
    if (neverShown.some((one) => overlaps(one, place) || overlaps(one, seen.target ?? place))) continue
    if (seen.target !== undefined) links.push([place, seen.target])
    else if (!folders.some((one) => isAbove(one, place))) folders.push(place)
  }
  return { folders, links, ...findMaskedPlaces(), skipped: skippedIn(path) }
}

/** `target` is set for a link to a folder. */
type Examined = { readonly target?: string } | { readonly why: string }

function examine(place: string): Examined {
  try {
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (!stats) return { why: 'is missing' }
    const target = stats.isSymbolicLink() ? realpathSync.native(place) : undefined
    if (!statSync(place).isDirectory()) return { why: 'is not a folder' }
    return target === undefined ? {} : { target }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return { why: reasons[code] ?? `cannot be looked at: ${code}` }
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'cannot be looked at by this user',
  ELOOP: 'is a link that leads to itself',
  ENOENT: 'is a link to nothing',
  ENOTDIR: 'lies below a file',
  ENAMETOOLONG: 'has a name that is too long',
}

function skippedIn(path: string): readonly string[] {
  return [...new Set(path.split(':'))].flatMap((place) => {
    const seen = isAbsolute(place) ? examine(place) : { why: 'is not an absolute path' }
    return 'why' in seen && path !== '' ? [`${JSON.stringify(place)} ${seen.why}`] : []
  })
}

function findMaskedPlaces(): Pick<ReadablePlaces, 'maskedFiles' | 'maskedFolders'> {
  const maskedFiles = ['/etc', '/etc/ssh', '/etc/security'].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => secretOfSystem.test(name))
      .map((name) => join(folder, name))
      .filter((file) => lookAt(file)?.isFile()),
  )
  return {
    maskedFiles,
    maskedFolders: secretFoldersOfSystem.filter((folder) => lookAt(folder)?.isDirectory()),
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
