import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openRepository, runs, sh } from './repository.testkit.ts'

/** Settings of git that name a program. Each would leave a file beside the repository, where no sandbox lets it. */
const settings = (mark: (name: string) => string) =>
  [
    ...[
      'core.fsmonitor',
      'core.sshCommand',
      'core.pager',
      'core.editor',
      'diff.external',
      'gpg.program',
      'merge.x.driver',
    ],
    ...['filter.x.clean', 'filter.x.smudge', 'filter.x.process', 'diff.x.textconv', 'diff.x.command', 'alias.status'],
    ...['credential.helper', 'uploadpack.packObjectsHook', 'remote.origin.uploadpack', 'remote.origin.receivepack'],
    ...['sequence.editor', 'trailer.x.command', 'gpg.ssh.defaultKeyCommand', 'gc.recentObjectsHook'],
  ].map((key) => `git config ${key} '${mark(key)}'`)

it('no program that agents named in git of their views runs outside of the sandbox', async () => {
  let poison = 'true'
  await using world = await openRepository((request, seen) => runs(poison)(request, seen))
  const top = join(world.place, 'top')
  const mark = (name: string) => `${join(world.place, `ran-${name}`)}`
  const touch = (name: string) => `touch ${mark(name)}`
  poison = [
    ...settings((key) => `${touch(key)}; cat`),
    `git config commit.gpgsign false`,
    `printf '* filter=x diff=x merge=x\\n' > .gitattributes`,
    `for hook in pre-commit commit-msg post-checkout reference-transaction pre-push post-index-change fsmonitor-watchman; do printf '#!/bin/sh\\n${touch('hook')}\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done`,
    `printf '[core]\\n\\tfsmonitor = ${touch('included')}\\n' > evil; git config include.path ../evil; cp evil .gitconfig`,
    `git config core.hooksPath .git/hooks; git config core.worktree ..`,
    'echo 2 > app/a.txt; echo b > app/b.txt',
    `git -c core.fsmonitor=false -c filter.x.clean=cat -c filter.x.process= add -A; git -c core.hooksPath=/dev/null -c core.fsmonitor=false commit -qm agent`,
  ].join('\n')
  const ran = await world.run('top')
  expect(ran.code, ran.stderr).toBe(0)
  const marks = () => readdirSync(world.place).filter((name) => name.startsWith('ran-'))
  const work = join(world.place, 'work')
  for (const words of [
    ['deliver', 'last', '--to', 'one', '--hooks'],
    ['deliver', 'last', '--to', 'two', '--commits', 'agent'],
    ['open-branch', 'last', '--print'],
    ['open-branch', 'last', '--close'],
    ['checkout', 'last', 'workspace', work],
    ['checkout', 'last', 'workspace', work, '--back', '--remove'],
    ['apply', 'last'],
  ]) {
    const done = await world.verb(words)
    expect([words[0], done.code, done.stderr, marks()]).toEqual([words[0], 0, expect.any(String), []])
    // What an editor asks git at once.
    if (words[2] === '--print') sh('git status; git diff; git add -A -n; git log -1 -p', done.stdout.trim())
  }
  expect(sh('git status --porcelain; git config --local -l', top)).not.toContain('ran-')
  expect(marks()).toEqual([])
  // Outside of the sandbox the same settings do run programs.
  sh(
    `git clone -q top control; cd control; ${settings((key) => `${touch(key)}; cat`).join('; ')}; git diff HEAD~0 2> /dev/null`,
    world.place,
  )
  expect(marks()).toContain('ran-core.fsmonitor')
})
