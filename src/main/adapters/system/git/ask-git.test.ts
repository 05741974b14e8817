import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mayAskGit } from './ask-git.ts'
import { readExcludes, repositoryAbove, trackedFiles } from './tracked-files.ts'

const commit = 'git -c user.name=Me -c user.email=m@e commit -qm 1'
const made = `git init -q --template= -b main .; mkdir -p in .git/info .git/objects/info; echo 1 > in/a; git add .; ${commit}; touch .git/info/{exclude,attributes} .git/config.worktree .git/objects/info/alternates`

function repository(script: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-ask-git-')))
  execFileSync('bash', ['-ec', script], { cwd: folder })
  return folder
}

const sample = repository(made)
// A pipe in the place of one object costs the time limit of the question that needs it.
const files = globSync('.git/**', { cwd: sample }).filter(
  (path) => !/objects\/..\//.test(path) && statSync(join(sample, path)).isFile(),
)
const missing = ['shallow', 'commondir', 'info/grafts', 'packed-refs'].map((name) => `.git/${name}`)

// Mutation: leave any name out of `openedByGit`.
describe('a repository with a pipe in the place of a file', () => {
  it.each([...files, ...missing])('is not asked, or answers: %s', (path) => {
    const folder = repository(`${made}; rm -f '${path}'; mkfifo '${path}'`)
    if (!mayAskGit(folder)) return
    for (const args of [
      ['ls-files'],
      ['rev-parse', '--git-dir', 'HEAD'],
      ['config', '-l'],
      ['cat-file', '-t', 'HEAD'],
    ]) {
      const asked = spawnSync('git', args, { cwd: folder, timeout: 5_000 })
      expect(asked.signal, args.join(' ')).toBeNull()
    }
  })

  it.each([
    ['its settings', 'rm .git/config; mkfifo .git/config'],
    ['HEAD leads to a device', 'ln -sf /dev/zero .git/HEAD'],
    ['the branch', 'rm .git/refs/heads/main; mkfifo .git/refs/heads/main'],
    ['of a worktree', 'git worktree add -q w; rm .git/config; mkfifo .git/config; cp w/.git x; rm .git/HEAD'],
    ['its own ignore rules', 'rm -f .git/info/exclude; mkfifo .git/info/exclude'],
  ])(
    'keeps nobody waiting: %s',
    (_name, script) => {
      const folder = repository(`${made}; ${script}`)
      expect(mayAskGit(folder)).toBe(false)
      expect(trackedFiles(folder, folder).isUnreadable).toBe(true)
      expect(readExcludes(folder)).toEqual([])
      expect(repositoryAbove(join(folder, 'in'))).toBeNull()
      // Three questions that wait would take nine seconds.
    },
    5_000,
  )

  it('is asked when all is as git made it, from a folder in it and from a worktree', () => {
    const folder = repository(`${made}; git pack-refs --all; git worktree add -q w`)
    for (const place of ['.', 'in', 'w', '..']) expect(mayAskGit(join(folder, place)), place).toBe(true)
  })

  it('is not asked from a worktree of it', () => {
    const folder = repository(`${made}; git worktree add -q w; rm .git/config; mkfifo .git/config`)
    expect(mayAskGit(join(folder, 'w'))).toBe(false)
  })
})
