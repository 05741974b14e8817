import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MountStrategy } from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { createBranchMounts } from '../branch-mounts.ts'
import { copying, type DiskMountsWorld, findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'

const never = new AbortController().signal
const [overlay = copying] = await findStrategies()

let world: DiskMountsWorld
async function commandIn(kind: MountStrategy, script: string, environment: readonly LayerId[] = []) {
  const { root, mountsFolder } = world
  await using mounts = createBranchMounts({ rootFolder: root, mountsFolder, probe: async () => kind })
  await using mount = await mounts.open({ owner: 'branch', overlay: [], environment }, never)
  const output = await world.inMount(mount, script)
  return { output, missing: mount.missing, environment: (await mount.capture()).environment }
}

describe.runIf(overlay.kind === 'overlay')('a layer that another kind of view made', () => {
  beforeEach(async () => {
    world = openMountsWorld()
    await world.onDisk('echo "dist/" > .gitignore; mkdir dist; echo old > dist/old')
  })
  afterEach(() => world[Symbol.asyncDispose]())

  it.each([
    [overlay, copying],
    [copying, overlay],
  ])('is missing with all above it, and said ($kind)', async (before, now) => {
    const one = await commandIn(before, 'rm dist/old; echo 1 > dist/1')
    const two = await commandIn(before, 'echo 2 > dist/2', one.environment)
    expect(await commandIn(now, 'ls dist', two.environment)).toEqual({
      output: 'old\n',
      missing: 'other_kind',
      environment: [],
    })
    expect(await commandIn(before, 'ls dist', two.environment)).toMatchObject({ output: '1\n2\n', missing: null })
  })
})
