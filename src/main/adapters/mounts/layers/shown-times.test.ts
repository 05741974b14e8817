import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { file, never } from '#core/ports/branch-mounts.contract.ts'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { createBranchMounts } from '../branch-mounts.ts'
import { type DiskMountsWorld, findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'

const kinds = await findStrategies()

/** Names the content as the store of blobs does. */
function source(text: string): MountEntry {
  return { ...file('/source', text), content: createHash('sha256').update(text).digest('hex') } as MountEntry
}
/** Makes output that is newer than the source for sure. */
const build = 'mkdir -p dist; until touch dist/out; [ dist/out -nt source ]; do :; done'
const state = '[ dist/out -nt source ] && echo built || echo old'

describe.each(kinds)('the times of changed files ($kind)', (kind) => {
  let world: DiskMountsWorld
  let environment: readonly LayerId[]
  beforeEach(async () => {
    world = openMountsWorld()
    environment = []
    await world.onDisk('echo dist/ > .gitignore; echo base > source; touch -d 2001-01-01 source')
  })
  afterEach(() => world[Symbol.asyncDispose]())

  /** Each command has mounts of its own, so that nothing but the layers remembers a time. */
  async function command(script: string, overlay: readonly MountEntry[] = []): Promise<string> {
    const { root, mountsFolder } = world
    await using mounts = createBranchMounts({ rootFolder: root, mountsFolder, probe: async () => kind })
    await using mount = await mounts.open({ owner: 'branch', overlay, environment }, never)
    const output = await world.inMount(mount, script)
    const captured = await mount.capture()
    environment = captured.environment
    return output.trim()
  }

  it('stay, so that nothing is built twice', async () => {
    await command(`echo new > source; ${build}`)
    expect(await command(state, [source('new\n')])).toBe('built')
    await command('touch dist/more', [source('new\n')])
    expect(await command(state, [source('new\n')])).toBe('built')
  })

  it('are new for content that no build has seen', async () => {
    await command(`echo new > source; ${build}`)
    expect(await command(state, [source('newer\n')])).toBe('old')
  })

  it('are new for content that comes back after a build of another', async () => {
    await command(`echo new > source; ${build}`)
    await command(build, [source('other\n')])
    expect(await command(state, [source('other\n')])).toBe('built')
    expect(await command(state, [source('new\n')])).toBe('old')
  })

  it('are not older than a build of another content in the same command', async () => {
    await command(`echo new > source; ${build}`)
    const back = `cp source kept; echo other > source; ${build}; cat kept > source; rm kept; until touch source; [ source -nt dist/out ]; do :; done`
    await command(back, [source('new\n')])
    expect(await command(state, [source('new\n')])).toBe('old')
  })

  it('are new where a command set an older one', async () => {
    await command(`echo new > source; ${build}; echo newer > source; touch -d 2002-02-02 source`)
    expect(await command(state, [source('newer\n')])).toBe('old')
  })
})
