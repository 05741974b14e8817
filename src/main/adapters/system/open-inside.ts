import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { lookAt } from './look-at.ts'

const noFollow = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const flags = { file: noFollow, directory: noFollow | (constants.O_DIRECTORY ?? 0) }

export interface OpenedInside extends Disposable {
  readonly descriptor: number
  /** Leads to what was opened, whatever is put in its place meanwhile. Its name where the system does not say that. */
  readonly location: string
}

/**
 * Opens the regular file or the folder at exactly this path of a folder that others may write to. Undefined when a link is on the
 * way, as of any moment, or nothing of that kind is there.
 */
export function openInside(folder: string, path: string, kind: keyof typeof flags): OpenedInside | undefined {
  const location = join(realpathSync.native(folder), path)
  if (!isOf(kind, lookAt(location))) return undefined
  const descriptor = openSync(location, flags[kind])
  const opened = pathOf(descriptor)
  if (isOf(kind, fstatSync(descriptor)) && (opened === undefined || opened === location)) {
    const through = opened === undefined ? location : `/proc/self/fd/${descriptor}`
    return { descriptor, location: through, [Symbol.dispose]: () => closeSync(descriptor) }
  }
  closeSync(descriptor)
  return undefined
}

function isOf(kind: keyof typeof flags, stats: ReturnType<typeof lookAt>): boolean {
  return (kind === 'file' ? stats?.isFile() : stats?.isDirectory()) === true
}

/** Undefined where the system does not say it. */
function pathOf(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return undefined
  }
}
