import { cpSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { LayerId } from '#shared/model/ids.ts'
import { type BranchMountsOptions, createBranchMounts } from '../branch-mounts.ts'
import { type DiskMountsWorld, findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'
import { createLayerStore } from './layer-store.ts'
import { startOfRun } from './shorten-stack.ts'

const never = new AbortController().signal
const strategies = await findStrategies()
const [cheapest] = strategies
let world: DiskMountsWorld
let layersFolder: string

async function open(mostInStack: number, options: Partial<BranchMountsOptions> = {}): Promise<void> {
  world = openMountsWorld({ mostInStack, ...options })
  layersFolder = join(dirname(world.mountsFolder), 'environments')
  await world.onDisk('echo "dist/" > .gitignore; mkdir -p dist/old/deep; echo p > dist/old/deep/p; echo b > dist/base')
}
/** The same folders for an app that was started again. */
async function reopen(mostInStack: number, options: Partial<BranchMountsOptions> = {}) {
  await world.mounts[Symbol.asyncDispose]()
  const { root: rootFolder, mountsFolder } = world
  return createBranchMounts({ rootFolder, mountsFolder, mostInStack, ...options })
}
async function command(script: string, environment: readonly LayerId[], mounts = world.mounts, owner = 'branch') {
  await using mount = await mounts.open({ owner, overlay: [], environment }, never)
  const output = await world.inMount(mount, `home='${mount.home}'; ${script}`)
  return { output, ...(await mount.capture()) }
}
async function commands(lines: readonly string[], environment: readonly LayerId[] = []) {
  let left = environment
  for (const line of lines) left = (await command(line, left)).environment
  return left
}
const layerFolders = () => readdirSync(layersFolder).filter((name) => /^[0-9a-f]{16}$/.test(name))

/** What a command can find out about files and folders. Sizes of folders and numbers of links differ. */
const look = `(find dist $home -mindepth 1 ! -type d -printf '%P %y %m %s %b %T@ %l\\n' | LC_ALL=C sort
  find dist $home -mindepth 1 -type d -printf '%P %m %T@\\n' | LC_ALL=C sort
  find dist $home -type f -exec sha256sum {} + | sed "s|$home||" | LC_ALL=C sort
  if [ dist/a/one -ef dist/links/hard ]; then echo linked; fi) 2>&1`

/** Each line is a command of its own. Together they do all that a layer can hold. */
const lines = [
  'mkdir -p dist/a/b/c dist/links; echo 1 > dist/a/one; echo 2 > dist/a/b/two; echo 3 > dist/a/b/c/three; echo h > $home/h',
  'chmod 750 dist/a; chmod 4755 dist/a/one; ln dist/a/one dist/links/hard; ln -s ../a/one dist/links/soft',
  'rm -r dist/old; rm dist/base; mkdir $home/.cache; echo c > $home/.cache/c',
  'rm -r dist/a/b; mkdir dist/a/b; echo new > dist/a/b/four',
  'truncate -s 5M dist/sparse; touch -d 2001-02-03 dist/sparse dist/a/b; mkfifo dist/pipe',
  'mkdir -p dist/old/deep; echo again > dist/old/deep/q',
  "rm -r $home/.cache; echo f > $home/.cache; mkdir dist/sealed; echo s > dist/sealed/s; chmod 555 dist/sealed; echo x > $'dist/odd\\nname'",
  'rm dist/a/one; mkdir dist/a/one; echo inner > dist/a/one/inner; touch -d 2002-03-04 dist/a',
  'rm -r dist/a/one; echo file > dist/a/one; chmod 600 dist/links/hard',
  'rm dist/pipe dist/links/soft; mv dist/links dist/moved; rm -r dist/old; mkdir dist/empty',
]

describe.each(strategies)('a list that became shorter ($kind)', (strategy) => {
  afterEach(() => world[Symbol.asyncDispose]())
  const probe = async () => strategy
  const isOverlay = strategy.kind === 'overlay'

  // Mutations: without `hides` or `opaque` in its record, or in another order, something is shown that was removed.
  it('shows exactly what it showed, and so do the lists that name the old layers', async () => {
    await open(1000, { probe })
    let environment: readonly LayerId[] = []
    const seen: string[] = []
    // Pipes are left out of copies, and hard links are two files in them.
    for (const line of isOverlay
      ? lines
      : lines.map((one) => one.replace('; mkfifo dist/pipe', '').replace('dist/pipe ', ''))) {
      environment = (await command(line, environment)).environment
      seen.push((await command(look, environment)).output)
    }
    expect(environment).toHaveLength(lines.length)
    await using joining = await reopen(1, { probe })
    const short: (readonly LayerId[])[] = []
    for (const [index] of seen.entries())
      short.push((await command('true', environment.slice(0, index + 1), joining)).environment)
    expect(short.map((list) => list.length)).toEqual(lines.map(() => 1))
    for (const [index, one] of seen.entries())
      expect((await command(look, short[index] ?? [], joining)).output).toBe(one)
    expect((await command(look, environment.slice(0, 6), joining)).output).toBe(seen[5])
    await using apart = await reopen(1, { probe, droppedLast: () => new Set(environment.slice(0, 3)) })
    const list = (await command('true', environment, apart)).environment
    expect([list.length, list.slice(0, 3)]).toEqual([4, environment.slice(0, 3)])
    expect((await command(look, list, apart)).output).toBe(seen.at(-1))
  })

  // Mutation: with the time of its oldest or newest layer in place of that of the mount, one of the two is lost.
  it('is joined with what a person does, as its layers were', async () => {
    await open(2, { probe })
    const environment = await commands([
      'mkdir -p dist; echo 1 > dist/1',
      'echo 2 > dist/2',
      'echo 3 > dist/3; echo 4 > dist/4',
    ])
    expect(environment).toHaveLength(1)
    await world.onDisk('echo person > dist/2; echo person > dist/own')
    const { output, environment: after } = await command('cat dist/[1-4] dist/own', environment)
    const told = await command('cat $home/kept/1/dist/2', after)
    expect([output, told.output]).toEqual(['1\nperson\n3\n4\nperson\n', '2\n'])
  })

  // Mutation: without the parts, what the process saw at its start counts as newer than what it wrote there.
  it('is what a process joins only with what it did not see of it', async () => {
    await open(1000, { probe })
    const start = await commands(['mkdir -p dist; echo 1 > dist/a; echo 1 > dist/c', 'echo 1 > dist/b'])
    const process = await command('echo process > dist/a; echo process > dist/c', start, world.mounts, 'process')
    const later = await commands(['echo command > dist/b; echo command > dist/c'], start)
    await using joining = await reopen(1, { probe })
    const onto = (await command('true', later, joining)).environment
    expect(onto).toHaveLength(1)
    // What no entry names any more stays as long as the joined one needs it.
    await joining.keepLayers(new Set([...start, ...(process.added ?? []), ...onto]))
    const joined = await joining.joinLayers({ start, own: process.added ?? [], onto })
    expect(joined.evicted).toEqual([{ path: '/dist/c', why: 'commands', keptAs: '~/kept/1/dist/c' }])
    const { output } = await command('cat dist/a dist/b dist/c $home/kept/1/dist/c', joined.layers, joining)
    expect(output).toBe('process\ncommand\ncommand\nprocess\n')
  })

  it('gives the disk back what nobody names', async () => {
    await open(2, { probe })
    const environment = await commands(['mkdir -p dist; echo 1 > dist/1', 'echo 2 > dist/2', 'echo 3 > dist/3'])
    expect([environment.length, layerFolders().length]).toEqual([1, 4])
    await world.mounts.keepLayers(new Set(environment))
    expect(layerFolders()).toHaveLength(4)
    mkdirSync(join(layersFolder, 'joined-0123456789abcdef'))
    await world.mounts.dropLayers(new Set(environment))
    await world.mounts.keepLayers(new Set())
    expect(readdirSync(layersFolder).filter((name) => !name.startsWith('.'))).toEqual([])
  })

  it('stays as it was where its layers cannot become one', async () => {
    await open(1000, { probe })
    const environment = await commands(['mkdir -p dist; echo 1 > dist/1', 'echo 2 > dist/2', 'echo 3 > dist/3'])
    await using joining = await reopen(1, { probe })
    // A kill in the middle leaves a layer without a record, which is none.
    mkdirSync(join(layersFolder, '0123456789abcdef/files'), { recursive: true })
    const plant = (one: number, name: string) => join(layersFolder, environment[one] ?? '', 'files/dist', name)
    if (isOverlay) {
      writeFileSync(plant(0, 'sub'), 'a file that a later layer has as a folder')
      mkdirSync(plant(1, 'sub'))
      const same = await command('cat dist/[123]', environment, joining)
      expect([same.output, same.environment]).toEqual(['1\n2\n3\n', environment])
    }
    await joining.keepLayers(new Set(environment))
    expect(layerFolders().sort()).toEqual([...environment].sort())
  })

  // Mutation: when each layer counts as it was when it was new, the sum falls below the truth after a removal.
  it('takes no more than what is measured of new layers alone', async () => {
    await open(2, { probe })
    const fill = (name: string) => `mkdir -p dist; head -c 100000 /dev/zero > dist/${name}`
    const store = createLayerStore(layersFolder)
    let environment: readonly LayerId[] = []
    const isEnough = async () => {
      const real = (await store.usage()).reduce((sum, { bytes }) => sum + bytes, 0)
      const most = await store.bytesAtMost()
      expect([most >= real, most <= 2 * real], `${most} of ${real}`).toEqual([true, true])
    }
    for (const name of ['a', 'b', 'c', 'd']) {
      environment = (await command(fill(name), environment)).environment
      await isEnough()
    }
    for (const id of (await store.list()).filter((one) => !environment.includes(one))) {
      await store.remove(id)
      await isEnough()
    }
  })

  it('has few layers, however many commands there were', async () => {
    await open(4, { probe })
    const all = Array.from({ length: 9 }, (_, index) => `mkdir -p dist; echo ${index} > dist/${index}`)
    const environment = await commands(all)
    expect(environment.length).toBeLessThanOrEqual(4)
    expect((await command('ls dist | wc -l', environment)).output).toBe('11\n')
  })
})

describe('the layers that become one', () => {
  it('are few, at the end, at least half of what is allowed, and no large one for a few small ones', () => {
    const list = fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 60 })
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 20 }), (sizes, most) => {
        const first = startOfRun(sizes, most)
        if (sizes.length <= most) {
          expect(first).toBe(sizes.length)
          return
        }
        expect(first + 1).toBeLessThanOrEqual(most)
        expect(sizes.length - first).toBeGreaterThanOrEqual(Math.min(sizes.length, Math.max(2, Math.ceil(most / 2))))
        const newer = sizes.slice(first).reduce((sum, size) => sum + size, 0)
        if (first > 0) expect(sizes[first - 1]).toBeGreaterThan(4 * newer)
      }),
    )
    expect(startOfRun([50_000, ...Array.from({ length: 16 }, () => 1)], 16)).toBe(1)
  })
})

describe.runIf(cheapest?.kind === 'overlay')('layers of overlay mounts', () => {
  afterEach(() => world[Symbol.asyncDispose]())

  // Mutation: without `keep_hidden` nothing is joined; with a plain folder in its place, `old` shows again.
  it('become one where one has a folder over what an older one removed', async () => {
    await open(1000)
    const removed = (await command('rm -r dist/old', [])).environment
    const { environment } = await command('mkdir -p dist/new/deep; echo a > dist/new/a', removed)
    // As it is left when a folder that was made again is opened, and the older layer is not.
    const place = join(layersFolder, environment[1] ?? '', 'files/dist')
    renameSync(join(place, 'new'), join(place, 'old'))
    const seen = (await command(look, environment)).output
    await using joining = await reopen(1)
    const short = (await command('true', environment, joining)).environment
    expect(short).toHaveLength(1)
    expect((await command(look, short, joining)).output).toBe(seen)
  })

  // Fails when the script goes on where it finds a link: the file outside is removed.
  it('stay as they are where no command could have made them, so nothing is removed through their links', async () => {
    await open(1000)
    await world.onDisk('mkdir ../outside; echo canary > ../outside/kept')
    const one = (await command(`ln -s '${world.root}/../outside' $home/a`, [])).environment
    const two = (await command('echo 2 > $home/two', one)).environment
    const planted = join(layersFolder, two[1] ?? '', 'home/a')
    mkdirSync(planted)
    writeFileSync(join(planted, 'kept'), 'planted')
    await using again = await reopen(1)
    expect((await command('true', two, again)).environment).toEqual(two)
    expect(await world.onDisk('cat ../outside/kept')).toBe('canary\n')
  })

  describe('in a list that is longer than a mount can show', () => {
    const ids = Array.from({ length: 40 }, (_, index) => (index + 1).toString(16).padStart(16, '0') as LayerId)
    async function makeLayers(): Promise<void> {
      await open(1)
      const [first] = (await command('echo h > $home/h', [])).environment
      for (const id of ids) {
        cpSync(join(layersFolder, first ?? ''), join(layersFolder, id), { recursive: true })
        writeFileSync(join(layersFolder, id, 'home', id), id)
      }
    }

    it('become one before it opens', async () => {
      await makeLayers()
      const { output, environment } = await command('ls $home | wc -l', ids)
      expect([output, environment.length]).toEqual(['41\n', 1])
    })

    it('are named with what to do when that fails, and stay', async () => {
      await makeLayers()
      writeFileSync(join(layersFolder, ids[7] ?? '', 'home/sub'), 'a file that a later layer has as a folder')
      mkdirSync(join(layersFolder, ids[8] ?? '', 'home/sub'))
      await expect(command('true', ids)).rejects.toThrow(
        /clean up the environment of this thread in Settings → Storage/,
      )
      expect(await world.mounts.layerUsage()).toHaveLength(ids.length + 1)
    })
  })
})
