import { execFileSync } from 'node:child_process'
import { readFileSync, realpathSync, statfsSync } from 'node:fs'
import { posix, win32 } from 'node:path'

/** `events`: the system reports changes. `polling`: the watcher looks at each path again and again. */
export type WatchMode = 'events' | 'polling'

/** What a system says about the file system of a folder. */
export interface FolderFacts {
  readonly platform: NodeJS.Platform
  /** Absolute, with links resolved. */
  readonly folder: string
  /** The kind of file system as Linux numbers it. Null where it cannot be found. */
  readonly type: number | null
  /** The mounted file systems: `/proc/self/mountinfo` on Linux, the output of `mount` on macOS. Empty if unknown. */
  readonly mounts: string
}

/**
 * Network file systems do not report what other machines change, so Coppice polls them. `COPPICE_WATCH_POLLING` decides
 * instead if it is 1 or 0.
 */
export function watchModeOf(folder: string, environment: Readonly<Record<string, string | undefined>>): WatchMode {
  const chosen = environment.COPPICE_WATCH_POLLING
  if (chosen === '1') return 'polling'
  if (chosen === '0') return 'events'
  return isOnNetwork(readFacts(folder)) ? 'polling' : 'events'
}

/** True for a folder on a file system that other machines can change without this one hearing of it. */
export function isOnNetwork({ platform, folder, type, mounts }: FolderFacts): boolean {
  switch (platform) {
    case 'linux':
      if (type === fuse) return isPolledFuse(linuxTypeAt(folder, mounts))
      return type !== null && networkTypes.has(type)
    case 'darwin': {
      const kind = macTypeAt(folder, mounts)
      return kind === null ? folder.startsWith('/Volumes/') : networkKinds.test(kind)
    }
    case 'win32':
      return isShare(folder)
    default:
      return false
  }
}

/** Numbers of `statfs`, from the manual page statfs(2) and the headers of the kernel. */
const networkTypes: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x01021997, // 9p, also the drives of Windows in WSL
  0x5346414f, // AFS
  0x6b414653, // AFS of the kernel
  0x73757245, // Coda
  0x00c36400, // Ceph
  0x0bd00bd0, // Lustre
  0x47504653, // GPFS
  0x786f4256, // shared folders of VirtualBox
  0xbacbacbc, // shared folders of VMware
])
const fuse = 0x65735546

/** FUSE holds network file systems such as sshfs, but `fuseblk` is a local disk. An unknown one may be any of them. */
function isPolledFuse(kind: string | null): boolean {
  return kind !== 'fuseblk'
}

/** A line of mountinfo: `36 35 98:0 /root /place options - type source options`. Null if no mount holds the folder. */
function linuxTypeAt(folder: string, mounts: string): string | null {
  const found = mounts.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ')
    const place = before.split(' ')[4]
    const type = after.split(' ')[0]
    return place && type ? [{ place: unescapeOctal(place), type }] : []
  })
  return nearest(folder, found)
}

/** A line of `mount`: `//ann@server/share on /Volumes/share (smbfs, nodev, mounted by ann)`. */
function macTypeAt(folder: string, mounts: string): string | null {
  const found = mounts.split('\n').flatMap((line) => {
    const parts = / on (\/.*) \(([^,)]+)/.exec(line)
    return parts?.[1] && parts[2] ? [{ place: parts[1], type: parts[2] }] : []
  })
  return nearest(folder, found)
}

const networkKinds = /^(nfs|smbfs|afpfs|webdav|cifs|ftp|macfuse|osxfuse|fusefs|virtiofs)/

interface Mount {
  readonly place: string
  readonly type: string
}

/** The type of the deepest mount that holds the folder. Of two at one place the later one counts. */
function nearest(folder: string, mounts: readonly Mount[]): string | null {
  const holding = mounts.filter(({ place }) => place === '/' || folder === place || folder.startsWith(`${place}/`))
  const deepest = Math.max(...holding.map(({ place }) => place.length))
  return holding.findLast(({ place }) => place.length === deepest)?.type ?? null
}

function unescapeOctal(text: string): string {
  return text.replace(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

/** `\\server\share`, also in its long form and in WSL, but not `\\?\C:` and `\\.\pipe`. */
function isShare(folder: string): boolean {
  const { root } = win32.parse(folder)
  if (/^\\\\[?.]\\UNC\\/i.test(folder)) return true
  return /^[\\/]{2}[^\\/?.]/.test(root)
}

function readFacts(folder: string): FolderFacts {
  const { platform } = process
  const type = orElse(() => (platform === 'linux' ? statfsSync(folder).type : null), null)
  const isMountNeeded = platform === 'darwin' || type === fuse
  return {
    platform,
    folder: orElse(() => realpathSync.native(folder), posix.normalize(folder)),
    type,
    mounts: isMountNeeded ? orElse(() => readMounts(platform), '') : '',
  }
}

function readMounts(platform: NodeJS.Platform): string {
  if (platform === 'linux') return readFileSync('/proc/self/mountinfo', 'utf8')
  return execFileSync('/sbin/mount', { encoding: 'utf8', timeout: 2000 })
}

function orElse<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    return otherwise
  }
}
