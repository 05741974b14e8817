import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { file } from '#core/ports/branch-mounts.contract.ts'
import type { LayerId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createBranchMounts } from '../branch-mounts.ts'
import { createMountBase } from '../mount-base.ts'
import { copying, type DiskMountsWorld, findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'
import { fitEnvironment, recordOfUnits } from './environment.ts'
import { createLayerStore } from './layer-store.ts'

const never = new AbortController().signal
const strategies = await findStrategies()
const [cheapest = copying] = strategies

let world: DiskMountsWorld
const layersFolder = () => join(dirname(world.mountsFolder), 'environments')
async function command(script: string, environment: readonly LayerId[] = [], mounts = world.mounts) {
  await using mount = await mounts.open({ owner: 'branch', overlay: [], environment }, never)
  const output = await world.inMount(mount, script)
  return { output, missing: mount.missing, evicted: mount.evicted, ...(await mount.capture()) }
}
afterEach(() => world[Symbol.asyncDispose]())

describe.each(strategies)('a layer that is damaged ($kind)', (kind) => {
  beforeEach(async () => {
    world = openMountsWorld({ probe: async () => kind })
    await world.onDisk('echo "dist/" > .gitignore')
  })

  it.each<readonly [string, (place: string) => void]>([
    ['is gone', (place) => rmSync(place, { recursive: true })],
    ['has no record', (place) => rmSync(join(place, 'layer.json'))],
    ['has half a record', (place) => writeFileSync(join(place, 'layer.json'), '{"units":[{"pa')],
    ['has another kind of record', (place) => writeFileSync(join(place, 'layer.json'), '{"units":[1],"opaque":[2]}')],
    [
      'names paths outside the project',
      (place) =>
        writeFileSync(join(place, 'layer.json'), '{"units":[{"path":"/../../x","stamp":""}],"opaque":[],"home":false}'),
    ],
    ['has no files', (place) => rmSync(join(place, 'files'), { recursive: true })],
    [
      'has a file in place of its home',
      (place) => {
        rmSync(join(place, 'home'), { recursive: true })
        writeFileSync(join(place, 'home'), '')
      },
    ],
  ])('is left out with all above it, and said, when it %s', async (_what, damage) => {
    const one = await command('mkdir dist; echo 1 > dist/1')
    const two = await command('echo 2 > dist/2', one.environment)
    const three = await command('echo 3 > dist/3', two.environment)
    damage(join(layersFolder(), two.environment[1] ?? ''))
    const next = await command('ls dist; echo 4 > dist/4; echo s > source', three.environment)
    expect(next).toMatchObject({ output: '1\n', missing: 'damaged' })
    expect(next.changes.map(({ path }) => path)).toEqual(['/source'])
    expect(await command('ls dist', next.environment)).toMatchObject({ output: '1\n4\n', missing: null })
  })
})

describe.each(strategies)('environments that somebody removes by hand ($kind)', (kind) => {
  beforeEach(async () => {
    world = openMountsWorld({ probe: async () => kind, layerBudget: () => 1e9 })
    await world.onDisk('echo "dist/" > .gitignore')
  })
  const removeAll = () => rmSync(layersFolder(), { recursive: true })

  it('are missing, which the next command says, and what it leaves is found by the one after it', async () => {
    const one = await command('mkdir dist; echo 1 > dist/1')
    removeAll()
    const two = await command('ls dist; mkdir -p dist; echo 2 > dist/2; echo s > source', one.environment)
    expect([two.missing, two.changes.map(({ path }) => path)]).toEqual(['damaged', ['/source']])
    expect(await command('cat dist/*', two.environment)).toMatchObject({ output: '2\n', missing: null })
    await world.mounts.keepLayers(new Set(two.environment))
    await world.mounts.dropLayers(new Set(two.environment))
  })

  it('while a command runs take nothing else with them', async () => {
    const one = await command('mkdir dist; echo 1 > dist/1')
    const mount = await world.mounts.open({ owner: 'branch', overlay: [], environment: one.environment }, never)
    await world.inMount(mount, 'echo 2 > dist/2; echo s > source')
    removeAll()
    const captured = await mount.capture()
    await mount[Symbol.asyncDispose]()
    expect(captured.changes.map(({ path }) => path)).toEqual(['/source'])
    const next = await command('cat dist/*; true', captured.environment)
    expect([next.missing, next.output]).toEqual(['damaged', ''])
  })

  // Mutation: when the branch's files are not laid out again, the command works on those of the project, and nobody is told.
  it('and views of the branch are laid out again', async () => {
    const views = () => world.mountsFolder
    const removeViews = () => {
      // The kernel closes a folder in which it works.
      execFileSync('chmod', ['-R', 'u+rwX', views()])
      rmSync(views(), { recursive: true })
    }
    const look = async () => {
      await using mount = await world.mounts.open({ owner: 'branch', overlay: [file('/made', 'branch')] }, never)
      return [await world.inMount(mount, 'cat made'), (await mount.capture()).changes]
    }
    expect(await look()).toEqual(['branch', []])
    removeViews()
    expect(await look()).toEqual(['branch', []])
    for (const owner of readdirSync(views())) rmSync(join(views(), owner, 'branch'), { recursive: true, force: true })
    expect(await look()).toEqual(['branch', []])
    const mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    removeViews()
    await expect(mount.capture()).rejects.toThrow(/Somebody removed .* Run it again\./)
    await mount[Symbol.asyncDispose]()
    expect(await look()).toEqual(['branch', []])
  })

  it('make no process fail that ends over them', async () => {
    const start = await command('mkdir dist; echo 1 > dist/1')
    const own = await command('echo 2 > dist/2', start.environment)
    const onto = await command('echo 3 > dist/3', start.environment)
    removeAll()
    const joined = await world.mounts.joinLayers({
      start: start.environment,
      own: own.added ?? [],
      onto: onto.environment,
    })
    expect(joined.layers).toEqual(onto.environment)
    expect(await world.mounts.findCommits(joined.layers)).toEqual([])
    expect(await world.mounts.layerUsage()).toEqual([])
  })
})

// A person writes while the layers are compared with the disk, from the newest to the oldest: only the older ones see it.
// Mutation: when what a layer had removed goes from all layers, the newest version is lost, and nobody is told.
it('what a layer had removed goes from the layers below it, not from a newer one', async () => {
  world = openMountsWorld({ probe: async () => cheapest })
  await world.onDisk('echo "ig/" > .gitignore')
  const one = await command('mkdir -p ig/d; echo 1 > ig/d/x')
  const two = await command('rm -r ig/d', one.environment)
  const three = await command('mkdir ig/d; echo 3 > ig/d/x', two.environment)
  await world.onDisk('mkdir -p ig/d; echo person > ig/d/x')
  const store = createLayerStore(layersFolder())
  const newest = store.read(three.environment[2] ?? ('' as LayerId))
  if (!newest) throw new Error('There is no third layer.')
  const around = { rootFolder: world.root, overlay: new Map() }
  const paths = newest.units.map(({ path }) => path)
  store.describe(newest, { ...newest, ...recordOfUnits(newest, paths, around) })
  const { output, evicted } = await command('cat ig/d/x', three.environment)
  expect([output, evicted]).toEqual(['3\n', []])
})

// Mutation: with the stamp of what lies there by now, the person's version is never looked at.
it('what a person writes after the comparison and before the stamp is seen by the next view', async () => {
  world = openMountsWorld({ probe: async () => cheapest })
  await world.onDisk('echo "dist/" > .gitignore')
  const one = await command('mkdir dist; echo 1 > dist/x')
  const store = createLayerStore(layersFolder())
  const [id = '' as LayerId] = one.environment
  const layer = store.read(id)
  if (!layer) throw new Error('There is no layer.')
  store.describe(layer, { ...layer, units: layer.units.map((unit) => ({ ...unit, stamp: 'of another time' })) })
  let isCompared = false
  class Overlay extends Map<VirtualPath, string> {
    override get(path: VirtualPath) {
      isCompared ||= path === '/dist/x'
      return super.get(path)
    }
    override [Symbol.iterator]() {
      if (isCompared) {
        mkdirSync(join(world.root, 'dist'), { recursive: true })
        writeFileSync(join(world.root, 'dist/x'), 'person\n')
      }
      return super[Symbol.iterator]()
    }
  }
  const rules = { isLeftOut: () => true, isIgnoredFolder: () => true, problem: () => null }
  const around = { rootFolder: world.root, overlay: new Overlay(), hiddenFiles: [], at: store.now() - 1_000 }
  const request = { environment: one.environment, kind: cheapest.kind === 'overlay' ? 'overlay' : 'copy' } as const
  const fitting = await fitEnvironment(
    store,
    request,
    rules,
    { ...around, base: createMountBase([], world.root) },
    () => {},
  )
  expect([fitting.evicted, isCompared]).toEqual([[], true])
  const { output, evicted } = await command('cat dist/x', one.environment)
  expect([output, evicted.map(({ path }) => path)]).toEqual(['person\n', ['/dist/x']])
})

/** Only root can mount a small disk. */
describe.runIf(process.getuid?.() === 0).each(strategies)('on a full disk ($kind)', (kind) => {
  it('a command keeps its changes and leaves no layer, and the next one finds what was there before', async () => {
    world = openMountsWorld({ probe: async () => kind })
    await world.onDisk('echo "dist/" > .gitignore; echo s > source')
    const disk = join(dirname(world.mountsFolder), '..', 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk])
    try {
      await using mounts = createBranchMounts({
        rootFolder: world.root,
        mountsFolder: join(disk, 'views'),
        probe: async () => kind,
      })
      const before = await command('mkdir dist; echo 1 > dist/1', [], mounts)
      const fill = 'rm source; echo 2 > dist/2; cat /dev/zero > dist/filler 2>&1'
      const full = await command(`${fill}; true`, before.environment, mounts)
      expect(statfsSync(disk).bavail).toBeGreaterThan(0)
      expect(full.changes.map(({ path }) => path)).toEqual(['/source'])
      expect(full).toMatchObject({
        environment: before.environment,
        unkept: expect.stringContaining('The disk is full'),
      })
      const next = await command('ls dist; echo 3 > dist/3', full.environment, mounts)
      expect(next).toMatchObject({ output: '1\n', missing: null })
      expect(next.environment).toHaveLength(2)
    } finally {
      execFileSync('umount', ['-l', disk])
    }
  })

  // Mutation: when the layer is made ready outside `keepIfRoom`, the command fails, and its changes are gone.
  it('without a file more to make, the changes of a command stay too', async () => {
    world = openMountsWorld({ probe: async () => kind })
    await world.onDisk('echo "dist/" > .gitignore')
    const disk = join(dirname(world.mountsFolder), '..', 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,nr_inodes=400', 'tmpfs', disk])
    try {
      await using mounts = createBranchMounts({
        rootFolder: world.root,
        mountsFolder: join(disk, 'views'),
        probe: async () => kind,
      })
      const fill =
        'echo s > source; mkdir -p sub/dist; i=0; while : > sub/dist/$i; do i=$((i+1)); done 2> /dev/null; true'
      const full = await command(fill, [], mounts)
      expect(full.changes.map(({ path }) => path)).toEqual(['/source'])
      expect(full).toMatchObject({ environment: [], unkept: expect.stringContaining('The disk is full') })
    } finally {
      execFileSync('umount', ['-l', disk])
    }
  })

  it('what commands left is not joined, which the failure says, and nothing of it is lost', async () => {
    world = openMountsWorld({ probe: async () => kind })
    await world.onDisk('echo "dist/" > .gitignore')
    const disk = join(dirname(world.mountsFolder), '..', 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk])
    try {
      await using mounts = createBranchMounts({
        rootFolder: world.root,
        mountsFolder: join(disk, 'views'),
        probe: async () => kind,
      })
      const many = 'mkdir dist; for i in $(seq 300); do mkdir dist/$i; echo $i > dist/$i/f; done; echo own > dist/both'
      const { environment } = await command(many, [], mounts)
      await world.onDisk('mkdir dist; echo person > dist/both')
      const filler = join(disk, 'filler')
      execFileSync('bash', ['-c', `head -c 10M /dev/zero > ${filler} 2> /dev/null || true`])
      await expect(command('true', environment, mounts)).rejects.toMatchObject({
        code: 'no_space',
        message: expect.stringMatching(/(disk is full|not enough space).*Free some space/),
      })
      rmSync(filler)
      const next = await command('cat dist/both dist/300/f; ls dist | wc -l', environment, mounts)
      expect(next).toMatchObject({ output: 'person\n300\n301\n', missing: null })
      expect((await mounts.layerUsage()).length).toBeGreaterThanOrEqual(next.environment.length)
    } finally {
      execFileSync('umount', ['-l', disk])
    }
  })
})
