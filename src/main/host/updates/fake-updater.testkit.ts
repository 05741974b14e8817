import type { NewVersion } from '#shared/contract/views/updates.ts'
import { type Updater, UpdaterError } from './updater.ts'

export const someVersion: NewVersion = { version: '2.0.0', notes: '- Faster' }

/** An updater that does what a test says, and records what it was asked. */
export function fakeUpdater(
  options: {
    readonly latest?: NewVersion | null
    /** What each check or download throws, in order; null for none. */
    readonly checks?: readonly (UpdaterError | null)[]
    readonly downloads?: readonly (UpdaterError | null)[]
    readonly installs?: UpdaterError
  } = {},
) {
  const asked: string[] = []
  const checks = [...(options.checks ?? [])]
  const downloads = [...(options.downloads ?? [])]
  const updater: Updater = {
    async check() {
      asked.push('check')
      const problem = checks.shift()
      if (problem) throw problem
      return options.latest === undefined ? someVersion : options.latest
    },
    async download(onShare) {
      asked.push('download')
      onShare(0.5)
      const problem = downloads.shift()
      if (problem) throw problem
    },
    async install() {
      asked.push('install')
      if (options.installs) throw options.installs
    },
  }
  return { updater, asked }
}

export const offline = new UpdaterError('network', 'The network is not there.')
export const torn = new UpdaterError('damaged', 'The file is not whole.')
