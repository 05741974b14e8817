import { spawn } from 'node:child_process'
import { release } from 'node:os'
import { dirname } from 'node:path'
import type { CommandUser } from '../system/command-user.ts'
import { asOwnUser, inNamespacesOf } from '../system/namespaces.ts'

/** How many processes a mount may have at once, on systems that can limit it. */
const mostProcesses = 4096

/**
 * Turns off what would tie a layer to the project's state at mount time, because the project changes between mounts.
 */
const mountOptions = 'userxattr,index=off,metacopy=off,redirect_dir=nofollow,xino=off'

const limitProcesses = pidsPerNamespace(release())
  ? `echo ${mostProcesses} > /proc/sys/kernel/pid_max; `
  : `ulimit -u ${mostProcesses} 2>/dev/null || :; `

/**
 * Layers have relative names, so that no project name needs quoting. The mount covers the project's real folder, so its
 * path leads to the mount. `given` is set when another user got the project in `base`; that mount cannot be undone, so
 * an empty folder covers it.
 */
const enterScript = `set -e; cd "$1"; given=$2; root=$3; lower=$4; upper=$5; shift 5
if [ -n "$root" ] && [ -z "$given" ]; then mount --rbind -- "$root" base; fi
mount -t overlay overlay -o "lowerdir=$lower:base,upperdir=$upper,workdir=work,${mountOptions}" files
if [ -n "$given" ]; then mount -t tmpfs -o ro,size=4k tmpfs base; fi
if [ -n "$root" ]; then if [ -z "$given" ]; then umount -l base; fi; mount --bind files "$root"; fi
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
  /** Contains the folders `base`, `files`, `work` and the layers. */
  readonly folder: string
  readonly rootFolder: string | null
  /** From the top down, without the project. */
  readonly lower: readonly string[]
  readonly upper: string
  /** Folders outside the layers that programs may only read, by their absolute paths. */
  readonly sealed?: readonly string[]
}

/** Who a program in a mount is. `setup` is uid 0 of the mount's namespace, `person` whoever runs the app. */
export type MountUser = CommandUser | { readonly kind: 'setup' } | { readonly kind: 'person' }

export function enterLayers(
  { folder, rootFolder, lower, upper, sealed = [] }: Layers,
  program: readonly string[],
  user: MountUser,
): readonly string[] {
  const isOther = user.kind === 'other'
  const layers = [folder, isOther ? 'given' : '', rootFolder ?? '', lower.join(':'), upper, ...sealed, '--']
  const base = rootFolder === null ? [] : [{ from: rootFolder, to: `${folder}/base`, writable: false }]
  return inNamespacesOf(isOther ? user : { kind: 'own' }, {
    script: enterScript,
    parameters: [...layers, ...asPerson(user), ...program],
    given: [...givenMounts(folder), ...base],
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
export function runInside(program: readonly string[], input: Buffer = Buffer.alloc(0)): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const [file = '', ...parameters] = program
    const child = spawn(file, parameters, { stdio: 'pipe', env: { PATH: process.env.PATH, LC_ALL: 'C' } })
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
