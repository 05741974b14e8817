import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openRepository, runs, sh } from './repository.testkit.ts'

it('delivers changes as a commit on a new branch, touches nothing else, and takes it back', async () => {
  await using world = await openRepository(runs('echo 2 > app/a.txt; echo new > app/b.txt; chmod +x app/b.txt'))
  const top = join(world.place, 'top')
  await world.run('top')
  const before = sh(everything, top)
  const plan = await world.verb(['deliver', 'last', '--to', 'fix', '--dry-run'])
  expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('To a new branch fix at')])
  expect(sh(everything, top)).toBe(before)

  const made = await world.verb(['deliver', 'last', '--to', 'fix', '--message', 'Second\n\nWhy.', '--json'])
  expect(made.code, made.stderr).toBe(0)
  expect(sh('git log --format=%an:%B main..fix; git show --stat --format= fix; git show fix:app/a.txt', top)).toBe('')
  expect(sh('git for-each-ref; git fsck --strict 2>&1', top)).toBe('')
})

/** All of the repository and the folder but new objects and the new branch. */
const everything = `git for-each-ref refs/heads/main refs/tags refs/stash
find . -type f -not -path './.git/objects/*' -not -path '*/fix' -print0 | sort -z | xargs -0 sha256sum`
