import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#core/ports/test-size.testkit.ts'
import { openDeliveryWorld } from './delivery-world.testkit.ts'

const commit = 'git add -A; git commit -qm 1'

/** What somebody else commits on the branch. */
const others = (script: string, branch = '-b to ../other') =>
  `git worktree add -q ${branch}; cd ../other; ${script}; git add -A; git commit -qm theirs; cd ../folder; git worktree remove -f ../other`

type World = Awaited<ReturnType<typeof openDeliveryWorld>>
const filesOf = (world: World) => world.sh("git ls-tree -r --name-only to | tr '\\n' ' '").trim()

// Mutation: without `clearPaths` the branch loses x/y, x and b/x.
describe('a file that meets a folder on the branch', () => {
  const ways: [string, string, (world: World) => Promise<void>, string, string, string][] = [
    ['a file', 'mkdir x; echo t > x/y', (world) => world.write({ '/x': 'm\n' }), '/x', 'a folder at this path', 'a x'],
    ['a folder', 'echo t > x', (world) => world.write({ '/x/y': 'm\n' }), '/x/y', 'a file at /x', 'a x/y'],
    ['a move', 'mkdir b; echo t > b/x', (world) => world.move('/a', '/b'), '/b', 'a folder at this path', 'b'],
  ]
  it.each(ways)('%s waits for a person', async (_, script, change, path, why, taken) => {
    await using world = await openDeliveryWorld(`seq 30 > a; ${commit}; ${others(script)}`)
    const before = filesOf(world)
    await change(world)
    await expect(world.deliver('to')).rejects.toThrow(`must be decided first. The branch has ${why}.`)
    const keep = (side: 'ours' | 'theirs') => ({ keep: [{ path: path as never, side }] })
    await world.deliver('to', keep('theirs')).catch(() => undefined)
    expect(filesOf(world)).toBe(before)
    await world.deliver('to', keep('ours'))
    expect(filesOf(world)).toBe(taken)
  })

  it('waits as well when the branch has an earlier part of the work', async () => {
    await using world = await openDeliveryWorld(`seq 30 > a; ${commit}`)
    await world.write({ '/c': '1\n' })
    await world.deliver('to')
    world.sh(others('mkdir x; echo t > x/y', '../other to'))
    await world.write({ '/x': 'm\n' })
    await expect(world.deliver('to')).rejects.toThrow('The branch has a folder at this path.')
    expect(filesOf(world)).toBe('a c x/y')
  })

  it('takes the place of what the work itself removed', async () => {
    await using world = await openDeliveryWorld(`mkdir x; echo 1 > x/y; echo 1 > z; ${commit}`)
    await world.write({ '/x': null, '/z': null, '/z/y': '2\n' })
    await world.write({ '/x': '2\n' })
    await world.deliver('to')
    expect(filesOf(world)).toBe('x z/y')
  })
})

// Mutation: without `inHalves` the branch loses its own b.
it('a file that moved to a name that is taken on the branch waits for a person, and stays where it was until then', async () => {
  await using world = await openDeliveryWorld(`seq 30 > a; ${commit}; ${others('echo theirs > b')}`)
  await world.move('/a', '/b')
  await expect(world.deliver('to')).rejects.toThrow('must be decided first.')
  await world.deliver('to', { keep: [{ path: '/b' as never, side: 'theirs' }] }).catch(() => undefined)
  expect(world.sh('git show to:b; git show to:a | tail -1')).toBe('theirs\n30\n')
})

it('takes names that git reads as patterns as they are', async () => {
  await using world = await openDeliveryWorld(
    `for name in ':a' ':(top)x' ':!z' '*'; do echo 1 > "$name"; done; ${commit}`,
  )
  await world.write({ '/:a': '2\n', '/:(top)x': '2\n', '/:!z': '2\n', '/*': '2\n', '/:/new': '2\n' })
  const before = world.everythingElse()
  await world.deliver('to')
  expect(world.everythingElse()).toBe(before)
  expect(world.treeOf('to')).toBe(await world.treeByPatch('plain'))
})

it('takes no file of others from a branch but those that the plan names, whatever both made', async () => {
  const name = fc.constantFrom('a', 'b', 'x', 'x/a', 'x/y/a', 'y', 'y/x')
  const change = fc.record({ name, text: fc.option(fc.constantFrom('1\n', '2\n', '3\n')) })
  const changes = fc.array(change, { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(changes, changes, changes, fc.boolean(), async (first, theirs, second, isTwice) => {
      await using world = await openDeliveryWorld(
        `echo 1 > a; echo 1 > b; mkdir x; echo 1 > x/a; ${commit}; git branch to`,
      )
      const work = async (list: typeof first) => {
        for (const { name, text } of list) await world.write({ [`/${name}`]: text }).catch(() => undefined)
      }
      await work(first)
      if (isTwice) await world.deliver('to')
      const lines = theirs.map(({ name, text }) =>
        text === null ? `rm -rf ${name}` : `mkdir -p $(dirname ${name}) && printf '${text.trim()}' > ${name} || true`,
      )
      world.sh(others(`{ ${lines.join('\n')}\n} 2>/dev/null; touch theirs`, '../other to'))
      await work(second)
      const plans = await world.plan('to')
      const keep = plans
        .flatMap(({ files }) => files)
        .flatMap(({ path, state }, at) =>
          state === 'conflict' ? [{ path, side: at % 2 === 0 ? ('ours' as const) : ('theirs' as const) }] : [],
        )
      const named = new Set((await world.plan('to', { keep })).flatMap(({ files }) => files).map(({ path }) => path))
      const tip = world.sh('git rev-parse to').trim()
      await world
        .deliver('to', { keep })
        .catch((error: unknown) => expect(String(error)).toMatch(/must be decided|left out/))
      const changed = world.sh(`git diff-tree -r --no-renames --name-only ${tip} to`).split('\n').filter(Boolean)
      expect(changed.filter((path) => !named.has(`/${path}` as never))).toEqual([])
    }),
    runs(6, 200),
  )
})
