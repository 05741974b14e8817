import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LayerId } from '#shared/model/ids.ts'
import { type DiskMountsWorld, findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'

const never = new AbortController().signal
const strategies = await findStrategies()

let world: DiskMountsWorld
const open = (environment: readonly LayerId[] = []) =>
  world.mounts.open({ owner: 'branch', overlay: [], environment }, never)
async function command(script: string, environment?: readonly LayerId[]) {
  await using mount = await open(environment)
  const output = await world.inMount(mount, script)
  return { output, missing: mount.missing, ...(await mount.capture()) }
}
const storedLayers = async () => (await world.mounts.layerUsage()).map(({ id }) => id)

describe.each(strategies)('layers of an open mount ($kind)', (kind) => {
  let environment: readonly LayerId[]
  beforeEach(async () => {
    world = openMountsWorld({ probe: async () => kind })
    await world.onDisk(`printf 'dist/\\nbuild/\\n' > .gitignore`)
    environment = (await command('mkdir dist build; echo d > dist/d; echo b > build/b')).environment
    // The layer no longer fits, so each mount makes one without this path.
    await world.onDisk('mkdir build; echo own > build/b')
  })
  afterEach(() => world[Symbol.asyncDispose]())

  it('stay when they stand in for others and unused layers are removed', async () => {
    const mount = await open(environment)
    expect(mount.evicted).toEqual([{ path: '/build/b', why: 'disk', keptAs: '~/kept/1/build/b' }])
    await world.mounts.keepLayers(new Set(environment))
    expect(await world.inMount(mount, 'cat dist/d build/b')).toBe('d\nown\n')
    const captured = await mount.capture()
    await mount[Symbol.asyncDispose]()
    expect(await command('cat dist/d', captured.environment)).toMatchObject({ output: 'd\n', missing: null })
  })

  it('are gone when it closes without a capture, or nobody takes its capture over', async () => {
    await (await open(environment))[Symbol.asyncDispose]()
    expect(await storedLayers()).toEqual(environment)
    const mount = await open(environment)
    await world.inMount(mount, 'echo e > dist/e')
    const captured = await mount.capture()
    expect(captured.environment).toHaveLength(3)
    mount.dropCaptured()
    await mount[Symbol.asyncDispose]()
    expect(await storedLayers()).toEqual(environment)
  })

  it('share the bytes of files that both have, whenever they are measured', async () => {
    await world.onDisk('rm -r build')
    const big = await command('echo c > build/b; head -c 3000000 /dev/urandom > dist/big', environment)
    await world.mounts.layerUsage()
    await world.onDisk('mkdir build; echo own > build/b')
    const next = await command('true', big.environment)
    const large = async () => (await world.mounts.layerUsage()).filter(({ bytes }) => bytes > 2_000_000).length
    expect(await large()).toBe(1)
    await world.mounts.dropLayers(new Set(big.environment))
    expect(await command('wc -c < dist/big', next.environment)).toMatchObject({ output: '3000000\n', missing: null })
    expect(await large()).toBe(1)
  })
})
