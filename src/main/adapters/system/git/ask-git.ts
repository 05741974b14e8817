import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { lookAt } from '../look-at.ts'
import { textIfReadable } from '../read-bounded.ts'

/**
 * The environment for a question to the git of a repository's folder. Git's own variables would lead to another
 * repository, what is missing is not fetched, and nothing is written. The person's settings count.
 */
export function gitEnvironment(repository: string): NodeJS.ProcessEnv {
  const isKept = (name: string) => !name.startsWith('GIT_') || /^GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$/.test(name)
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => isKept(name))),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CEILING_DIRECTORIES: dirname(repository),
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_REPLACE_OBJECTS: '1',
  }
}

/** What git opens in its folder for most questions, waiting for whoever writes if it is a pipe. */
const openedByGit = [
  ...['HEAD', 'config', 'config.worktree', 'index', 'packed-refs', 'commondir', 'shallow'],
  ...['info/exclude', 'info/attributes', 'info/grafts', 'objects/info/alternates'],
]

/**
 * False where git would wait for a pipe or read a device without an end: a file of the repository that a question from this
 * folder is about is no regular file. Anybody may have made it.
 */
export function mayAskGit(folder: string): boolean {
  const git = gitFolderAbove(folder)
  if (git === null) return true
  const common = textIfReadable(join(git, 'commondir'), { most: mostOfPointer })?.trimEnd()
  const places = common === undefined ? [git] : [git, resolve(git, common)]
  const branch = /^ref: (refs\/.+)/.exec(textIfReadable(join(git, 'HEAD'), { most: mostOfPointer }) ?? '')?.[1]
  const names = branch === undefined ? openedByGit : [...openedByGit, branch]
  return places.every((place) => names.every((name) => !isEndless(join(place, name))))
}

/** Why git is not asked. */
export const wouldWait = 'a file in .git is a pipe or a device, and git would wait for its end'

/** Of a file with the path of another. */
const mostOfPointer = 64 * 1024

/** Where git looks from a folder: the nearest `.git` at or above it, or the place that this file names. */
function gitFolderAbove(folder: string): string | null {
  for (let place = folder; ; place = dirname(place)) {
    const pointer = join(place, '.git')
    const stats = lookAt(pointer)
    if (stats?.isFile()) {
      const target = /^gitdir: (.+)$/m.exec(textIfReadable(pointer, { most: mostOfPointer }) ?? '')?.[1]
      return target === undefined ? null : resolve(place, target)
    }
    if (stats) return pointer
    if (place === dirname(place)) return null
  }
}

function isEndless(file: string): boolean {
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats !== undefined && !stats.isFile() && !stats.isDirectory()
  } catch {
    return false
  }
}
