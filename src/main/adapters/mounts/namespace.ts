import { spawn } from 'node:child_process'
import { release } from 'node:os'
import { dirname } from 'node:path'
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
 * only 256 characters. The mount covers the project's real folder, so its path leads to the mount. `given` is set when
 * another user got the folders in `base` and `layers`; those mounts cannot be undone, so empty folders cover them.
 */
const enterScript = `set -e; cd "$1"; given=$2; root=$3; environment=$4; files=$5; home=$6; layers=$5$6 caches=$7; shift 7
if [ -z "$given" ]; then
  if [ -n "$root" ]; then mount --rbind -- "$root" base; fi
  if [ -n "$layers" ]; then mount --bind -- "$environment" layers; fi
fi
export LIBMOUNT_FORCE_MOUNT2=always; cd stack
mount -t overlay overlay -o "lowerdir=\${files}../branch:../base,upperdir=../upper,workdir=../work,${mountOptions}" ../files
mount -t overlay overlay -o "lowerdir=\${home}../home-base,upperdir=../home-upper,workdir=../home-work,${mountOptions}" ../home
if [ -n "$caches" ]; then printf %s "$caches" > table; mount -a -T table 2>/dev/null || :; fi
cd ..; unset LIBMOUNT_FORCE_MOUNT2
if [ -n "$given" ]; then for one in base layers; do mount -t tmpfs -o ro,size=4k tmpfs $one; done
  if [ -n "$caches" ]; then mount -t tmpfs -o ro,size=4k tmpfs caches; fi
else if [ -n "$root" ]; then umount -l base; fi; if [ -n "$layers" ]; then umount -l layers; fi; fi
if [ -n "$root" ]; then mount --bind files "$root"; fi
while [ "$1" != -- ]; do mount --bind -o ro,nosuid,nodev,noexec -- "$1" "$1" 2>/dev/null || :; shift; done; shift
cd files; ${limitProcesses}set +e; PATH=$callers
"$@"`

/** The same for a copy: only the owners differ, since nothing is mounted. */
const copyScript = `cd "$1" && shift && PATH=$callers && "$@"`

/**
 * Makes the paths in `remove` whiteouts and those in `folders` opaque folders of `branch`, whatever the project holds
 * there.
 */
const maskScript = `set -e; cd "$1"
mount -t overlay overlay -o "lowerdir=mask,upperdir=branch,workdir=work,${mountOptions}" files
cd files; xargs -0 -r -a ../remove rm -rf --; xargs -0 -r -a ../folders mkdir -p --`

export interface Layers {
  /**
   * Contains the folders of the mount: `base`, `layers`, `stack`, `branch`, `upper`, `work`, `files`, and those of the
   * home.
   */
  readonly folder: string
  readonly rootFolder: string | null
  /** Holds the layers of the environment. */
  readonly layersFolder: string
  /** How many links to folders of layers `stack` has. The first one is on top. */
  readonly stacked: StackedCounts
  /** Folders of the person inside the home. One that cannot be mounted is left out. */
  readonly caches?: readonly StackedCache[]
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

export function enterLayers(
  { folder, rootFolder, layersFolder, stacked, caches = [], sealed = [] }: Layers,
  program: readonly string[],
  user: MountUser,
): readonly string[] {
  const isOther = user.kind === 'other'
  const names = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}${index + 1}:`)
  const lower = [names('f', stacked.files).join(''), names('h', stacked.home).join('')]
  const places = [folder, isOther ? 'given' : '', rootFolder ?? '', layersFolder, ...lower]
  const base = rootFolder === null ? [] : [{ from: rootFolder, to: `${folder}/base`, writable: false }]
  const layers =
    stacked.files + stacked.home === 0 ? [] : [{ from: layersFolder, to: `${folder}/layers`, writable: false }]
  return inNamespacesOf(isOther ? user : { kind: 'own' }, {
    script: enterScript,
    parameters: [...places, mountsInHome(folder, caches, isOther), ...sealed, '--', ...asPerson(user), ...program],
    given: [...givenMounts(folder), ...base, ...layers, ...caches.map((cache) => givenCache(folder, cache))],
  })
}

/**
 * `files` is the copy. It is entered only by another user, who gets it as its own. Everybody else is there already.
 */
export function enterCopy(files: string, program: readonly string[], user: MountUser): readonly string[] {
  if (user.kind !== 'other') return program
  const parameters = [files, ...program]
  return inNamespacesOf(user, { script: copyScript, parameters, given: givenMounts(dirname(files)) })
}

/** The folder above holds the places beside the mount too. */
function givenMounts(folder: string) {
  const above = dirname(folder)
  return [{ from: above, to: above, writable: true }]
}

/** Lines as in `/etc/fstab`, because one program mounts all of them at once. */
function mountsInHome(folder: string, caches: readonly StackedCache[], isOther: boolean): string {
  const home = `${folder}/home`.replace(
    /[\s\\#]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return caches
    .map(({ number, links, path }) => {
      const lower = [...links, isOther ? `../caches/${number}` : personsLink(number)].join(':')
      const own = `upperdir=../cache-upper/${number},workdir=../cache-work/${number}`
      return `overlay ${home}/${path} overlay lowerdir=${lower},${own},${mountOptions} 0 0\n`
    })
    .join('')
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
