import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeBranchMounts, never, shown } from '#core/ports/branch-mounts.contract.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createBranchMounts } from '../branch-mounts.ts'
import { findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'
import { joinMounts } from './join-mounts.ts'

const strategies = await findStrategies()

/** A project with a second folder `/lib`, mounted by these means. */
function openBoth([first, second]: readonly [(typeof strategies)[number], (typeof strategies)[number]]) {
  const world = openMountsWorld({ probe: async () => first })
  const library = join(world.root, '../lib')
  mkdirSync(library)
  const ofLibrary = createBranchMounts({
    rootFolder: library,
    mountsFolder: join(world.mountsFolder, '../of-lib/views'),
    probe: async () => second,
  })
  const mounts = joinMounts([
    { root: rootPath, name: 'root', path: world.root, tag: '', mounts: createFirst() },
    { root: '/lib' as VirtualPath, name: 'lib', path: library, tag: 'lib', mounts: ofLibrary },
  ])
  function createFirst() {
    return createBranchMounts({ rootFolder: world.root, mountsFolder: world.mountsFolder, probe: async () => first })
  }
  return {
    ...world,
    library,
    mounts,
    async [Symbol.asyncDispose]() {
      await mounts[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

describeBranchMounts('of a project with a second folder', async () => {
  const [cheapest] = strategies
  if (!cheapest) throw new Error('A system can copy.')
  return openBoth([cheapest, cheapest])
})

// Mutation: leave out `keepOnlyCopies`.
it('a large file that commands move from one folder to the other stays where it was', async () => {
  const [cheapest] = strategies
  if (!cheapest) throw new Error('A system can copy.')
  await using world = openBoth([cheapest, cheapest])
  await world.onDisk('cd ../lib; mkdir d; truncate -s 257M d/big; echo s > small')
  await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
  await world.inMount(
    mount,
    `cd '${mount.others?.[0]?.folder}'; cp --sparse=always d/big ${mount.folder}/big; rm -r d; rm small`,
  )
  const captured = await mount.capture()
  expect(shown(captured.changes)).toEqual(['/lib/small absent'])
  expect(captured.notKept?.map(({ path, why }) => `${path} ${why}`)).toEqual(['/big too_large', '/lib/d only_copy'])
})

const pairs = strategies.flatMap((one) => strategies.map((other) => [one, other] as const))

describe.each(pairs)('two folders, by %j and %j', (...means) => {
  // Mutation: give all layers to each folder in `layersOf`.
  it('are seen together, captured each for itself, and find what their own commands left', async () => {
    await using world = openBoth(means)
    await world.onDisk('echo "dist/" > .gitignore; cd ../lib; echo "*.log" > .gitignore; echo one > a')
    const request = { owner: 'branch', overlay: [] }
    {
      await using mount = await world.mounts.open(request, never)
      const lib = mount.others?.[0]?.folder
      await world.inMount(
        mount,
        `mkdir dist; echo d > dist/x; cd '${lib}'; echo two >> a; echo l > b.log; echo n > new`,
      )
      const captured = await mount.capture()
      expect(shown(captured.changes)).toEqual(['/lib/a - one\ntwo\n', '/lib/new - n\n'])
      expect(captured.ignoredChanges).toBe(2)
      expect(captured.environment.map((id) => id.includes('@lib'))).toEqual([false, true])
      expect(captured.left?.map(({ path }) => path).toSorted()).toEqual(['/dist/x', '/lib/b.log'])
      expect(await world.mounts.countShowable(captured.environment)).toBe(2)
      await using again = await world.mounts.open(
        { ...request, owner: 'other', environment: captured.environment },
        never,
      )
      const other = again.others?.[0]?.folder
      expect(await world.inMount(again, `cat dist/x '${other}/b.log' '${other}/a'`)).toBe('d\nl\none\n')
    }
    expect(await world.onDisk('ls -A; ls -A ../lib')).toBe('.gitignore\n.gitignore\na\n')
  })

  // Mutation: leave out `covered` in `requestIn`, or `ownOf` in `lookFrom`.
  it('what the first one has under the name of the other is not shown, and is never taken for a change of the other', async () => {
    await using world = openBoth(means)
    await world.onDisk(
      'mkdir lib; echo hidden > lib/secret; echo own > lib/a; echo x > b; cd ../lib; echo one > a; echo x > b',
    )
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    expect(
      await world.inMount(mount, 'ls; mkdir -p lib; ls lib; echo two > lib/a; echo new > lib/new; echo y > b'),
    ).toBe('b\n')
    const captured = await mount.capture()
    expect(shown(captured.changes)).toEqual(['/b - y\n'])
    expect(captured.notKept?.map(({ path, why }) => `${path} ${why}`)).toEqual(['/lib other_folder'])
    expect(await world.onDisk('cat lib/a lib/secret ../lib/a; ls ../lib')).toBe('own\nhidden\none\na\nb\n')
  })
})
