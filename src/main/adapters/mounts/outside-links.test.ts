import { describe, expect, it } from 'vitest'
import { never, shown } from '#core/ports/branch-mounts.contract.ts'
import { openMountsWorld } from './mounts-world.testkit.ts'

const copying = async () => ({ kind: 'copy', reason: 'asked for' }) as const

/** A script in a project with the folders `src/deep`, and the links `within` (to src) and `outside` (to ../above). */
const made: readonly (readonly [name: string, script: string, kept: readonly string[], refused: readonly string[]])[] =
  [
    ['an absolute link', 'ln -s /etc/passwd out', [], ['/out -> /etc/passwd']],
    ['an absolute link to the root', 'ln -s / out', [], ['/out -> /']],
    ['a link to a place beside the project', 'ln -s /memories out', [], ['/out -> /memories']],
    ['a chain of dots', 'ln -s ../../../../x src/deep/out', [], ['/src/deep/out -> ../../../../x']],
    ['dots inside a path', 'ln -s deep/../../../x src/out', [], ['/src/out -> deep/../../../x']],
    ['dots that end outside and come back', 'ln -s ../root/src out', [], ['/out -> ../root/src']],
    ['a link through an old link', 'ln -s outside/x out', [], ['/out -> outside/x']],
    ['a link to an old link', 'ln -s outside out', [], ['/out -> outside']],
    [
      'a link through a new link',
      'ln -s src/deep a; ln -s a/../../../x out',
      ['/a -> src/deep'],
      ['/out -> a/../../../x'],
    ],
    ['a link through a new link that is refused', 'ln -s /tmp t; ln -s t/x out', [], ['/out -> t/x', '/t -> /tmp']],
    [
      'a link in a new folder',
      'mkdir -p n/m; ln -s ../../.. n/m/out; echo x > n/a',
      ['/n/a - x\n'],
      ['/n/m/out -> ../../..'],
    ],
    ['a link in place of a file', 'rm src/a; ln -s /etc src/a', [], ['/src/a -> /etc']],
    ['a link in place of an inner link', 'rm within; ln -s .. within', [], ['/within -> ..']],
    ['a link with a name of several lines', "ln -s $'/e\\ntc' $'o\\nut'", [], ['/o\nut -> /e\ntc']],
    [
      'an inner link',
      'ln -s src/a in; ln -s ../a src/deep/in; ln -s . dot',
      ['/dot -> .', '/in -> src/a', '/src/deep/in -> ../a'],
      [],
    ],
    ['an inner link by way of dots', 'ln -s ../src/deep/../a src/in', ['/src/in -> ../src/deep/../a'], []],
    ['an inner link through links', 'ln -s within/deep/../a in', ['/in -> within/deep/../a'], []],
    ['a link to nothing', 'ln -s gone/deep in', ['/in -> gone/deep'], []],
    ['links that lead to each other', 'ln -s b a; ln -s a b', ['/a -> b', '/b -> a'], []],
    ['an old link that moved', 'mv outside moved', ['/moved -> ../above', '/outside absent'], []],
    ['an old link that stays', 'echo x > b', ['/b - x\n'], []],
  ]

describe.each(['overlay', 'copy'] as const)('a link that a command made (%s)', (kind) => {
  it.each(made)('is kept only if it stays inside: %s', async (_name, script, kept, refused) => {
    await using world = openMountsWorld(kind === 'copy' ? { probe: copying } : {})
    await world.onDisk('mkdir -p src/deep ../above; echo a > src/a; ln -s src within; ln -s ../above outside')
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    await world.inMount(mount, script)
    const { changes, refusedLinks = [] } = await mount.capture()
    expect(shown(changes)).toEqual(kept)
    expect(refusedLinks.map(({ path, target }) => `${path} -> ${target}`)).toEqual(refused)
  })

  it('stays inside when its target is the real path of the project', async () => {
    await using world = openMountsWorld(kind === 'copy' ? { probe: copying } : {})
    await world.onDisk('mkdir src; echo a > src/a')
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    await world.inMount(
      mount,
      `ln -s ${world.root}/src/a in; ln -s ${world.root}/src/../../x out; ln -s ${world.root}-other also-out`,
    )
    const { changes, refusedLinks = [] } = await mount.capture()
    expect(changes).toEqual([{ kind: 'symlink', path: '/in', target: 'src/a' }])
    expect(refusedLinks.map(({ path }) => path)).toEqual(['/also-out', '/out'])
  })
})
