import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats, runs } from '../ports/test-size.testkit.ts'
import { emptyTree } from '../tree/tree.ts'
import { at, bytes, openWorld } from '../tree/tree-fixtures.testkit.ts'
import { hardNames, states } from './patch-cases.testkit.ts'
import { carryOut, fixtures, operations } from './patch-trees.testkit.ts'
import { appliedByGit, carriedOf, exported, snapshotOf } from './patch-world.testkit.ts'

type World = ReturnType<typeof openWorld>
/** Bytes of the largest file that is not large. Git gets such files as they are, and a patch that only names them. */
const limits = fc.constantFrom(null, 3)

type OverlayTransaction = ReturnType<World['draft']>

/** Checks that the own reader and git, inside and outside a repository, turn the patch into the very same files. */
async function expectRoundTrip(world: World, work: (draft: OverlayTransaction) => Promise<unknown>): Promise<number> {
  const tree = await world.change(emptyTree, work)
  const { patch, fault, files, leftOut } = await exported(world, tree)
  expect(fault).toBeNull()
  const wanted = await carriedOf(world, tree, leftOut)
  const base = await snapshotOf(world, emptyTree)
  expect(await appliedByGit(base, patch)).toEqual({ repository: wanted, folder: wanted })
  return files.length
}

describe('a patch round trip', () => {
  it('preserves any names and contents', async () => {
    let files = 0
    await fc.assert(
      fc.asyncProperty(fixtures, operations, limits, async (base, steps, most) => {
        files += await expectRoundTrip(openWorld(base, undefined, most), async (draft) => {
          for (const step of steps) await carryOut(draft, step)
        })
      }),
      runs(500, 10_000),
    )
    expect(files).toBeGreaterThan(repeats(500, 10_000))
  }, 1_200_000)

  it.each(Object.entries(states))(
    'preserves changes from %s to every state, in place and moved',
    async (_, { fixture }) => {
      const names = Object.keys(states)
      const files = names.flatMap((name) => (fixture ? [`/${name}/from`, `/${name}/moved`] : []))
      const world = openWorld({ ...Object.fromEntries(files.map((path) => [path, fixture ?? ''])), '/kept': 'k' })
      const count = await expectRoundTrip(world, async (draft) => {
        for (const [name, after] of Object.entries(states)) {
          await after.write(draft, `/${name}/from`)
          if (!fixture || name === 'nothing') continue
          await draft.move(at(`/${name}/moved`), at(`/${name}/to be`))
          await after.write(draft, `/${name}/to be`)
        }
      })
      expect(count).toBeGreaterThanOrEqual((fixture ? 2 : 1) * (names.length - 1))
    },
  )

  it.each(hardNames)('preserves a file and a folder named %j, from, to and beside each other', async (name) => {
    const world = openWorld({ [`/${name}`]: 'one\ntwo\n', [`/d/${name}/in`]: 'in\n', '/plain': 'p\n' })
    await expectRoundTrip(world, async (draft) => {
      await draft.write(at(`/${name}`), bytes('one\n2\n'))
      await draft.move(at(`/d/${name}/in`), at(`/e/${name}/out`))
      await draft.move(at('/plain'), at(`/${name} too`))
      await draft.makeSymlink(at('/link'), name)
    })
  })

  it('names a large file that is moved, deleted, replaced, swapped or made executable', async () => {
    const base = {
      '/moved': 'one one',
      '/gone': 'two two',
      '/replaced': 'three',
      '/mode': 'four',
      '/a b': 'five',
      '/c': 'six six',
    }
    const world = openWorld({ ...base, '/small': 's', '/hidden': 'seven' }, undefined, 3)
    const work = async (draft: OverlayTransaction) => {
      await draft.move(at('/moved'), at('/new/name'))
      await draft.delete(at('/gone'))
      await draft.write(at('/replaced'), bytes('x'))
      await draft.setExecutable(at('/mode'), true)
      await draft.carryFiles([
        { from: at('/a b'), to: at('/c'), executable: false },
        { from: at('/c'), to: at('/a b'), executable: true },
      ])
      await draft.move(at('/hidden'), at('/small'))
    }
    expect(await expectRoundTrip(world, work)).toBe(9)
    const { text } = await exported(world, await world.change(emptyTree, work))
    const id = world.hashing.gitObjectId(bytes('two two'))
    expect(text).toContain(
      `deleted file mode 100644\nindex ${id}..${'0'.repeat(40)}\nBinary files a/gone and /dev/null differ\n`,
    )
    expect(text).toContain('similarity index 100%\nrename from moved\nrename to new/name\n')
    expect(text).not.toMatch(/one one|two two|three|four|five|six six|seven|GIT binary patch/)
  })

  it('carries a small text or a link that was made of a large file which moved', async () => {
    const world = openWorld({ '/one': 'one\none\n', '/two': 'two\ntwo\n' }, undefined, 3)
    const work = async (draft: OverlayTransaction) => {
      await draft.move(at('/one'), at('/a'))
      await draft.write(at('/a'), bytes(''))
      await draft.move(at('/two'), at('/b'))
      await draft.delete(at('/b'))
      await draft.makeSymlink(at('/b'), 'a')
    }
    expect(await expectRoundTrip(world, work)).toBe(4)
  })

  it('leaves out a large file whose old path is a folder now, which git cannot express', async () => {
    const world = openWorld({ '/big': 'large' }, undefined, 3)
    const tree = await world.change(emptyTree, async (draft) => {
      await draft.move(at('/big'), at('/passing'))
      await draft.move(at('/passing'), at('/big/in'))
    })
    const { leftOut, fault, text } = await exported(world, tree)
    expect([leftOut, fault]).toEqual([[{ path: '/big/in', why: expect.stringContaining('too large') }], null])
    expect(text).toContain('deleted file mode 100644')
  })

  it('uses the base as it was at the first change, even if the folder has drifted since', async () => {
    const world = openWorld({ '/a': 'one\ntwo\n' })
    const tree = await world.change(emptyTree, (draft) => draft.write(at('/a'), bytes('one\n2\n')))
    const before = await exported(world, tree)
    world.base.set('/a', 'drifted\n')
    expect(await exported(world, tree)).toEqual(before)
    expect(before.text).toContain('-two\n+2\n')
  })
})
