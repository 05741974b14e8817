import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import { runs, timeLimit } from '#core/ports/test-size.testkit.ts'
import type { LayerId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'
import { createLayerStore } from './layer-store.ts'
import { findInLayers } from './shown-in-layers.ts'

/**
 * A folder that one command left and a later one removed and made again holds what the later one put there, and nothing of the
 * earlier one: in every reader of layers, not only in what the kernel shows.
 */

const never = new AbortController().signal
const strategies = await findStrategies()
const git = 'git -c user.name=n -c user.email=e'

describe.each(strategies)('a folder of layers that was made again ($kind)', (strategy) => {
  function openBranch() {
    const world = openMountsWorld({ probe: async () => strategy, mostInStack: 4 })
    let environment: readonly LayerId[] = []
    let overlay: readonly MountEntry[] = []
    return {
      world,
      onDisk: world.onDisk,
      /** `also` runs on the disk while the command's mount is open. */
      async run(script: string, also = 'true') {
        await using mount = await world.mounts.open({ owner: 'branch', overlay, environment }, never)
        const output = await world.inMount(mount, script)
        await world.onDisk(also)
        const captured = await mount.capture()
        environment = captured.environment
        const made = captured.changes.flatMap((one): MountEntry[] =>
          one.kind === 'file'
            ? [
                {
                  kind: 'file',
                  path: one.path,
                  executable: one.executable,
                  content: output + one.path,
                  read: () => one.bytes,
                },
              ]
            : [],
        )
        overlay = [...overlay, ...made]
        return { output, changes: captured.changes.map(({ kind, path }) => `${kind} ${path}`), evicted: mount.evicted }
      },
      [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
    }
  }

  // Mutation: let `walkUpper` leave folders of layers out of `shared`, `namesShown` not look at layers, or `leftOutBy` what `isLeft` says.
  it('has the rules that it has now: one that ignored itself does so no more', async () => {
    await using branch = openBranch()
    await branch.onDisk('git init -q .; touch a; git add a')
    const look = 'cat .venv/*; git status --short .venv; ls -A .venv'
    expect((await branch.run(`mkdir .venv; echo '*' > .venv/.gitignore; echo x > .venv/x`)).changes).toEqual([])
    const made = await branch.run(`rm -r .venv; mkdir .venv; echo y > .venv/y; ${look}`)
    expect(made).toMatchObject({ output: 'y\n?? .venv/\ny\n', changes: ['file /.venv/y'] })
    expect(await branch.run(look)).toMatchObject({ output: made.output, changes: [], evicted: [] })
    expect((await branch.run(`echo z > .venv/z`)).changes).toEqual(['file /.venv/z'])
  })

  it('of references has no branch of before, also after the person committed', async () => {
    await using branch = openBranch()
    await branch.onDisk(`git init -q -b main .; ${git} commit -q --allow-empty -m one`)
    await branch.run('git branch topic/a; git branch topic/b')
    const look = `git branch --list --format='%(refname:short)'`
    const made = await branch.run(
      `git branch -q -D topic/a topic/b; rm -rf .git/refs/heads/topic; git branch topic/c; ${look}`,
    )
    expect(made.output).toBe('main\ntopic/c\n')
    await branch.onDisk(`${git} commit -q --allow-empty -m two; git branch of-person`)
    const seen = (await branch.run(look)).output.split('\n').filter((line) => !line.startsWith('of-'))
    expect(seen.filter((line) => line.includes('topic'))).toEqual(['topic/c'])
    expect(seen).toContain('main')
  })

  it('has what the later command left there, whatever comes above it, beside it or on disk', async () => {
    await using branch = openBranch()
    await branch.onDisk(`printf 'dist/\\n' > .gitignore`)
    await branch.run('mkdir -p dist/in; echo a > dist/a; echo b > dist/in/b; echo c > dist/in/c')
    const look = 'cd dist; find . -type f | sort; cat $(find . -type f | sort)'
    const made = await branch.run(`rm -r dist; mkdir -p dist/in; echo new > dist/in/c; ${look}`)
    expect(made.output).toBe('./in/c\nnew\n')
    await branch.onDisk('mkdir dist; echo of person > dist/p')
    const wanted = './in/c\n./p\nnew\nof person\n'
    expect(await branch.run(look)).toMatchObject({ output: wanted, evicted: [] })
    for (const name of ['one', 'two', 'three', 'four']) await branch.run(`echo ${name} > dist/${name}; rm dist/${name}`)
    expect((await branch.run(look)).output).toBe(wanted)
  })

  // Mutation: let `findInLayers` not look at `opaque`.
  it(
    'is what every reader of layers says that a view shows',
    async () => {
      const folder = fc.constantFrom('dist', 'dist/in', 'dist/in/it')
      const act = fc.oneof(
        fc
          .record({ folder, name: fc.constantFrom('a', 'b') })
          .map(({ folder, name }) => `mkdir -p ${folder}; echo > ${folder}/${name}`),
        folder.map((folder) => `rm -rf ${folder}; mkdir -p ${folder}`),
        folder.map((folder) => `rm -rf ${folder}; mkdir -p ${folder}; echo > ${folder}/b`),
        folder.map((folder) => `rm -rf ${folder}`),
      )
      const story = fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 5 })
      const everywhere = ['dist', 'dist/in', 'dist/in/it'].flatMap((one) => [one, `${one}/a`, `${one}/b`])
      const property = fc.asyncProperty(story, async (commands) => {
        await using world = openMountsWorld({ probe: async () => strategy })
        await world.onDisk(`printf 'dist/\\n' > .gitignore; mkdir dist; echo > dist/a`)
        const store = createLayerStore(join(dirname(world.mountsFolder), 'environments'))
        let environment: readonly LayerId[] = []
        for (const acts of [...commands, ['true']]) {
          await using mount = await world.mounts.open({ owner: 'branch', overlay: [], environment }, never)
          const shown = new Set((await world.inMount(mount, 'find dist || true')).split('\n'))
          const layers = environment.map((id) => store.read(id)).filter((one) => one !== undefined)
          const said = everywhere.filter((path) => {
            const found = findInLayers(layers, `/${path}` as VirtualPath)
            return found === undefined ? existsSync(join(world.root, path)) : found !== 'gone'
          })
          expect(said).toEqual(everywhere.filter((path) => shown.has(path)))
          await world.inMount(mount, acts.join('; '))
          environment = (await mount.capture()).environment
        }
      })
      await fc.assert(property, { ...runs(5, 100), endOnFailure: true })
    },
    timeLimit(60_000),
  )
})
