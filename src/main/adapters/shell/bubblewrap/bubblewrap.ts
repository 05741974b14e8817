import { dirname } from 'node:path'
import type { MountPlace, OtherView, ShownFolder } from '#core/ports/branch-mounts.ts'
import { talkVariable } from '#core/ports/shell.ts'
import type { CommandUser } from '../../system/command-user.ts'
import { shownUser } from '../../system/namespaces.ts'
import { afterSteps, type Step } from '../../system/steps.ts'
import { systemProgram } from '../../system/system-programs.ts'
import type { LocalPort, LocalSocket } from '../grants/local-relays.ts'
import type { maskedCredentials, ReadablePlaces } from '../readable-places.ts'
import { type ConfinedMount, otherVariables, placeVariables } from '../sandbox.ts'
import type { KernelPlaces } from './kernel-places.ts'

/** Path of the proxy's socket inside the sandbox. */
export const proxyPlace = '/run/coppice-proxy.sock'

/** Path inside the sandbox of the socket that leads to a port of the machine's loopback. */
export const portPlace = (port: number) => `/run/coppice-port-${port}.sock`

/** Path inside the sandbox of the files that the app gives to one command. */
export const givenPlace = '/run/coppice'

/**
 * Path of the home inside the sandbox, the same for every branch: programs write it into what they install, and forks
 * find that again.
 */
export const homePlace = '/run/coppice-home'

export interface BubblewrapOptions {
  readonly user: CommandUser
  readonly places: ReadablePlaces
  readonly kernel: KernelPlaces
  /** Credentials inside the readable places. */
  readonly masked: ReturnType<typeof maskedCredentials>
  /** The project's real folder. Its path leads to the mount. */
  readonly rootFolder: string | null
  /** True when the system can cut the network off. */
  readonly withoutNetwork: boolean
  /** False when the system refuses a `/proc` of the command's own. Then it sees the names of other processes. */
  readonly ownProcesses: boolean
  /** Socket of the proxy that passes the granted hosts. */
  readonly proxySocket: string | null
  /** Sockets that lead to granted ports of the machine's loopback. Absent for none. */
  readonly ports?: readonly LocalPort[]
  /** Sockets of the machine that the program may reach, each with its relay. Absent for none. */
  readonly sockets?: readonly LocalSocket[]
  /** The socket by which the program may talk with the app. Null or absent for none. */
  readonly talk?: LocalSocket | null
  /** Absolute paths of the person that the program may change, with where it finds them in its home. Absent for none. */
  readonly homePaths?: readonly { readonly real: string; readonly below: string }[]
  /** A folder of files for this command alone, which it may read. */
  readonly given: string | null
  /** The most that its memory file system may hold. */
  readonly memoryBytes: number
  /** Path of bubblewrap. The one of this system when absent. */
  readonly bubblewrap?: string
  /** Path of `coppice-enter` where bubblewrap runs. Null where there is none; then programs cannot rename folders of the project. */
  readonly enter: string | null
  /** Descriptor of an open file with a seccomp filter. */
  readonly filterDescriptor: number | null
}

/** Path inside the sandbox of the program that takes the last steps. */
const enterPlace = '/run/coppice-enter'

/** A command line that runs a program in an empty file system, in the namespaces that a mount enters for `user`. */
export function inBubblewrap(
  program: readonly string[],
  mount: ConfinedMount,
  options: BubblewrapOptions,
): readonly string[] {
  const { outside, rights, inside } = usersOf(options.user)
  const last = options.enter === null ? program : afterSteps([...inside, ['answer-renames']], program, enterPlace)
  return afterSteps(outside, [
    options.bubblewrap ?? systemProgram('bwrap'),
    ...rights,
    ...fileSystem(mount, options),
    ...last,
  ])
}

/** What only the last step needs, which makes root the other user and drops all of it. */
const rightsToChangeUser = ['SETUID', 'SETGID', 'SETPCAP', 'DAC_OVERRIDE'].flatMap((name) => [
  '--cap-add',
  `CAP_${name}`,
])

/**
 * How the program gets its user and loses every right. Usually bubblewrap does that with a namespace of users. For
 * another user the mount has made one in which both exist; bubblewrap could not look for its folders as that user.
 */
function usersOf({ kind }: CommandUser): {
  readonly outside: readonly Step[]
  readonly rights: readonly string[]
  readonly inside: readonly Step[]
} {
  if (kind === 'other')
    return {
      outside: [['write', '/proc/sys/user/max_user_namespaces', '0']],
      rights: ['--cap-drop', 'ALL', ...rightsToChangeUser],
      inside: [['become', `${shownUser}`]],
    }
  const user = String(shownUser)
  const number = kind === 'root' ? ['--uid', user, '--gid', user] : []
  return { outside: [], rights: ['--unshare-user', '--disable-userns', ...number, '--cap-drop', 'ALL'], inside: [] }
}

/**
 * The readable places, and the mount at its own path and at the project's path, where the program starts. Later arguments
 * cover earlier ones.
 */
function fileSystem(mount: ConfinedMount, options: BubblewrapOptions): readonly string[] {
  const { folder, home, temporary } = mount
  const { places, rootFolder, masked, given, proxySocket, filterDescriptor } = options
  return [
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(options.withoutNetwork ? ['--unshare-net'] : []),
    ...['--die-with-parent', '--new-session'],
    ...(options.ownProcesses ? ['--proc', '/proc'] : ['--ro-bind', '/proc', '/proc']),
    ...coverKernel(options.kernel),
    ...['--dev', '/dev', '--perms', '1777', '--size', String(options.memoryBytes), '--tmpfs', '/dev/shm'],
    // Or bubblewrap would let only its own user into `/var`, see `foldersAbove`.
    ...['--perms', '0755', '--dir', '/var', '--bind', temporary, '/tmp', '--bind', temporary, '/var/tmp'],
    ...foldersAbove(mount, options).flatMap((above) => ['--perms', '0755', '--dir', above]),
    ...[...places.folders, ...(mount.readable ?? [])].flatMap((place) => ['--ro-bind', place, place]),
    ...places.links.flatMap(([link, target]) => ['--symlink', target, link]),
    ...(mount.folders ?? []).flatMap((one) => showFolder(one, mount, options)),
    ...[...places.maskedFiles, ...masked.files].flatMap((file) => ['--ro-bind', '/dev/null', file]),
    ...[...places.maskedFolders, ...masked.folders].flatMap((place) => ['--tmpfs', place]),
    ...mount.places.flatMap((place) => [
      place.writable ? '--bind' : '--ro-bind',
      ...[place.folder, pathInside(place, mount, options)],
    ]),
    ...(rootFolder === null ? [] : ['--bind', folder, rootFolder]),
    ...(mount.others ?? []).flatMap((one) => {
      const inside = otherInside(one)
      return ['--bind', one.folder, inside.folder, '--bind', one.folder, one.folder, '--bind', one.home, inside.home]
    }),
    ...[folder, temporary].flatMap((place) => ['--bind', place, place]),
    ...['--bind', home, homePlace],
    ...(options.homePaths ?? []).flatMap(({ real, below }) => ['--bind-try', real, `${homePlace}/${below}`]),
    ...(given === null ? [] : ['--ro-bind', given, givenPlace]),
    ...(options.enter === null ? [] : ['--ro-bind', options.enter, enterPlace]),
    ...(proxySocket === null ? [] : ['--bind', proxySocket, proxyPlace]),
    ...(options.ports ?? []).flatMap(({ port, socket }) => ['--bind', socket, portPlace(port)]),
    ...[...(options.sockets ?? []), ...(options.talk ? [options.talk] : [])].flatMap(({ path, socket }) => [
      '--bind',
      socket,
      path,
    ]),
    ...(filterDescriptor === null ? [] : ['--seccomp', String(filterDescriptor)]),
    // Their memory would belong to no process.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', rootFolder ?? folder, '--'],
  ]
}

/** Where a command finds the view of another folder of the project: at the path of that folder. */
function otherInside({ real, folder, name }: OtherView): Pick<OtherView, 'folder' | 'home'> {
  return { folder: real ?? folder, home: `${homePlace}-${name}` }
}

/** A folder of the person under its own path and that of the file tools, without what is hidden in it. */
function showFolder(one: ShownFolder, mount: ConfinedMount, options: BubblewrapOptions): readonly string[] {
  return [...new Set([one.folder, pathInside(one, mount, options)])].flatMap((place) => [
    ...['--ro-bind', one.folder, place],
    ...one.hidden.flatMap((file) => ['--ro-bind', '/dev/null', `${place}${file}`]),
  ])
}

/** bubblewrap lets only its own user into the folders that it makes above a place, and the command may be another. */
function foldersAbove(mount: ConfinedMount, options: BubblewrapOptions): readonly string[] {
  const { places, rootFolder } = options
  const folders = mount.folders ?? []
  const inside = [...mount.places, ...folders].map((place) => pathInside(place, mount, options))
  const links = places.links.map(([link]) => link)
  const own = [
    mount.folder,
    homePlace,
    mount.temporary,
    proxyPlace,
    givenPlace,
    enterPlace,
    ...(options.sockets ?? []).map(({ path }) => path),
    ...(rootFolder === null ? [] : [rootFolder]),
    ...folders.map(({ folder }) => folder),
    ...(mount.others ?? []).flatMap((one) => [one.folder, ...Object.values(otherInside(one))]),
  ]
  return [
    ...new Set([...places.folders, ...(mount.readable ?? []), ...links, ...inside, ...own].flatMap(ancestorsOf)),
  ].sort()
}

function ancestorsOf(place: string): readonly string[] {
  const above = dirname(place)
  return above === '/' || above === '.' ? [] : [above, ...ancestorsOf(above)]
}

/** `-try`: a place may vanish between the look and the command. */
function coverKernel({ readOnly, hiddenFiles, hiddenFolders }: KernelPlaces): readonly string[] {
  return [
    ...readOnly.flatMap((place) => ['--ro-bind-try', place, place]),
    ...hiddenFiles.flatMap((place) => ['--ro-bind-try', '/dev/null', place]),
    ...hiddenFolders.flatMap((place) => ['--tmpfs', place, '--remount-ro', place]),
  ]
}

/** The variables that name the user, the home, the folder for throw-away files and the places, as they are inside. */
export function variablesInside(mount: ConfinedMount, options: BubblewrapOptions) {
  const isNobody = options.user.kind === 'other' || options.user.kind === 'root'
  return {
    ...(isNobody && { USER: 'nobody', LOGNAME: 'nobody' }),
    HOME: homePlace,
    TMPDIR: '/tmp',
    ...(options.talk && { [talkVariable]: `${enterPlace} talk ${options.talk.path}` }),
    ...otherVariables(mount, otherInside),
    ...placeVariables([...mount.places, ...(mount.folders ?? [])], (place) => pathInside(place, mount, options)),
  }
}

/** Folders that every sandbox has for itself. */
const ownFolders = ['/proc', '/dev', '/tmp', '/var/tmp']

/** The path of the file tools, unless something of the machine has it. Then the place stays where it is. */
function pathInside(
  { path, folder }: Pick<MountPlace, 'path' | 'folder'>,
  mount: ConfinedMount,
  { places, rootFolder }: Pick<BubblewrapOptions, 'places' | 'rootFolder'>,
): string {
  const taken = [...places.folders, ...places.links.map(([link]) => link), rootFolder ?? '', mount.folder, homePlace]
  const isTaken = [...taken, ...ownFolders].some(
    (one) => `${one}/`.startsWith(`${path}/`) || (one !== '' && path.startsWith(`${one}/`)),
  )
  return isTaken ? folder : path
}
