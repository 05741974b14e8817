import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { findDeliveries } from '#core/delivery/find-deliveries.ts'
import { openDeliveryWorld } from './delivery-world.testkit.ts'
import { openPublishing } from './publish.ts'

// Mutation: when only a missing program is a problem, a login that is missing looks like a pull request without an address.
it('says in words why there is no pull request, keeps the push, and opens it when asked again', async () => {
  await using world = await openDeliveryWorld(
    'echo 1 > a; git add -A; git commit -qm 1; git init -q --bare --template= ../one.git; git remote add origin ../one.git',
  )
  const bin = join(world.above, 'bin')
  mkdirSync(bin)
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const gh = (script: string) => {
    writeFileSync(join(bin, 'gh'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, 'gh'), 0o755)
  }
  await world.write({ '/a': '2\n' })
  const [made] = await world.deliver('to')
  const { log } = world.project.services
  const stored = () => findDeliveries(log, [...log.state.threads.keys()][0] ?? ('' as never))[0]
  const open = () =>
    openPublishing(world.project, {
      ...{ branchId: world.branchId, sequence: made?.sequence ?? (0 as never), remote: null },
      pullRequest: { title: 'It’s done', body: '', draft: false, base: null },
    })(() => {}, new AbortController().signal)
  gh('echo "To get started with GitHub CLI, please run:  gh auth login" >&2; exit 4')
  const refused = await open()
  expect(refused).toMatchObject({
    remote: 'origin',
    pullRequest: null,
    output: expect.stringContaining('gh auth login'),
  })
  expect(refused.problem).toMatch(
    /^The branch is pushed\. gh opened no pull request\. By hand: gh pr create --head to --title /,
  )
  expect(stored()).toMatchObject({ remote: 'origin', pullRequest: null })
  expect(world.sh('git -C ../one.git rev-parse to')).toBe(world.sh('git rev-parse to'))
  gh('echo https://x.example/pull/1')
  expect(await open()).toMatchObject({ problem: null, pullRequest: 'https://x.example/pull/1' })
  expect(stored()).toMatchObject({ remote: 'origin', pullRequest: 'https://x.example/pull/1' })
})
