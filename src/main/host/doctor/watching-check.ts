import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDiskWatcher, mostWatched } from '#adapters/watch/disk-watcher.ts'
import { watchModeOf } from '#adapters/watch/watch-mode.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { HostOptions } from '../app/host-options.ts'

/** How soon a change is noticed, and how much this system lets programs watch. */
export async function examineWatching({ environment }: HostOptions, folder: string): Promise<string> {
  const mode = watchModeOf(folder, environment)
  const noticed = Promise.withResolvers<number>()
  using watcher = createDiskWatcher({ rootFolder: folder, mode, pollInterval: 100, onProblem: noticed.reject })
  const file = join(folder, 'watched')
  await writeFile(file, '')
  let wroteAt = 0
  watcher.onChange(() => wroteAt > 0 && noticed.resolve(performance.now() - wroteAt))
  watcher.watch(['/watched' as VirtualPath])
  const write = setInterval(() => {
    wroteAt ||= performance.now()
    void appendFile(file, '.')
  }, 200)
  const late = setTimeout(() => noticed.reject(new Error('no change was noticed within 5 seconds')), 5_000)
  try {
    const took = Math.ceil(await noticed.promise)
    const how = mode === 'polling' ? 'by looking again and again' : 'by an event'
    return `a change was noticed ${how} after ${took} ms; at most ${mostWatched} files of a project are watched. ${await systemLimit()}`
  } finally {
    clearInterval(write)
    clearTimeout(late)
  }
}

async function systemLimit(): Promise<string> {
  if (process.platform !== 'linux') return 'The system sets no limit'
  const read = async (name: string): Promise<string> => (await readFile(`/proc/sys/fs/inotify/${name}`, 'utf8')).trim()
  return `The system allows ${await read('max_user_watches')} watches for all programs of a user`
}
