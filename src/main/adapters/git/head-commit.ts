import { join, resolve } from 'node:path'
import { repositoryOf } from '../system/git/tracked-files.ts'
import { lookAt } from '../system/look-at.ts'
import { textIfReadable } from '../system/read-bounded.ts'

const mostBytes = 64 * 1024 * 1024
const mostLinks = 5

/**
 * The commit that is checked out in the repository around a real folder. Null where there is none, and where references are kept
 * in a way that only git reads. Reads files alone, because every thread begins with it.
 */
export function headCommit(folder: string): string | null {
  const top = repositoryOf(folder)
  if (top === null) return null
  const git = gitFolderOf(join(top, '.git'))
  const common = textIn(join(git, 'commondir'))
  const shared = common === undefined ? git : resolve(git, common)
  let value = textIn(join(git, 'HEAD'))
  for (let links = 0; value?.startsWith('ref: ') && links < mostLinks; links += 1) {
    const name = value.slice('ref: '.length)
    if (name.split('/').includes('..')) return null
    value = textIn(join(shared, name)) ?? packed(shared, name)
  }
  return value !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : null
}

/** Of a worktree and of a submodule, `.git` is a file that names it. */
function gitFolderOf(place: string): string {
  if (lookAt(place)?.isDirectory()) return place
  const target = /^gitdir: (.+)$/m.exec(textIn(place) ?? '')?.[1]
  return target === undefined ? place : resolve(place, '..', target)
}

function packed(folder: string, name: string): string | undefined {
  const lines = textIfReadable(join(folder, 'packed-refs'), { most: mostBytes })?.split('\n') ?? []
  return lines.find((line) => line.endsWith(` ${name}`))?.split(' ')[0]
}

function textIn(file: string): string | undefined {
  return textIfReadable(file)?.trim()
}
