import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { textIfReadable } from '#adapters/system/read-bounded.ts'

/** Bytes. Git writes one short line; anything longer is not git's. */
const maxBytes = 4096
/** Bytes of a list of branches and tags. */
const maxPackedBytes = 4 * 1024 * 1024

/**
 * The folder with git's `HEAD`: `.git` itself, or the folder that a file of this name points to in a worktree or a
 * submodule. Null without a repository.
 */
export function gitFolderOf(rootFolder: string): string | null {
  const place = join(rootFolder, '.git')
  const stats = statSync(place, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return place
  const target = /^gitdir: (.+)/.exec(shortText(place) ?? '')?.[1]?.trim()
  const folder = target === undefined ? null : resolve(rootFolder, target)
  return folder !== null && statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : null
}

/** The checked-out branch, or the first letters of a commit that is on none. Null without a repository. */
export function readGitHead(rootFolder: string): string | null {
  const folder = gitFolderOf(rootFolder)
  const head = folder === null ? null : shortText(join(folder, 'HEAD'))
  return /^ref: refs\/heads\/([^\p{Cc}\p{Cf}]+)/u.exec(head ?? '')?.[1] ?? /^[0-9a-f]{7}/.exec(head ?? '')?.[0] ?? null
}

/** The id of the checked-out commit. Null without a repository, and for a branch without a commit. */
export function readGitCommit(rootFolder: string): string | null {
  const folder = gitFolderOf(rootFolder)
  if (folder === null) return null
  const head = shortText(join(folder, 'HEAD')) ?? ''
  const branch = /^ref: (refs\/heads\/[^\p{Cc}\p{Cf}]+)/u.exec(head)?.[1]
  if (branch === undefined) return commitIn(head)
  // A worktree keeps its branches in the folder of the repository.
  const common = resolve(folder, shortText(join(folder, 'commondir'))?.trim() ?? '.')
  const packed = shortText(join(common, 'packed-refs'), maxPackedBytes) ?? ''
  const line = packed.split('\n').find((one) => one.endsWith(` ${branch}`))
  return commitIn(shortText(join(common, branch)) ?? '') ?? commitIn(line?.split(' ', 1)[0] ?? '')
}

function commitIn(text: string): string | null {
  return /^[0-9a-f]{40,64}(?=\s*$)/.exec(text)?.[0] ?? null
}

/** Null for anything but a readable short file. */
function shortText(path: string, most = maxBytes): string | null {
  return textIfReadable(path, { most }) ?? null
}
