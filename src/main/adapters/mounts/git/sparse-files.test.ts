import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { type DiskMountsWorld, findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'

const look = 'git status --short; find . -name .git -prune -o -type f -print | sort'

describe.each(await findStrategies())('a sparse checkout that commands choose ($kind)', (strategy) => {
  let world: DiskMountsWorld
  let environment: readonly LayerId[]
  beforeEach(async () => {
    environment = []
    world = openMountsWorld({ probe: async () => strategy })
    await world.onDisk(
      `git init -q --template= -b main .; git config user.name n; git config user.email e; mkdir -p src other/deep; echo '*.log' > .gitignore
      for f in src/a other/b other/deep/c top; do echo $f > $f; done; git add .; git commit -qm one; echo > other/own.log`,
    )
  })
  afterEach(() => world[Symbol.asyncDispose]())

  async function command(script: string) {
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [], environment }, never)
    // Git leaves files of which it does not know that they are unchanged.
    const output = await world.inMount(mount, `git update-index -q --refresh; ${script}; ${look}`)
    const captured = await mount.capture()
    environment = captured.environment
    return { lines: output.split('\n'), changed: captured.changes.map(({ path, kind }) => `${path} ${kind}`) }
  }

  // Mutation: let `outsideSparse` say false; take a mark away from every file in `indexWithHidden`.
  it.each(['set src', 'set --sparse-index src', 'set --no-cone /src/'])('deletes nothing: %s', async (words) => {
    const first = await command(`git sparse-checkout ${words}`)
    expect(first.changed).toEqual([])
    expect(first.lines).not.toContain('./other/b')
    const second = await command('echo 2 > src/a; mkdir -p other; echo new > other/new')
    expect(second.changed).toEqual(['/other/new file', '/src/a file'])
    expect(second.lines).toEqual(expect.arrayContaining([' M src/a', '?? other/new', './src/a']))
    expect(second.lines.filter((line) => line.startsWith(' D'))).toEqual([])
    expect(second.lines).not.toContain('./other/deep/c')
  })

  it('takes what is deleted beside it, and all is there again after its end', async () => {
    await command('git sparse-checkout set src')
    expect((await command('rm src/a')).changed).toEqual(['/src/a absent'])
    const { lines } = await command('git sparse-checkout disable')
    expect(lines).toEqual(expect.arrayContaining(['./other/b', './other/deep/c', './src/a', './top']))
    expect((await command('rm other/b')).changed).toEqual(['/other/b absent'])
  })
})
