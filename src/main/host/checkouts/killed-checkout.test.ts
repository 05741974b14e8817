import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { everyOf } from '#core/ports/test-size.testkit.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { openCheckoutWorld, textAt } from './checkout-world.testkit.ts'
import type { KilledCheckout } from './killed-checkout.testkit.ts'

/** `killed-checkout.testkit.ts` as one file. Every point starts a new process. */
const fixture = join(String(process.env.COPPICE_TEST_CHILDREN), 'killed-checkout.mjs')
const never = new AbortController().signal

// Mutation: without the mark in `make-checkout.ts`, the person is told only that the folder is not empty.
it('a worktree that is killed while it is made is there whole, or it is said what to do with the half; a second try works', async () => {
  const world = await openCheckoutWorld('for f in a b c d e; do echo $f > $f; done; git add -A; git commit -qm 1')
  const { above, branchId, folder: project, sh } = world
  await world.write({ '/a': 'new\n' })
  const data = join(above, 'data')
  await world.host[Symbol.asyncDispose]()
  const ends = new Set<string>()
  const every = everyOf(1)
  for (let point = 1; ; point += every) {
    const folder = join(above, `tree-${point}`)
    const task = JSON.stringify({ project, data, branchId, folder, killBefore: point } satisfies KilledCheckout)
    const { signal, stderr } = spawnSync(process.execPath, ['--no-warnings', fixture, task], { encoding: 'utf8' })
    if (signal === null) expect(stderr).toBe('')
    await using host = await openTestHost(data)
    const { checkouts } = await host.projects.open(project)
    const make = () => checkouts.make({ branchId, folder, gitBranch: null }, never)
    if (checkouts.list(branchId).some((one) => one.folder === folder)) ends.add('whole')
    else {
      const said = await make().then(
        () => 'made again',
        (error: Error) => error.message.slice(folder.length + 1),
      )
      ends.add(said)
      if (said.startsWith('is the half')) {
        if (existsSync(join(folder, '.git'))) sh(`git worktree remove --force --force ${folder}`)
        else sh(`rm -r ${folder}`)
        await make()
      }
    }
    expect([point, textAt(folder, 'a'), textAt(folder, 'e')]).toEqual([point, 'new\n', 'e\n'])
    expect(sh('git status --porcelain; git fsck --strict 2>&1 | grep -v dangling || true')).toBe('')
    if (signal === null) break
  }
  expect([...ends].map((one) => one.slice(0, 11)).sort()).toEqual(['is the half', 'made again', 'whole'])
  await world[Symbol.asyncDispose]()
})
