import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BranchMount, type MountPlace, placeVariable } from '#core/ports/branch-mounts.ts'
import type { SandboxState } from '#core/ports/shell.ts'
import { keepProxies, openProxyPass, proxyPort } from './host-proxy.ts'
import { type ReadablePlaces, readablePlaces } from './readable-places.ts'
import { seccompFilter } from './seccomp-filter.ts'

/** Path of the proxy's socket inside the sandbox. */
const proxyPlace = '/run/coppice-proxy.sock'

const run = promisify(execFile)

/** A command line that can reach only its mount, and what it was kept from. */
export interface Confined extends Disposable {
  readonly program: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** A file that the command line needs open under this descriptor. */
  readonly filter: { readonly descriptor: number; readonly file: string } | null
  refusedHosts(): readonly string[]
}

type ConfinedMount = Pick<BranchMount, 'folder' | 'home' | 'temporary' | 'places'>

export interface ConfineRequest {
  readonly mount: ConfinedMount
  readonly rootFolder: string | null
  /** Hosts that a person granted to the command. */
  readonly hosts: readonly string[]
}

export interface Sandbox extends AsyncDisposable {
  readonly state: SandboxState
  confine(program: readonly string[], request: ConfineRequest): Promise<Confined>
}

const filterDescriptor = 3

/** Finds out which confinement works by trying it. `hidden`: the app's own folders, which no command may read. */
export async function openSandbox(hidden: readonly string[], home: string = homedir()): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-sandbox-'))
  const places = readablePlaces([...hidden, folder], home, process.env.PATH ?? '')
  const filter = seccompFilter()
  const filterFile = join(folder, 'seccomp')
  if (filter) await writeFile(filterFile, filter)
  const [{ state, withoutNetwork }, hasSocat] = await Promise.all([probe(folder, places), works(['socat', '-V'])])
  const proxies = keepProxies()
  const canGrant = state.state === 'on' && hasSocat
  return {
    state: canGrant || state.state !== 'on' ? state : { ...state, reason: `${state.reason} ${noSocat}` },
    async confine(program, { mount, rootFolder, hosts }) {
      if (state.state === 'off') return withoutSandbox(program, mount)
      const pass = canGrant ? await openProxyPass(hosts).catch(offUnlessGranted(hosts)) : null
      const options = {
        ...{ places, rootFolder, withoutNetwork, proxySocket: pass?.socket ?? null },
        filterDescriptor: filter ? filterDescriptor : null,
      }
      const inner = pass ? ['bash', '--norc', '-c', withProxy, 'bash', ...program] : program
      return {
        program: ['bwrap', ...bubblewrapArguments(mount, options), ...inner],
        environment: {
          ...pass?.environment,
          ...placeVariables(mount.places, (place) => pathInside(place, mount, options)),
        },
        filter: filter && { descriptor: filterDescriptor, file: filterFile },
        refusedHosts: () => pass?.refused() ?? [],
        [Symbol.dispose]: () => pass?.[Symbol.dispose](),
      }
    },
    async [Symbol.asyncDispose]() {
      await proxies[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Without its proxy a command has no network, which is the normal case. Throws when hosts were granted. */
function offUnlessGranted(hosts: readonly string[]) {
  return (error: unknown): null => {
    if (hosts.length > 0) throw error
    return null
  }
}

/** Runs commands unconfined. Each of them asks. */
export function noSandbox(reason: string): Sandbox {
  return {
    state: { state: 'off', reason },
    confine: async (program, { mount }) => withoutSandbox(program, mount),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

function withoutSandbox(program: readonly string[], { places }: ConfinedMount): Confined {
  const environment = placeVariables(places, ({ folder }) => folder)
  return { program, environment, filter: null, refusedHosts: () => [], [Symbol.dispose]: () => undefined }
}

function placeVariables(places: readonly MountPlace[], pathOf: (place: MountPlace) => string) {
  return Object.fromEntries(places.map((place) => [placeVariable(place.name), pathOf(place)]))
}

/** Folders that every sandbox has for itself. */
const ownFolders = ['/proc', '/dev', '/tmp', '/var/tmp']

/** The path of the file tools, unless something of the machine has it. Then the place stays where it is. */
function pathInside(
  { path, folder }: MountPlace,
  mount: ConfinedMount,
  { places, rootFolder }: Pick<BubblewrapOptions, 'places' | 'rootFolder'>,
): string {
  const taken = [...places.folders, ...places.links.map(([link]) => link), rootFolder ?? '', mount.folder, mount.home]
  const isTaken = [...taken, ...ownFolders].some(
    (one) => `${one}/`.startsWith(`${path}/`) || (one !== '' && path.startsWith(`${one}/`)),
  )
  return isTaken ? folder : path
}

/** Connects the proxy's port inside with its socket outside, and waits until it can be reached. */
const withProxy = `socat TCP-LISTEN:${proxyPort},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${proxyPlace} > /dev/null 2>&1 &
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  if (: < /dev/tcp/127.0.0.1/${proxyPort}) 2> /dev/null; then break; fi; read -t 0.01 _ < <(:) || :
done
exec "$@"`

const noSocat = 'Hosts cannot be granted, since socat is not installed: the network stays off.'
const onReason =
  'bubblewrap: commands can write to their view alone, read system and tool chains, and reach only hosts you grant.'

interface Probed {
  readonly state: SandboxState
  readonly withoutNetwork: boolean
}

async function probe(folder: string, places: ReadablePlaces): Promise<Probed> {
  if (process.platform !== 'linux') return off(`There is no sandbox for commands on ${process.platform} yet.`)
  const tried = async (withoutNetwork: boolean) => {
    const mount = { folder, home: folder, temporary: folder, places: [] }
    const options = { places, rootFolder: null, withoutNetwork, proxySocket: null, filterDescriptor: null }
    return works([...nested, 'bwrap', ...bubblewrapArguments(mount, options), 'bash', '-c', ': > probe'])
  }
  if (await tried(true)) return { state: { state: 'on', reason: onReason }, withoutNetwork: true }
  if (await tried(false)) {
    const reason = 'bubblewrap keeps files apart, but this system does not let it cut off the network.'
    return { state: { state: 'partial', reason }, withoutNetwork: false }
  }
  if (!(await works(['bwrap', '--version'])))
    return off('bubblewrap is not installed (on Debian: apt install bubblewrap socat).')
  return off(
    'bubblewrap cannot make namespaces here (user namespaces are switched off, as by kernel.apparmor_restrict_unprivileged_userns, or this is a container without them).',
  )
}

/** The way mounts start programs. If that works, the sandbox must work inside it. */
const nested = ['unshare', '--user', '--map-root-user', '--mount', '--pid', '--fork', '--mount-proc', '--']

function off(why: string): Probed {
  return { state: { state: 'off', reason: `${why} Every command asks.` }, withoutNetwork: false }
}

async function works([file = '', ...parameters]: readonly string[]): Promise<boolean> {
  return run(file, parameters, { timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}

export interface BubblewrapOptions {
  readonly places: ReadablePlaces
  /** The project's real folder. Its path leads to the mount. */
  readonly rootFolder: string | null
  /** True when the system can cut the network off. */
  readonly withoutNetwork: boolean
  /** Socket of the proxy that passes the granted hosts. */
  readonly proxySocket: string | null
  /** Descriptor of an open file with a seccomp filter. */
  readonly filterDescriptor: number | null
}

/**
 * Arguments for bubblewrap: an empty file system with the readable places, and the mount at its own path and at the
 * project's path. Processes, network and hostname are separate, and the command has no rights and no way to new ones.
 *
 * Later arguments cover earlier ones.
 */
function bubblewrapArguments(mount: ConfinedMount, options: BubblewrapOptions): readonly string[] {
  const { folder, home, temporary } = mount
  const { places, rootFolder, proxySocket, filterDescriptor } = options
  return [
    ...[
      '--unshare-user',
      '--disable-userns',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-cgroup-try',
    ],
    ...(options.withoutNetwork ? ['--unshare-net'] : []),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--proc', '/proc', '--dev', '/dev', '--bind', temporary, '/tmp', '--bind', temporary, '/var/tmp'],
    ...places.folders.flatMap((place) => ['--ro-bind', place, place]),
    ...places.links.flatMap(([link, target]) => ['--symlink', target, link]),
    ...places.maskedFiles.flatMap((file) => ['--ro-bind', '/dev/null', file]),
    ...places.maskedFolders.flatMap((place) => ['--tmpfs', place]),
    ...mount.places.flatMap((place) => [
      place.writable ? '--bind' : '--ro-bind',
      ...[place.folder, pathInside(place, mount, options)],
    ]),
    ...(rootFolder === null ? [] : ['--bind', folder, rootFolder]),
    ...[folder, home, temporary].flatMap((place) => ['--bind', place, place]),
    ...(proxySocket === null ? [] : ['--bind', proxySocket, proxyPlace]),
    ...(filterDescriptor === null ? [] : ['--seccomp', String(filterDescriptor)]),
    ...['--chdir', folder, '--'],
  ]
}
