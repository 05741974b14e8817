import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { type DiskMountsWorld, findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'

describe.each(await findStrategies())('what commands leave ($kind)', (kind) => {
  let world: DiskMountsWorld
  beforeEach(async () => {
    world = openMountsWorld({ probe: async () => kind })
    await world.onDisk('echo dist/ > .gitignore; mkdir -p src')
  })
  afterEach(() => world[Symbol.asyncDispose]())

  // Mutation: leave `left` out of a capture, or list the home of commands as a whole in a copy.
  it('is told by name: what was written and removed, what may be run, and nothing that was there before', async () => {
    await world.onDisk('mkdir -p dist .git/hooks; echo o > dist/old; echo c > .git/config')
    const look = async (script: string, environment: readonly LayerId[], keeps = true) => {
      await using mount = await world.mounts.open({ owner: 'branch', overlay: [], environment }, never)
      await world.inMount(mount, script.replaceAll('~', mount.home))
      const { left = [], environment: after } = await mount.capture(keeps)
      const names = left.map(({ path, isGone, isProgram }) => `${isGone ? '-' : isProgram ? '*' : '+'} ${path}`)
      return [names.sort(), after] as const
    }
    const hook = 'echo h > .git/hooks/post-commit; chmod +x .git/hooks/post-commit; echo n > src/new'
    const [first, one] = await look(`${hook}; rm dist/old; echo b > ~/.bashrc; echo k > ~/k`, [])
    expect(first).toEqual(['* /.git/hooks/post-commit', '+ ~/.bashrc', '+ ~/k', '- /dist/old'])
    const [second, two] = await look('echo c >> .git/config; rm ~/k; echo x > dist/x', one)
    expect(second).toEqual(['+ /.git/config', '+ /dist/x', '- ~/k'])
    expect((await look('cat ~/.bashrc dist/x; echo n > src/new', two))[0]).toEqual([])
    expect((await look('echo half > dist/half', two, false))[0], 'of a cut one').toEqual([])
  })

  // Mutation: take each name for a plain one.
  it('is told by names of all kinds, at any depth', async () => {
    const deep = Array.from({ length: 60 }, (_, index) => `level-${index}`).join('/')
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    const write = `mkdir -p dist/${deep}; echo d > dist/${deep}/d; cd dist; echo a > 'a b'; echo u > ü; echo l > $'l\\nl'`
    // A copy has no path for a name that is no UTF-8.
    const [bytes, ofBytes] = kind.kind === 'overlay' ? ["; echo n > $'n\\xff'", ['/dist/n\\xff']] : ['', []]
    await world.inMount(mount, `${write}${bytes}`)
    const { left = [] } = await mount.capture()
    expect(left.map(({ path }) => path).sort()).toEqual(
      ['/dist/a b', '/dist/l\nl', `/dist/${deep}/d`, '/dist/ü', ...ofBytes].sort(),
    )
  })

  // Mutation: do not tell of the folders that hide what lies below them.
  it('names a folder that a command made again, which hides what was in it', async () => {
    await world.onDisk('mkdir -p .git/hooks; echo h > .git/hooks/pre-push; mkdir dist; echo o > dist/old')
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    await world.inMount(mount, 'rm -r .git/hooks dist; mkdir .git/hooks')
    const { left = [] } = await mount.capture()
    const gone = left.map(({ path, isGone }) => `${isGone ? '-' : '+'} ${path.replace(/\/(pre-push|old)?$/, '')}`)
    expect([...new Set(gone)].sort()).toEqual(['- /.git/hooks', '- /dist'])
  })

  // Mutation: leave `hiding` out of `leftInLayer`.
  it('names a folder that commands alone filled, and one of them made again', async () => {
    const look = async (script: string, environment: readonly LayerId[]) => {
      await using mount = await world.mounts.open({ owner: 'branch', overlay: [], environment }, never)
      await world.inMount(mount, script)
      const captured = await mount.capture()
      const names = (captured.left ?? []).map(({ path, isGone }) => `${isGone ? '-' : '+'} ${path}`)
      return { names, environment: captured.environment ?? environment }
    }
    const first = await look('mkdir -p dist/in; echo a > dist/in/a; echo b > dist/b', [])
    expect(first.names.toSorted()).toEqual(['+ /dist/b', '+ /dist/in/a'])
    const inner = await look('rm -r dist/in; mkdir dist/in', first.environment)
    expect(inner.names.map((name) => name.replace(/\/a?$/, ''))).toEqual(['- /dist/in'])
    const whole = await look('rm -r dist; mkdir dist', inner.environment)
    expect(whole.names.length).toBeGreaterThan(0)
    expect(
      whole.names.every((name) => /^- \/dist(\/|$)/.test(name)),
      `${whole.names}`,
    ).toBe(true)
  })
})
