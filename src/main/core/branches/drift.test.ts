import { describe, expect, it } from 'vitest'
import { type BaseFixture, emptyTree } from '#overlay'
import { at, bytes, openWorld } from '#overlay/testkit'
import { driftAt, driftUnder, type KnownFiles, touchedPaths } from './drift.ts'

const project = {
  '/read.txt': 'one\n',
  '/changed.txt': 'one\n',
  '/gone.txt': 'one\n',
  '/alias.txt': { kind: 'symlink', target: 'read.txt' },
} as const satisfies Record<string, BaseFixture>

/** An agent that read two files (one through a link), changed one, made one and deleted one. */
async function agentAtWork() {
  const world = openWorld(project)
  const one = world.hashing.hash(bytes('one\n'))
  const tree = await world.change(emptyTree, async (draft) => {
    await draft.write(at('/changed.txt'), bytes('mine\n'))
    await draft.write(at('/deep/made.txt'), bytes('mine\n'))
    await draft.delete(at('/gone.txt'))
  })
  const reads = new Map(['/read.txt', '/alias.txt'].map((path) => [at(path), one]))
  const held: KnownFiles = { tree, forkPoint: emptyTree, reads }
  return { world, held, drift: (path: string) => driftAt(world, held, at(path)) }
}

const cases: readonly (readonly [path: string, what: string, fixture: BaseFixture | null, drift: object | null])[] = [
  ['/read.txt', 'the same content again', 'one\n', null],
  ['/read.txt', 'other content', 'two\n', { kind: 'changed', since: 'read' }],
  ['/read.txt', 'nothing', null, { kind: 'deleted', since: 'read', disk: 'nothing' }],
  ['/read.txt', 'a folder', { kind: 'directory' }, { kind: 'folder', since: 'read' }],
  ['/read.txt', 'a device', { kind: 'special' }, { kind: 'special', since: 'read' }],
  ['/read.txt', 'a link that leads out', { kind: 'symlink', target: '../out' }, { kind: 'link', since: 'read' }],
  ['/changed.txt', 'other content', 'two\n', { kind: 'changed', since: 'changed' }],
  ['/changed.txt', 'what the branch holds', 'mine\n', null],
  [
    '/changed.txt',
    'another mode',
    { kind: 'file', content: 'one\n', executable: true },
    { kind: 'changed', since: 'changed' },
  ],
  ['/changed.txt', 'nothing', null, { kind: 'deleted', since: 'changed' }],
  ['/changed.txt', 'a link', { kind: 'symlink', target: 'read.txt' }, { kind: 'link', since: 'changed' }],
  ['/changed.txt', 'a folder', { kind: 'directory' }, { kind: 'folder', since: 'changed' }],
  ['/changed.txt', 'a device', { kind: 'special' }, { kind: 'special', since: 'changed' }],
  ['/deep/made.txt', 'a file of that name', 'two\n', { kind: 'appeared', since: 'changed' }],
  ['/gone.txt', 'nothing', null, null],
  ['/gone.txt', 'other content', 'two\n', { kind: 'changed', since: 'changed' }],
]

describe('drift', () => {
  it.each(cases)('%s, where the disk now holds %s', async (path, _what, fixture, expected) => {
    const { world, drift } = await agentAtWork()
    expect(await drift(path)).toBeNull()
    if (fixture === null) world.base.remove(path)
    else world.base.set(path, fixture)
    const found = await drift(path)
    if (expected === null) expect(found).toBeNull()
    else expect(found).toMatchObject({ path, ...expected })
  })

  it('ends when the disk returns to its old version, and fingerprints each version of the disk', async () => {
    const { world, drift } = await agentAtWork()
    world.base.set('/changed.txt', 'two\n')
    const second = await drift('/changed.txt')
    world.base.set('/changed.txt', 'three\n')
    expect((await drift('/changed.txt'))?.disk).not.toBe(second?.disk)
    world.base.set('/changed.txt', 'one\n')
    expect(await drift('/changed.txt')).toBeNull()
  })

  it('is seen through a link that was read, and below a link that is edited', async () => {
    const { world, held, drift } = await agentAtWork()
    world.base.set('/read.txt', 'two\n')
    expect(await drift('/alias.txt')).toMatchObject({ path: '/alias.txt', kind: 'changed', since: 'read' })
    const linked = await world.change(held.tree, (draft) => draft.write(at('/alias.txt'), bytes('through\n')))
    expect(await driftUnder(world, world.draft(linked), at('/alias.txt'))).toBeNull()
    world.base.set('/read.txt', 'three\n')
    const under = await driftUnder(world, world.draft(linked), at('/alias.txt'))
    expect(under).toMatchObject({ path: '/read.txt', since: 'changed' })
  })

  it('ignores a file that was read and then deleted on the branch', async () => {
    const { world, held } = await agentAtWork()
    const tree = await world.change(held.tree, (draft) => draft.delete(at('/read.txt')))
    world.base.remove('/read.txt')
    expect(await driftAt(world, { ...held, tree }, at('/alias.txt'))).toBeNull()
    expect(await driftAt(world, { ...held, tree }, at('/read.txt'))).toBeNull()
  })

  it('is checked for what the agent itself read or changed, not for folders or inherited files', async () => {
    const { held, world } = await agentAtWork()
    expect([...touchedPaths(held)].sort()).toEqual([
      '/alias.txt',
      '/changed.txt',
      '/deep/made.txt',
      '/gone.txt',
      '/read.txt',
    ])
    const tree = await world.change(held.tree, (draft) => draft.write(at('/own.txt'), bytes('x')))
    expect([...touchedPaths({ tree, forkPoint: held.tree, reads: new Map() })]).toEqual(['/own.txt'])
  })
})
