import { lstatSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, normalize, relative } from 'node:path'
import { lookAt, namesIn } from '../system/look-at.ts'
import { credentialPlaces, realOf } from './credential-places.ts'
import { findToolChains } from './tool-chains.ts'

/** What a command may read on the machine, and what stays hidden inside it. Nothing else exists for the command. */
export interface ReadablePlaces {
  readonly folders: readonly string[]
  /** Pairs of a link and its target, such as `/bin` and `/usr/bin`. */
  readonly links: readonly (readonly [string, string])[]
  readonly maskedFiles: readonly string[]
  readonly maskedFolders: readonly string[]
  /** Where files with credentials may be, now or later, inside readable folders or not. */
  readonly credentials: readonly string[]
  /** Variables that lead to tool chains in these folders. */
  readonly variables: Readonly<Record<string, string>>
  /** Variables of folders that a command has of its own, with paths below its home. */
  readonly written: Readonly<Record<string, string>>
  readonly usesMaven: boolean
  /** Entries of PATH that commands do not have, each with the reason. */
  readonly skipped: readonly string[]
}

const linuxFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/gnu']
/** Of `/Library` and `/private/var` only what programs need, because both also hold keys and other people's files. */
export const macFolders = [
  ...['/usr', '/bin', '/sbin', '/System', '/etc', '/opt', '/nix', '/Applications/Xcode.app'],
  ...['Apple', 'Developer', 'Fonts', 'Frameworks', 'Java', 'Perl', 'Python', 'Ruby', 'TeX'].map(
    (name) => `/Library/${name}`,
  ),
  ...['/private/var/db/dyld', '/private/var/db/timezone', '/private/var/select'],
]
/** Files that only root may read. The app may run as root. */
const secretOfSystem = /^(g?shadow-?|master\.passwd|sudoers|opasswd|krb5\.keytab|.*\.pem|.*_key)$/
const secretFoldersOfSystem = [
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/wireguard',
  '/etc/NetworkManager',
  '/etc/docker',
]

/** Never bound: each sandbox has its own, or none. */
const neverShown = ['/proc', '/sys']

interface Surroundings {
  /** The app's own folders. A place that would show one of them is left out. */
  readonly hidden: readonly string[]
  readonly home: string
  /** The person's variables. */
  readonly environment?: NodeJS.ProcessEnv
}

interface PlacesInput extends Surroundings {
  /** As PATH has it. */
  readonly path: string
  /** Folders of the system. Those of Linux when absent. */
  readonly system?: readonly string[]
}

/** Tells the places that no command may read, such as a home, folders of the app and credentials. */
export function refusalOf({ hidden, home, environment = {} }: Surroundings): (place: string) => boolean {
  const credentials = credentialPlaces(home, environment)
  const homes = [home, realOf(home)]
  const isRefused = (place: string) =>
    place === '/' ||
    homes.some((one) => isAbove(place, one)) ||
    hidden.some((one) => overlaps(place, one)) ||
    neverShown.some((one) => overlaps(one, place)) ||
    credentials.some((one) => isAbove(one, place))
  return (place) => isRefused(place) || isRefused(realOf(place))
}

/** Throws for no entry of PATH. Where a place really is counts, and the way there as well. */
export function readablePlaces({
  hidden,
  home,
  path,
  environment = {},
  system = linuxFolders,
}: PlacesInput): ReadablePlaces {
  const tools = findToolChains(home, environment)
  const credentials = credentialPlaces(home, environment)
  const isRefused = refusalOf({ hidden, home, environment })
  const wanted = [...system, ...tools.folders, ...path.split(':').filter(isAbsolute)]
  const folders: string[] = []
  const linked: (readonly [string, string])[] = []
  for (const place of new Set(wanted.map(cleanPath))) {
    const seen = examine(place)
    if ('why' in seen || isRefused(place)) continue
    if (seen.target !== undefined) linked.push([place, seen.target])
    else if (!folders.some((one) => isAbove(one, place))) folders.push(place)
  }
  // A folder shows its own links.
  const links = linked.filter(([link]) => !folders.some((one) => isAbove(one, link)))
  const isReadable = (place: string) =>
    [...folders, ...links.map(([link]) => link)].some((one) => isAbove(one, cleanPath(place))) &&
    'isFolder' in examine(place)
  return {
    ...{ folders, links, ...findMaskedPlaces(), skipped: skippedIn(path, isRefused) },
    credentials,
    written: tools.written,
    usesMaven: tools.usesMaven,
    variables: Object.fromEntries(Object.entries(tools.variables).filter(([, place]) => isReadable(place))),
  }
}

function cleanPath(place: string): string {
  return normalize(place).replace(/(?<=.)\/+$/, '')
}

/** Paths inside readable folders at which there are credentials now, whatever links lead there. */
export function maskedCredentials({ folders, credentials }: Pick<ReadablePlaces, 'folders' | 'credentials'>): {
  readonly files: readonly string[]
  readonly folders: readonly string[]
} {
  const shown = folders.map((folder) => ({ folder, real: realOf(folder) }))
  const present = [...new Set(credentials.filter((place) => lookAt(place)).map(realOf))]
  const found = present.flatMap((place) => {
    const isFolder = lookAt(place)?.isDirectory() ?? false
    const inside = shown.filter(({ real }) => isAbove(real, place))
    return inside.map(({ folder, real }) => ({ place: join(folder, relative(real, place)), isFolder }))
  })
  return {
    files: found.filter(({ isFolder }) => !isFolder).map(({ place }) => place),
    folders: found.filter(({ isFolder }) => isFolder).map(({ place }) => place),
  }
}

/**
 * The places for a command in a project, whose files it sees only in its view, and the paths inside them that would show
 * the real project. The view covers the project's own path.
 */
export function placesAround(
  projectFolders: readonly string[],
  places: ReadablePlaces,
): { readonly around: ReadablePlaces; readonly waysIn: readonly string[] } {
  const seen = places.folders.map((folder) => ({ folder, real: realOf(folder) }))
  const outside = seen.filter(({ real }) => !projectFolders.some((one) => isAbove(one, real)))
  return {
    around: { ...places, folders: outside.map(({ folder }) => folder) },
    waysIn: projectFolders.flatMap((one) =>
      outside
        .filter(({ folder, real }) => real !== folder && isAbove(real, one))
        .map(({ folder, real }) => join(folder, relative(real, one))),
    ),
  }
}

/** `target` is set for a link to a folder. */
type Examined = { readonly isFolder: true; readonly target?: string } | { readonly why: string }

function examine(place: string): Examined {
  try {
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (!stats) return { why: 'is missing' }
    const target = stats.isSymbolicLink() ? realpathSync.native(place) : undefined
    if (!statSync(place).isDirectory()) return { why: 'is not a folder' }
    return { isFolder: true, ...(target !== undefined && { target }) }
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

const refused = 'would show your home, known credentials, the system’s own state or a folder of the app'

function skippedIn(path: string, isRefused: (place: string) => boolean): readonly string[] {
  return [...new Set(path.split(':'))].flatMap((place) => {
    const found = isAbsolute(place) ? examine(place) : { why: 'is not an absolute path' }
    const seen = 'why' in found || !isRefused(cleanPath(place)) ? found : { why: refused }
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
export function isAbove(above: string, folder: string): boolean {
  const path = relative(above, folder)
  return path === '' || !(path.startsWith('..') || isAbsolute(path))
}
