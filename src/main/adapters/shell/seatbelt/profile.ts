import { dirname } from 'node:path'

/** What a command may do on macOS. All paths are absolute and real, because the system judges where a path leads. */
export interface SeatbeltRules {
  /** Folders to read: the system and tool chains. */
  readonly readable: readonly string[]
  /** Links that lead to such folders. */
  readonly links: readonly string[]
  /** Files and folders inside them that nobody may see: credentials, and the real project. */
  readonly hidden: readonly string[]
  /** Folders and files to read that no hidden folder covers, such as those the app gives to one command. */
  readonly given: readonly string[]
  /** The view, its home and its folder for throw-away files. */
  readonly writable: readonly string[]
  /** The places beside the project, in the order in which they cover each other. */
  readonly places: readonly { readonly folder: string; readonly writable: boolean }[]
  /** Port of the proxy on the machine's loopback. Null for no network. */
  readonly proxyPort: number | null
  /** True for a command with granted hosts, whose programs may ask the system to judge certificates. */
  readonly judgesCertificates: boolean
  /** Ports of the machine's loopback that a person granted, in both directions. `*` stands for all. */
  readonly loopback: readonly (number | '*')[]
  /** Ports of the machine's loopback to which a command may connect. */
  readonly localPorts: readonly number[]
  /** Sockets of the machine to which a command may connect. */
  readonly sockets: readonly string[]
}

/**
 * A profile in the language of `sandbox-exec`. Of several rules that match, the last one decides, so the order below is
 * that of the mounts on Linux: the system, what is hidden in it, what the command gets for itself.
 *
 * Programs get the services that find users and write logs. The keychain, the clipboard,
 * preferences, other programs' windows and the opening of apps are not among them.
 */
export function writeProfile(rules: SeatbeltRules): string {
  const open = rules.places.filter((place) => place.writable).map(({ folder }) => folder)
  const seen = [...rules.readable, ...rules.given, ...rules.writable, ...rules.places.map(({ folder }) => folder)]
  return [
    '(version 1)',
    '(deny default)',
    ...processes,
    allow('sysctl-read', [...names('sysctl-name', sysctls), ...names('sysctl-name-prefix', sysctlFamilies)]),
    allow('mach-lookup', names('global-name', rules.judgesCertificates ? [...services, certificateService] : services)),
    allow('file-read*', [literal('/'), ...rules.links.map(literal), ...readableFiles.map(literal)]),
    allow('file-read-metadata', [...new Set([...seen, ...rules.links].flatMap(foldersAbove))].sort().map(literal)),
    allow(use, rules.readable.map(subpath)),
    // The whole disk once more, under another name.
    deny(`${use} file-write*`, [otherNameOfDisk, ...rules.hidden].map(subpath)),
    allow(use, rules.given.map(subpath)),
    allow(`${use} file-write*`, rules.writable.map(subpath)),
    ...rules.places.flatMap(({ folder, writable }) => [
      allow(writable ? `${use} file-write*` : use, [subpath(folder)]),
      ...(writable ? [] : [deny('file-write*', [subpath(folder)])]),
    ]),
    deny('file-write-setugid', [subpath('/')]),
    allow('file-read* file-write-data file-ioctl', [...devices.map(literal), subpath(openFiles)]),
    allow('system-socket', ['(socket-domain AF_UNIX)']),
    ...socketsIn([...rules.writable, ...open]),
    ...(rules.proxyPort === null ? [] : [allow('network-outbound', [remote(rules.proxyPort)])]),
    ...rules.loopback.flatMap((port) => [
      allow('network-bind network-inbound', [`(local ip "localhost:${port}")`]),
      allow('network-outbound', [remote(port)]),
    ]),
    allow('network-outbound', rules.localPorts.map(remote)),
    allow(
      'network-outbound',
      rules.sockets.map((path) => `(remote unix-socket ${literal(path)})`),
    ),
    '',
  ]
    .filter((line, at, all) => line !== '' || at === all.length - 1)
    .join('\n')
}

/** To read a file, to load it as a library, and to start it. */
const use = 'file-read* file-map-executable process-exec*'

/** Every process that the command starts has the same sandbox. It sees and signals only these. */
const processes = [
  '(allow process-fork)',
  '(allow process-info* (target same-sandbox))',
  '(allow signal (target same-sandbox))',
  '(allow mach-priv-task-port (target same-sandbox))',
  '(allow ipc-posix-sem)',
  '(allow ipc-posix-shm-read* (ipc-posix-name "apple.shm.notification_center"))',
  '(allow iokit-get-properties)',
]

const services = [
  'com.apple.bsd.dirhelper',
  'com.apple.logd',
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
]
/** It may ask the network itself, so a command without granted hosts does not have it. */
const certificateService = 'com.apple.trustd.agent'

/** The names of other processes and their arguments are not here. */
const sysctls = [
  ...[
    'kern.argmax',
    'kern.boottime',
    'kern.hostname',
    'kern.maxfiles',
    'kern.maxfilesperproc',
    'kern.maxproc',
    'kern.ngroups',
  ],
  ...['kern.osproductversion', 'kern.osrelease', 'kern.ostype', 'kern.osvariant_status', 'kern.osversion'],
  ...['kern.secure_kernel', 'kern.tcsm_available', 'kern.tcsm_enable', 'kern.usrstack64', 'kern.version'],
  ...['security.mac.lockdown_mode_state', 'sysctl.proc_cputype', 'vm.loadavg', 'machdep.ptrauth_enabled'],
]
const sysctlFamilies = ['hw.', 'machdep.cpu.']

const readableFiles = ['/Library/Preferences/com.apple.dt.Xcode.plist', '/private/var/db/xcode_select_link']

const devices = ['null', 'zero', 'random', 'urandom', 'dtracehelper', 'stdin', 'stdout', 'stderr'].map(
  (name) => `/dev/${name}`,
)
/** What a process has open already, by number. */
const openFiles = '/dev/fd'

const otherNameOfDisk = '/System/Volumes/Data'

/** Sockets that are files of the command's own folders. */
function socketsIn(folders: readonly string[]): readonly string[] {
  if (folders.length === 0) return []
  const local = folders.map((folder) => `(local unix-socket ${subpath(folder)})`)
  const outside = folders.map((folder) => `(remote unix-socket ${subpath(folder)})`)
  return [allow('network-bind network-inbound', local), allow('network-outbound', outside)]
}

/** An empty line for no filters, because a rule without one holds for everything. */
function allow(operations: string, filters: readonly string[]): string {
  return filters.length === 0 ? '' : `(allow ${operations} ${filters.join(' ')})`
}

function deny(operations: string, filters: readonly string[]): string {
  return allow(operations, filters).replace('(allow', '(deny')
}

const literal = (path: string) => `(literal ${JSON.stringify(path)})`
const subpath = (path: string) => `(subpath ${JSON.stringify(path)})`
const remote = (port: number | '*') => `(remote ip "localhost:${port}")`

function names(filter: string, list: readonly string[]): readonly string[] {
  return list.map((name) => `(${filter} ${JSON.stringify(name)})`)
}

/** Programs look at every folder on the way to a file. */
function foldersAbove(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [] : [above, ...foldersAbove(above)]
}
