import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LayerId } from '#shared/model/ids.ts'
import { findCommandUser } from '../../system/command-user.ts'
import { type BranchMountsOptions, createBranchMounts } from '../branch-mounts.ts'
import { type DiskMountsWorld, openMountsWorld } from '../mounts-world.testkit.ts'
import { createJoinedLayers } from './joined-layers.ts'

const never = new AbortController().signal
let world: DiskMountsWorld
let layersFolder: string

async function open(mostInStack: number, options: Partial<BranchMountsOptions> = {}): Promise<void> {
  world = openMountsWorld({ mostInStack, ...options })
  layersFolder = join(dirname(world.mountsFolder), 'environments')
  await world.onDisk('echo "dist/" > .gitignore; mkdir -p dist/old/deep; echo p > dist/old/deep/p; echo b > dist/base')
}
async function command(script: string, environment: readonly LayerId[], mounts = world.mounts) {
  await using mount = await mounts.open({ owner: 'branch', overlay: [], environment }, never)
  const output = await world.inMount(mount, `home='${mount.home}'; ${script}`)
  return { output, environment: (await mount.capture()).environment }
}
const joinedFolders = () => readdirSync(layersFolder).filter((name) => name.startsWith('joined-'))

/** What a command can find out about files and folders. Sizes of folders and numbers of links differ. */
const look = `(find dist $home -mindepth 1 ! -type d -printf '%P %y %m %s %b %T@ %l\\n' | LC_ALL=C sort
  find dist $home -mindepth 1 -type d -printf '%P %m %T@\\n' | LC_ALL=C sort
  find dist $home -type f -exec sha256sum {} + | sed "s|$home||" | LC_ALL=C sort
  if [ dist/a/one -ef dist/links/hard ]; then echo linked; fi) 2>&1`

/** Each line is a command of its own. Together they do all that a layer can hold. */
const commands = [
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

afterEach(() => world[Symbol.asyncDispose]())

describe('joined layers', () => {
  beforeEach(() => open(1000))

  it('show exactly what their layers show, after every command', async (context) => {
    if ((await world.mounts.findStrategy()).kind !== 'overlay') return context.skip('there are no overlay mounts here')
    let environment: readonly LayerId[] = []
    const seen: string[] = []
    for (const line of commands) {
      environment = (await command(line, environment)).environment
      seen.push((await command(look, environment)).output)
    }
    expect([environment.length, joinedFolders()]).toEqual([commands.length, []])
    await world.mounts[Symbol.asyncDispose]()
    await using joining = createBranchMounts({
      rootFolder: world.root,
      mountsFolder: world.mountsFolder,
      mostInStack: 1,
    })
    for (const [index, one] of seen.entries()) {
      const layers = environment.slice(0, index + 1)
      expect((await command(look, layers, joining)).output).toBe(one)
      await joining.keepLayers(new Set(environment))
      expect(joinedFolders()).toHaveLength(index === 0 ? 0 : 1)
      expect((await command(look, layers, joining)).output).toBe(one)
    }
  })
})

// Mutation: without `keep_hidden` nothing is joined; with a plain folder in its place, `old` shows again.
it('layers are joined where one has a folder over what an older one removed', async (context) => {
  await open(1000)
  if ((await world.mounts.findStrategy()).kind !== 'overlay') return context.skip('there are no overlay mounts here')
  const removed = (await command('rm -r dist/old', [])).environment
  const { environment } = await command('mkdir -p dist/new/deep; echo a > dist/new/a', removed)
  // As it is left when a folder that was made again is opened, and the older layer is not.
  renameSync(
    join(layersFolder, environment[1] ?? '', 'files/dist/new'),
    join(layersFolder, environment[1] ?? '', 'files/dist/old'),
  )
  const seen = (await command(look, environment)).output
  await world.mounts[Symbol.asyncDispose]()
  await using joining = createBranchMounts({ rootFolder: world.root, mountsFolder: world.mountsFolder, mostInStack: 1 })
  await command('true', environment, joining)
  await joining.keepLayers(new Set(environment))
  expect(joinedFolders()).toHaveLength(1)
  expect((await command(look, environment, joining)).output).toBe(seen)
})

describe('a joined layer', () => {
  beforeEach(() => open(2))

  it('is removed with any of its layers, and so is what a kill left of one', async (context) => {
    if ((await world.mounts.findStrategy()).kind !== 'overlay') return context.skip('there are no overlay mounts here')
    let environment: readonly LayerId[] = []
    for (const name of ['a', 'b', 'c'])
      environment = (await command(`mkdir -p dist; echo ${name} > dist/${name}`, environment)).environment
    const half = join(layersFolder, 'joined-0123456789abcdef')
    mkdirSync(join(half, 'files'), { recursive: true })
    await world.mounts.keepLayers(new Set(environment))
    expect(joinedFolders()).toHaveLength(1)
    expect(joinedFolders()).not.toContain('joined-0123456789abcdef')
    await world.mounts.keepLayers(new Set(environment.slice(0, 2)))
    expect(joinedFolders()).toEqual([])
    expect((await command('ls dist', environment.slice(0, 2))).output).toBe('a\nb\nbase\nold\n')
  })
})

describe('joining', () => {
  beforeEach(() => open(2))
  const ids = Array.from({ length: 40 }, (_, index) => (index + 1).toString(16).padStart(16, '0') as LayerId)
  async function makeLayers(): Promise<void> {
    const [first] = (await command('echo h > $home/h', [])).environment
    for (const id of ids) {
      cpSync(join(layersFolder, first ?? ''), join(layersFolder, id), { recursive: true })
      writeFileSync(join(layersFolder, id, 'home', id), id)
    }
  }

  it('happens before a mount that the system could not make', async (context) => {
    if ((await world.mounts.findStrategy()).kind !== 'overlay') return context.skip('there are no overlay mounts here')
    await makeLayers()
    expect((await command('ls $home | wc -l', ids)).output).toBe('41\n')
    expect(joinedFolders()).toHaveLength(1)
  })

  it('says what to do when that fails, and keeps all layers', async (context) => {
    if ((await world.mounts.findStrategy()).kind !== 'overlay') return context.skip('there are no overlay mounts here')
    await makeLayers()
    writeFileSync(join(layersFolder, ids[7] ?? '', 'home/sub'), 'a file that a later layer has as a folder')
    mkdirSync(join(layersFolder, ids[8] ?? '', 'home/sub'))
    await expect(command('true', ids)).rejects.toThrow(/clean up the environment of this thread in Settings → Storage/)
    expect(joinedFolders()).toEqual([])
    expect(await world.mounts.layerUsage()).toHaveLength(41)
  })

  it('leaves nothing half when it is stopped', async (context) => {
    if ((await world.mounts.findStrategy()).kind !== 'overlay') return context.skip('there are no overlay mounts here')
    await makeLayers()
    await command('true', ids.slice(0, 20))
    expect(joinedFolders()).toHaveLength(1)
    await world.mounts[Symbol.asyncDispose]()
    expect(joinedFolders()).toEqual([])
  })
})

describe('a layer that no command could make', () => {
  beforeEach(() => open(1))

  // Fails when the script goes on where it finds a link: the file outside is removed.
  it('is not joined, so that nothing is removed through its links', async (context) => {
    if ((await world.mounts.findStrategy()).kind !== 'overlay') return context.skip('there are no overlay mounts here')
    await world.onDisk('mkdir ../outside; echo canary > ../outside/kept')
    const one = (await command(`ln -s '${world.root}/../outside' $home/a`, [])).environment
    const two = (await command('echo 2 > $home/two', one)).environment
    const planted = join(layersFolder, two[1] ?? '', 'home/a')
    mkdirSync(planted)
    writeFileSync(join(planted, 'kept'), 'planted')
    await world.mounts[Symbol.asyncDispose]()
    for (const name of joinedFolders()) rmSync(join(layersFolder, name), { recursive: true })
    await using again = createBranchMounts({ rootFolder: world.root, mountsFolder: world.mountsFolder, mostInStack: 1 })
    await command('true', two, again)
    await again.keepLayers(new Set(two))
    expect(joinedFolders()).toEqual([])
    expect(await world.onDisk('cat ../outside/kept')).toBe('canary\n')
  })
})

describe('a joined layer in use', () => {
  it('is no longer used when a mount could not be opened', async (context) => {
    let problem: Error | null = null
    const findCaches = () => {
      if (problem) throw problem
      return []
    }
    await open(1, { findCaches })
    if ((await world.mounts.findStrategy()).kind !== 'overlay') return context.skip('there are no overlay mounts here')
    const one = (await command('mkdir -p dist; echo 1 > dist/1', [])).environment
    const two = (await command('echo 2 > dist/2', one)).environment
    await world.mounts.keepLayers(new Set(two))
    expect(joinedFolders()).toHaveLength(1)
    problem = new Error('no caches')
    await expect(command('true', two)).rejects.toThrow('no caches')
    await world.mounts.dropLayers(new Set(two))
    expect(joinedFolders()).toEqual([])
  })

  it('is not removed while it is being made', async (context) => {
    await open(1000)
    if ((await world.mounts.findStrategy()).kind !== 'overlay') return context.skip('there are no overlay mounts here')
    const one = (await command('mkdir -p dist; echo 1 > dist/1', [])).environment
    const two = (await command('echo 2 > dist/2', one)).environment
    const user = await findCommandUser()
    const joined = createJoinedLayers(layersFolder, 1)
    const keeping = joined.keepOnly(new Set(two))
    const layers = two.map((id) => ({ id, home: false }))
    joined.joinIfDeep(layers, user)
    await keeping
    await joined.whenJoined()
    expect(joinedFolders()).toHaveLength(1)
    using stack = joined.stack(layers)
    expect(stack.folders).toHaveLength(1)
  })
})

describe('a stack that was never joined', () => {
  beforeEach(() => open(1000))

  it('may have hundreds of layers', async (context) => {
    if ((await world.mounts.findStrategy()).kind !== 'overlay') return context.skip('there are no overlay mounts here')
    const [first] = (await command('mkdir -p dist; echo 0 > dist/0; echo h > $home/h', [])).environment
    const ids = Array.from({ length: 400 }, (_, index) => (index + 1).toString(16).padStart(16, '0') as LayerId)
    for (const id of ids) {
      cpSync(join(layersFolder, first ?? ''), join(layersFolder, id), { recursive: true })
      writeFileSync(join(layersFolder, id, 'home', id), id)
    }
    expect((await command('ls dist; ls $home | wc -l', ids)).output).toBe('0\nbase\nold\n401\n')
  })
})
