import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { coppice } from './coppice.testkit.ts'
import { openRepository, runs, sh } from './repository.testkit.ts'

const change = runs('seq 5 > app/a.txt; echo new > app/b.txt')

it('checks a branch out as a worktree, takes it back and cleans up', async () => {
  await using world = await openRepository(change)
  await world.run('top')
  const work = join(world.place, 'work')
  const made = await world.verb(['checkout', 'last', 'workspace', work, '--branch', 'look', '--json'])
  expect(made.code, made.stderr).toBe(0)
  expect(JSON.parse(made.stdout)).toMatchObject({ folder: work, kind: 'worktree', branch: 'look', left_out: [] })
  expect(sh('git status --short; git log --format=%s', work)).toBe(' M app/a.txt\n?? app/b.txt\nfirst\n')

  sh('sed -i s/5/five/ app/a.txt; rm app/b.txt; git commit -qam mine', work)
  const taken = await world.verb(['checkout', 'last', 'workspace', work, '--back'])
  expect([taken.code, taken.stdout]).toEqual([0, '  taken    /app/a.txt\n  taken    /app/b.txt\nTook back 2 files.\n'])
  expect((await world.verb(['diff', 'last'])).stdout).toContain('+five')

  const removed = await world.verb(['checkout', 'last', 'workspace', work, '--remove'])
  expect([removed.code, removed.stdout]).toEqual([0, `Removed ${work}.\n`])
  expect([
    existsSync(work),
    sh('git log --format=%s look; git worktree list | wc -l', join(world.place, 'top')),
  ]).toEqual([false, 'mine\nfirst\n1\n'])
  for (const args of [['--back'], ['--ours', 'x'], ['--force'], ['--back', '--branch', 'x']]) {
    const wrong = await world.verb(['checkout', 'last', 'workspace', work, ...args])
    expect([args, wrong.code]).toEqual([args, 2])
  }
})

it('opens a branch in an editor, and keeps what it saves in any way', async () => {
  await using world = await openRepository(change)
  await world.run('top')
  mkdirSync(join(world.place, 'bin'))
  const editor = join(world.place, 'bin/code')
  writeFileSync(
    editor,
    `#!/bin/sh
PATH=/usr/bin:/bin; cd "$3"; pwd > "${world.place}/seen"
printf truncated > app/a.txt
printf renamed > app/.new; mv app/.new app/b.txt
mv app/b.txt app/b.txt~; printf replaced > app/b.txt; rm app/b.txt~
printf made > app/made
`,
  )
  chmodSync(editor, 0o755)
  const found = { PATH: join(world.place, 'bin') }
  const opened = await coppice(['open-branch', 'last', '--data-dir', join(world.place, 'data')], found)
  expect([opened.code, opened.stdout], opened.stderr).toEqual([0, expect.stringContaining('Removed ')])
  const seen = sh(`cat ${world.place}/seen`, world.place).trim()
  expect(existsSync(seen)).toBe(false)
  for (const [path, text] of [
    ['/app/a.txt', 'truncated'],
    ['/app/b.txt', 'replaced'],
    ['/app/made', 'made'],
  ])
    expect((await world.verb(['diff', 'last', '--paths', path ?? ''])).stdout).toContain(`+${text}`)

  const printed = await world.verb(['open-branch', 'last', '--print'])
  const folder = printed.stdout.trim()
  sh('printf later > app/made', folder)
  const closed = await world.verb(['open-branch', 'last', '--close', '--json'])
  expect(JSON.parse(closed.stdout)).toMatchObject({ folder, removed: true, conflicts: [] })
  expect((await world.verb(['diff', 'last', '--paths', '/app/made'])).stdout).toContain('+later')
  expect((await world.verb(['open-branch', 'last', '--close'])).code).toBe(2)
})
