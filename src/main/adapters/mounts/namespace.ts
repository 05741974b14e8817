import { spawn } from 'node:child_process'
import { release } from 'node:os'
import { dirname, relative } from 'node:path'
import type { CommandUser } from '../system/command-user.ts'
import { asOwnUser, endsNamespaces, inNamespacesOf } from '../system/namespaces.ts'

/** How many processes a mount may have at once, on systems that can limit it. Commands have a limit of their own below it. */
const mostProcesses = 32_768

/**
 * Turns off what would tie a layer to the project's state at mount time, because the project changes between mounts.
 */
const mountOptions = 'userxattr,index=off,metacopy=off,redirect_dir=nofollow,xino=off'

const limitProcesses = pidsPerNamespace(release())
  ? `echo ${mostProcesses} > /proc/sys/kernel/pid_max; `
  : `ulimit -u ${mostProcesses} 2>/dev/null || :; `

/**
 * Layers have short relative names in `stack`, so that no project name needs quoting and as many of them as the kernel
 * stacks fit into a page, which is all that it reads. The old call of the kernel is asked for, because the new one takes
 * only 256 characters.
 *
 * One program makes all mounts, because starting it for each takes longer than mounting. If one of them fails,
 * the rest are made in three steps, of which only the one for caches may fail. The list of mounts is a file, because that
 * program reads no pipe. Each kind of user has a list of its own, because none may write to another's.
 */
const enterScript = `set -e; cd "$1"; table=table-$2 uncovered=($3) needed=$4 caches=$5 covers=$6; shift 6
export LIBMOUNT_FORCE_MOUNT2=always; cd stack
all() { printf %s "$1" > "$table"; mount -a -T "$table"; }
if ! all "$needed$caches$covers" 2>/dev/null; then
  all "$needed"; if [ -n "$caches" ]; then all "$caches" 2>/dev/null || :; fi; if [ -n "$covers" ]; then all "$covers"; fi
fi
cd ..; unset LIBMOUNT_FORCE_MOUNT2; if [ \${#uncovered} -gt 0 ]; then umount -l "\${uncovered[@]}"; fi
while [ "$1" != -- ]; do mount --bind -o ro,nosuid,nodev,noexec -- "$1" "$1" 2>/dev/null || :; shift; done; shift
cd files; ${limitProcesses}set +e; PATH=$callers
"$@"`

/** The same for a copy: only the owners differ, since nothing is mounted. */
const copyScript = `cd "$1" && shift && PATH=$callers && "$@"`

/**
 * Makes the paths in `remove` whiteouts and those in `folders` opaque folders of `branch`, whatever the project holds
 * there. Its work folder is its own: what a mount of another user leaves in one, such as the whiteout of a deletion,
 * cannot be removed here, and the kernel then mounts read-only.
 */
const maskScript = `set -e; cd "$1"
mount -t overlay overlay -o "lowerdir=mask,upperdir=branch,workdir=mask-work,${mountOptions}" files
cd files; xargs -0 -r -a ../remove rm -rf --; xargs -0 -r -a ../folders mkdir -p --`

export interface Layers {
  /**
   * Contains the folders of the mount: `base`, `layers`, `stack`, `branch`, `upper`, `work`, `files`, and those of the
   * home.
   */
  readonly folder: string
  readonly rootFolder: string | null
  /** Copies of files of the project whose owners no namespace knows, beside the folder of the mount. Absent for none. */
  readonly ownedFolder?: string | null
  /** Holds the layers of the environment. */
  readonly layersFolder: string
  /** How many links to folders of layers `stack` has. The first one is on top. */
  readonly stacked: StackedCounts
  /** Folders of the person inside the home. One that cannot be mounted is left out. */
  readonly caches?: readonly StackedCache[]
  /**
   * True to only look at what programs of another mount wrote so far. A folder that is the upper one of two mounts at once
   * has no defined content, and mounting it empties the work folder that the other mount uses. So it is the topmost of
   * the lower folders here, nothing of the home is mounted, and nothing can be written.
   */
  readonly frozen?: boolean
  /** Folders outside the layers that programs may only read, by their absolute paths. */
  readonly sealed?: readonly string[]
}

/** Links of `stack`: `f1`, `f2` and so on for the project's files, `h1` and so on for the home. */
export interface StackedCounts {
  readonly files: number
  readonly home: number
}

/** A cache that can be mounted. Its number names its folders. */
export interface StackedCache {
  /** Absolute path of the person's folder. */
  readonly from: string
  /** Where commands have it, below their home. */
  readonly path: string
  readonly number: number
  /** Links of `stack` to what layers hold of it, the newest first. */
  readonly links: readonly string[]
}

/** The link of `stack` to the person's own folder. Another user gets that folder in `caches` instead. */
export function personsLink(number: number): string {
  return `c${number}`
}

/** Who a program in a mount is. `setup` is uid 0 of the mount's namespace, `person` whoever runs the app. */
export type MountUser = CommandUser | { readonly kind: 'setup' } | { readonly kind: 'person' }

export function enterLayers(layers: Layers, program: readonly string[], user: MountUser): readonly string[] {
  const { folder, rootFolder, layersFolder, stacked, caches = [], sealed = [], frozen = false } = layers
  const isOther = user.kind === 'other'
  const { needed, inHome, covers, uncovered } = tablesOf(layers, isOther)
  const base = rootFolder === null ? [] : [{ from: rootFolder, to: `${folder}/base`, writable: false }]
  const given =
    stacked.files + stacked.home === 0 ? [] : [{ from: layersFolder, to: `${folder}/layers`, writable: false }]
  return inNamespacesOf(isOther ? user : { kind: 'own' }, {
    script: enterScript,
    parameters: [
      folder,
      isOther ? 'other' : frozen ? 'look' : 'own',
      uncovered.join(' '),
      needed,
      inHome,
      covers,
      ...sealed,
      '--',
      ...asPerson(user),
      ...program,
    ],
    given: [...givenMounts(folder), ...base, ...given, ...caches.map((cache) => givenCache(folder, cache))],
  })
}

/**
 * What to mount, as lines of `/etc/fstab`. The mount covers the project's real folder, so its path leads to the mount.
 * Another user got `base`, `layers` and `caches` from outside; those mounts cannot be undone, so empty folders cover them.
 * Everybody else has them only until `uncovered` names what is unmounted again.
 */
function tablesOf(
  { folder, rootFolder, ownedFolder, layersFolder, stacked, caches = [], frozen = false }: Layers,
  isOther: boolean,
) {
  const names = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}${index + 1}:`)
  const overlay = (name: string, lower: string, parts: string) =>
    `${mountSource} ${field(`${folder}/${name}`)} overlay lowerdir=${lower},${parts}${mountOptions} 0 0\n`
  const bind = (from: string, to: string, how = 'bind') => `${field(from)} ${field(to)} none ${how} 0 0\n`
  const cover = (name: string) => `${mountSource} ${field(`${folder}/${name}`)} tmpfs ro,size=4k 0 0\n`
  const isLayered = stacked.files + stacked.home > 0
  const own = [
    rootFolder === null ? '' : bind(rootFolder, `${folder}/base`, 'rbind'),
    isLayered ? bind(layersFolder, `${folder}/layers`) : '',
  ]
  const owned = ownedFolder ? `${relative(`${folder}/stack`, ownedFolder)}:` : ''
  const files = `${names('f', stacked.files).join('')}../branch:${owned}../base`
  const home = `${names('h', stacked.home).join('')}../home-base`
  const needed = [
    ...(isOther ? [] : own),
    ...(frozen
      ? [overlay('files', `../upper:${files}`, '')]
      : [
          overlay('files', files, 'upperdir=../upper,workdir=../work,'),
          overlay('home', home, 'upperdir=../home-upper,workdir=../home-work,'),
        ]),
  ]
  const inHome = caches.map(({ number, links, path }) => {
    const lower = [...links, isOther ? `../caches/${number}` : personsLink(number)].join(':')
    return overlay(`home/${path}`, lower, `upperdir=../cache-upper/${number},workdir=../cache-work/${number},`)
  })
  const hidden = ['base', 'layers', ...(caches.length > 0 ? ['caches'] : [])]
  return {
    needed: needed.join(''),
    inHome: inHome.join(''),
    covers: [
      ...(isOther ? hidden.map(cover) : []),
      rootFolder === null ? '' : bind(`${folder}/files`, rootFolder),
    ].join(''),
    uncovered: isOther ? [] : [...(rootFolder === null ? [] : ['base']), ...(isLayered ? ['layers'] : [])],
  }
}

/** No other mount has it, so that the program which mounts takes none for one of these. */
const mountSource = 'coppice-view'

/** Quotes what would end a field of a line. */
function field(text: string): string {
  return text.replace(/[ \t\r\n\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)
}

/**
 * `files` is the copy, two folders below that of its owner. It is entered only by another user, who gets it as its own. Everybody else is there already.
 */
export function enterCopy(files: string, program: readonly string[], user: MountUser): readonly string[] {
  if (user.kind !== 'other') return program
  const parameters = [files, ...program]
  return inNamespacesOf(user, { script: copyScript, parameters, given: givenMounts(dirname(dirname(files))) })
}

/** The folder above holds the places beside the mount too. */
function givenMounts(folder: string) {
  const above = dirname(folder)
  return [{ from: above, to: above, writable: true }]
}

function givenCache(folder: string, { number, from }: StackedCache) {
  return { from, to: `${folder}/caches/${number}`, writable: false }
}

/** Root stays root. Everybody else is who they are. */
function asPerson({ kind }: MountUser): readonly string[] {
  return kind === 'setup' || kind === 'other' || process.getuid?.() === 0 ? [] : asOwnUser()
}

/** Runs where folders that a command closed are open. Root needs no namespace for that. */
export function asSetup(program: readonly string[]): readonly string[] {
  if (process.getuid?.() === 0) return program
  return inNamespacesOf({ kind: 'own' }, { script: '"$@"', parameters: program })
}

export function maskLayer(folder: string): readonly string[] {
  return inNamespacesOf({ kind: 'own' }, { script: maskScript, parameters: [folder] })
}

/** Runs to the end and returns the standard output. Rejects with the text on standard error. */
export function runInside(
  program: readonly string[],
  { input = Buffer.alloc(0), signal }: { readonly input?: Buffer; readonly signal?: AbortSignal } = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const [file = '', ...parameters] = program
    const child = spawn(file, parameters, {
      stdio: 'pipe',
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      ...(signal && { signal, killSignal: endsNamespaces }),
    })
    const output: Buffer[] = []
    const errors: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(output))
      else reject(new Error(Buffer.concat(errors).toString().trim().slice(0, 2000) || `${file} ended with ${code}`))
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

/** Since Linux 6.14 each namespace has its own limit. On older kernels, setting it would change the whole system. */
function pidsPerNamespace(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 6 || (major === 6 && minor >= 14)
}
