import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readGitCommit } from './git-head.ts'

function git(folder: string, ...args: readonly string[]): string {
  const own = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false']
  return execFileSync('git', [...own, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim()
}

it('reads the checked-out commit as git does, packed, detached and in a worktree', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-git-head-'))
  expect(readGitCommit(folder)).toBeNull()
  git(folder, 'init', '--initial-branch=trunk')
  expect(readGitCommit(folder), 'no commit yet').toBeNull()
  writeFileSync(join(folder, 'a'), 'x')
  git(folder, 'add', '.')
  git(folder, 'commit', '--message=one')
  const commit = git(folder, 'rev-parse', 'HEAD')
  expect(readGitCommit(folder)).toBe(commit)
  git(folder, 'worktree', 'add', '-b', 'side', join(folder, 'beside'))
  expect(readGitCommit(join(folder, 'beside'))).toBe(commit)
  git(folder, 'pack-refs', '--all')
  expect([readGitCommit(folder), readGitCommit(join(folder, 'beside'))]).toEqual([commit, commit])
  git(folder, 'checkout', '--detach')
  expect(readGitCommit(folder)).toBe(commit)
})
