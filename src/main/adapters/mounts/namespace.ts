import { spawn } from 'node:child_process'
import { release } from 'node:os'

/** How many processes a mount may have at once, on systems that can limit it. */
const mostProcesses = 4096

/**
 * Command lines run in namespaces of their own. Nobody else sees their mounts, and all their processes end with the
 * first one, which ends with the app.
 *
 * The first process only waits, since others in a namespace cannot signal it. It is bash, which passes exported
 * functions on. `--norc` is needed because bash reads the person's start-up file when its input is a socket, as Node's
 * pipes are.
 */
const namespaces = [
  'setpriv',
  '--pdeathsig',
  'KILL',
  '--',
  'unshare',
  '--user',
  '--map-root-user',
  '--mount',
  '--propagation',
  'private',
  '--pid',
  '--fork',
  '--kill-child=SIGKILL',
  '--mount-proc',
  '--',
  'bash',
  '--noprofile',
  '--norc',
  '-c',
]

/**
 * Turns off what would tie a layer to the project's state at mount time, because the project changes between mounts.
 */
const mountOptions = 'userxattr,index=off,metacopy=off,redirect_dir=nofollow,xino=off'

const limitProcesses = pidsPerNamespace(release())
  ? `echo ${mostProcesses} > /proc/sys/kernel/pid_max; `
  : `ulimit -u ${mostProcesses} 2>/dev/null || :; `

/**
 * Layers have relative names, so that no project name needs quoting. The mount covers the project's real folder, so its
 * path leads to the mount.
 */
const enterScript = `set -e; cd "$1"; root=$2; lower=$3; upper=$4; shift 4
if [ -n "$root" ]; then mount --rbind -- "$root" base; fi
mount -t overlay overlay -o "lowerdir=$lower:base,upperdir=$upper,workdir=work,${mountOptions}" files
if [ -n "$root" ]; then umount -l base; mount --bind files "$root"; fi
while [ "$1" != -- ]; do mount --bind -o ro,nosuid,nodev,noexec -- "$1" "$1" 2>/dev/null || :; shift; done; shift
cd files; ${limitProcesses}set +e
"$@"`

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

export function enterLayers(
  { folder, rootFolder, lower, upper, sealed = [] }: Layers,
  program: readonly string[],
): readonly string[] {
  const layers = [folder, rootFolder ?? '', lower.join(':'), upper, ...sealed, '--']
  return [...namespaces, enterScript, 'bash', ...layers, ...program]
}

export function maskLayer(folder: string): readonly string[] {
  return [...namespaces, maskScript, 'bash', folder]
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
