import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Change, writeChanges } from '../support/changes.ts'
import { diskBytes } from '../support/disk-bytes.ts'
import { git } from '../support/git.ts'
import type { Lap } from './lap.ts'

/**
 * The same work with git alone: a worktree and a commit for each list of changes, then a merge of each branch into `main`
 * and the patch. `repository` is a clean repository of the project.
 */
export function runWorktreesLap(repository: string, folder: string, work: readonly (readonly Change[])[]): Lap {
  const before = diskBytes(repository)
  const started = performance.now()
  let processes = 0
  const run = (place: string, ...args: readonly string[]) => {
    processes += 1
    return git(place, ...args)
  }
  const start = run(repository, 'rev-parse', 'HEAD').toString().trim()
  for (const [index, changes] of work.entries()) {
    const place = join(folder, `worktree-${index}`)
    run(repository, 'worktree', 'add', '-q', '-b', `agent-${index}`, place)
    writeChanges(place, changes)
    run(place, 'commit', '-qam', `Agent ${index}`)
  }
  for (const index of work.keys()) run(repository, 'merge', '-q', '--no-edit', `agent-${index}`)
  const patch = join(folder, 'worktrees.patch')
  writeFileSync(patch, run(repository, 'diff', '--binary', '--full-index', start))
  const milliseconds = performance.now() - started
  const worktrees = [...work.keys()].map((index) => diskBytes(join(folder, `worktree-${index}`)))
  const bytes = worktrees.reduce((sum, one) => sum + one, diskBytes(repository) - before)
  return { milliseconds, bytes, processes, patch }
}
