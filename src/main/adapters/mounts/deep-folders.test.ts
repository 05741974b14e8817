import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { LayerId } from '#shared/model/ids.ts'
import { createBranchMounts } from './branch-mounts.ts'
import { type DiskMountsWorld, findStrategies, openMountsWorld } from './mounts-world.testkit.ts'

const never = new AbortController().signal
const strategies = await findStrategies()

let world: DiskMountsWorld
beforeEach(() => {
  world = openMountsWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

/** Folders one below the other, deeper than any path may be long, with a file in the deepest one. */
const deep = (top: string) =>
  `mkdir -p ${top}; cd ${top}; for i in $(seq 1 45); do n=$(printf '%0100d' 0); mkdir $n; cd -P $n; done; echo end > end`

// Mutation: without `mostLevels` a copy of 3,000 folders takes many minutes. Without `longestPath` a capture fails, and with it every later command of the branch.
it.each(strategies)('leaves out what is deeper than a path can be long, and names it ($kind)', async (kind) => {
  const mounts = createBranchMounts({
    rootFolder: world.root,
    mountsFolder: world.mountsFolder,
    probe: async () => kind,
  })
  await using _mounts = mounts
  let environment: readonly LayerId[] = []
  const run = async (script: string) => {
    await using mount = await mounts.open({ owner: 'branch', overlay: [], environment }, never)
    const output = await world.inMount(mount, script)
    const captured = await mount.capture()
    environment = captured.environment ?? environment
    return { output, notKept: captured.notKept ?? [], changes: captured.changes.map(({ path }) => path) }
  }
  const { notKept, changes } = await run(`echo kept > beside; ${deep('a')}`)
  expect(notKept.map(({ why }) => why)).toEqual(['too_deep'])
  expect(changes).toContain('/beside')
  expect(await run('ls')).toMatchObject({ output: '', notKept: [], changes: [] })

  const steps = await run(`perl -e 'for (1..600) { mkdir "d"; chdir "d" }'; echo kept > beside`)
  expect(steps.notKept.map(({ why }) => why)).toEqual(['too_deep'])
  expect(steps.notKept[0]?.path).toBe('/d'.repeat(201))
  expect(steps.changes).toContain('/beside')

  await world.onDisk('echo build/ > .gitignore')
  mkdirSync(join(world.root, 'build'))
  expect(await run(`${deep('build/out')}; cd ../..; true`)).toMatchObject({ notKept: [], changes: [] })
  await run('ls build')
  expect(await run('rm -rf build/out; ls -A build')).toMatchObject({ output: '' })
})
