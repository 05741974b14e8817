import { join } from 'node:path'
import { lookAt, namesIn } from '../../system/look-at.ts'

/** What `/proc` shows of the whole machine, beside the processes. */
export interface KernelPlaces {
  readonly readOnly: readonly string[]
  readonly hiddenFiles: readonly string[]
  readonly hiddenFolders: readonly string[]
}

/** Container runtimes hide these too: memory, messages and timings of the kernel, keys, and switches of hardware. */
const hidden = new Set([
  ...['acpi', 'asound', 'interrupts', 'kcore', 'key-users', 'keys', 'kmsg', 'latency_stats', 'sched_debug', 'scsi'],
  ...['timer_list', 'timer_stats'],
])
/** The command's own processes and network, under their own permissions. */
const own = new Set(['self', 'thread-self', 'mounts', 'net'])

/**
 * Found anew for each command, because a module of the kernel may add a place at any time. A file that nobody may write
 * needs no cover. `/sys` does not exist in a sandbox at all.
 */
export function kernelPlaces(proc = '/proc'): KernelPlaces {
  const places = namesIn(proc)
    .filter((name) => !/^\d+$/.test(name) && !own.has(name))
    .flatMap((name) => {
      const stats = lookAt(join(proc, name))
      return stats && !stats.isSymbolicLink() ? [{ name, place: join(proc, name), stats }] : []
    })
  const visible = places.filter(({ name, stats }) => !hidden.has(name) && (stats.isDirectory() || stats.mode & 0o222))
  const covered = places.filter(({ name }) => hidden.has(name))
  return {
    readOnly: visible.map(({ place }) => place),
    hiddenFiles: covered.filter(({ stats }) => !stats.isDirectory()).map(({ place }) => place),
    hiddenFolders: covered.filter(({ stats }) => stats.isDirectory()).map(({ place }) => place),
  }
}
