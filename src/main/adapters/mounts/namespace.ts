import { spawn } from 'node:child_process'
import { release } from 'node:os'
import { dirname, relative } from 'node:path'
import type { CommandUser } from '../system/command-user.ts'
import { asOwnUser, endsNamespaces, type GivenFolder, inNamespacesOf, systemScript } from '../system/namespaces.ts'
import type { Step } from '../system/steps.ts'
import { systemProgram } from '../system/system-programs.ts'

/** How many processes a mount may have at once, on systems that can limit it. Commands have a limit of their own below it. */
const mostProcesses = 32_768

/**
 * Turns off what would tie a layer to the project's state at mount time, because the project changes between mounts.
 */
const mountOptions = 'userxattr,index=off,metacopy=off,redirect_dir=nofollow,xino=off'

const limitProcesses: Step = pidsPerNamespace(release())
  ? ['write', '/proc/sys/kernel/pid_max', String(mostProcesses)]
  : ['try', 'limit', 'processes', `${mostProcesses}`]

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
  /** Folders that lie directly over the project, the topmost first, beside the folder of the mount. Absent for none. */
  readonly overBase?: readonly string[]
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
  /** Folders of the person that another user may read, by their absolute paths. Absent for none. */
  readonly lent?: readonly string[]
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

/** What a program enters of one mount. */
export type Enterable =
  | { readonly kind: 'layers'; readonly layers: Layers }
  /** `files` is the copy, two folders below that of its owner. */
  | { readonly kind: 'copy'; readonly files: string; readonly lent: readonly string[] }

/**
 * Enters the mounts of all folders of a project at once, and starts in the first one. A mount of layers covers its real folder, so that
 * path leads to the mount. Layers have short relative names in `stack`, so that as many of them as the kernel stacks fit
 * into a page, which is all that it reads of a mount's options. A copy is entered only by another user, who gets it as its
 * own; everybody else is there already.
 */
export function enterAll(
  mounts: readonly [Enterable, ...Enterable[]],
  program: readonly string[],
  user: MountUser,
): readonly string[] {
  const isOther = user.kind === 'other'
  const layered = mounts.flatMap((one) => (one.kind === 'layers' ? [one.layers] : []))
  if (layered.length === 0 && !isOther) return program
  const [first] = mounts
  const steps: readonly Step[] = [
    ...layered.flatMap((layers) => stepsOf(layers, isOther)),
    ['folder', first.kind === 'layers' ? `${first.layers.folder}/files` : first.files],
    ...(layered.length === 0 ? [] : [limitProcesses, ...asPerson(user)]),
  ]
  const given = mounts.flatMap((one) =>
    one.kind === 'layers'
      ? givenTo(one.layers)
      : [...givenMounts(dirname(dirname(one.files))), ...one.lent.map(lentFolder)],
  )
  return inNamespacesOf(isOther ? user : { kind: 'own' }, program, { steps, given: withoutTwins(given) })
}

/** Enters one mount of layers. */
export function enterLayers(layers: Layers, program: readonly string[], user: MountUser): readonly string[] {
  return enterAll([{ kind: 'layers', layers }], program, user)
}

function stepsOf(layers: Layers, isOther: boolean): readonly Step[] {
  const { folder, rootFolder, stacked, sealed = [] } = layers
  const isLayered = stacked.files + stacked.home > 0
  return [
    ['folder', `${folder}/stack`],
    ...(isOther ? [] : shownMounts(layers)),
    ...overlaysOf(layers, isOther),
    ...(isOther ? coversOf(layers) : []),
    ...(rootFolder === null ? [] : [['bind', `${folder}/files`, rootFolder] as const]),
    ...(isOther || rootFolder === null ? [] : [['uncover', `${folder}/base`] as const]),
    ...(isOther || !isLayered ? [] : [['uncover', `${folder}/layers`] as const]),
    ...sealed.map((place) => ['try', 'seal', place] as const),
  ]
}

function givenTo({
  folder,
  rootFolder,
  layersFolder,
  stacked,
  caches = [],
  lent = [],
}: Layers): readonly GivenFolder[] {
  const base = rootFolder === null ? [] : [{ from: rootFolder, to: `${folder}/base`, writable: false }]
  const isLayered = stacked.files + stacked.home > 0
  const given = isLayered ? [{ from: layersFolder, to: `${folder}/layers`, writable: false }] : []
  return [
    ...[...givenMounts(folder), ...base, ...given],
    ...[...caches.map((cache) => givenCache(folder, cache)), ...lent.map(lentFolder)],
  ]
}

/** Mounts of one project lie in one folder, and lend the same folders. */
function withoutTwins(given: readonly GivenFolder[]): readonly GivenFolder[] {
  return given.filter(({ to }, at) => given.findIndex((one) => one.to === to) === at)
}

/** What the overlays are made of, for a user that did not get it from outside. It is uncovered again. */
function shownMounts({ folder, rootFolder, layersFolder, stacked }: Layers): readonly Step[] {
  return [
    ...(rootFolder === null ? [] : [['bind-all', rootFolder, `${folder}/base`] as const]),
    ...(stacked.files + stacked.home === 0 ? [] : [['bind', layersFolder, `${folder}/layers`] as const]),
  ]
}

/** A cache that cannot be mounted is left out. */
function overlaysOf(
  { folder, overBase = [], stacked, caches = [], frozen = false }: Layers,
  isOther: boolean,
): readonly Step[] {
  const names = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}${index + 1}:`)
  const overlay = (name: string, lower: string, parts = '') =>
    ['overlay', `${folder}/${name}`, `lowerdir=${lower},${parts}${mountOptions}`] as const
  const over = overBase.map((one) => `${relative(`${folder}/stack`, one)}:`).join('')
  const files = `${names('f', stacked.files).join('')}../branch:${over}../base`
  if (frozen) return [overlay('files', `../upper:${files}`)]
  const home = `${names('h', stacked.home).join('')}../home-base`
  return [
    overlay('files', files, 'upperdir=../upper,workdir=../work,'),
    overlay('home', home, 'upperdir=../home-upper,workdir=../home-work,'),
    ...caches.map(({ number, links, path }) => {
      const lower = [...links, isOther ? `../caches/${number}` : personsLink(number)].join(':')
      const parts = `upperdir=../cache-upper/${number},workdir=../cache-work/${number},`
      return ['try', ...overlay(`home/${path}`, lower, parts)] as const
    }),
  ]
}

/** Another user got these from outside, and such a mount cannot be undone. */
function coversOf({ folder, caches = [] }: Layers): readonly Step[] {
  return ['base', 'layers', ...(caches.length > 0 ? ['caches'] : [])].map(
    (name) => ['cover', `${folder}/${name}`] as const,
  )
}

function lentFolder(folder: string) {
  return { from: folder, to: folder, writable: false }
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
function asPerson({ kind }: MountUser): readonly Step[] {
  return kind === 'setup' || kind === 'other' || process.getuid?.() === 0 ? [] : asOwnUser()
}

/** Runs a program of the system where folders that a command closed are open. Root needs no namespace for that. */
export function asSetup([name = '', ...parameters]: readonly string[]): readonly string[] {
  const program = [systemProgram(name), ...parameters]
  return process.getuid?.() === 0 ? program : inNamespacesOf({ kind: 'own' }, program)
}

export function maskLayer(folder: string): readonly string[] {
  return inNamespacesOf({ kind: 'own' }, systemScript(maskScript, [folder]))
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
