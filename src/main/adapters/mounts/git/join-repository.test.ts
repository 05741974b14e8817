import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { type DiskMountsWorld, openMountsWorld } from '../mounts-world.testkit.ts'

const never = new AbortController().signal
const probing = openMountsWorld()
const strategy = await probing.mounts.findStrategy()
await probing[Symbol.asyncDispose]()
const copy = { kind: 'copy', reason: 'asked for' } as const
const strategies = strategy.kind === 'overlay' ? [strategy, copy] : [copy]

let world: DiskMountsWorld
let environment: readonly LayerId[]
/** Git as somebody. */
const git = 'git -c user.name=n -c user.email=e -c commit.gpgsign=false'

async function command(script: string, overlay: readonly MountEntry[] = []) {
  await using mount = await world.mounts.open({ owner: 'branch', overlay, environment }, never)
  const output = await world.inMount(mount, script)
  environment = (await mount.capture()).environment
  const evicted = mount.evicted.map(({ path, why, keptAs }) => `${path} ${why} ${keptAs}`)
  return { output: output.trim().split('\n'), evicted }
}

describe.each(strategies)('the repository of a view ($kind)', (kind) => {
  beforeEach(async () => {
    world = openMountsWorld({ probe: async () => kind })
    environment = []
    await world.onDisk(`git init -q -b main .; echo 1 > a; git add a; ${git} commit -qm one; git branch old`)
  })
  afterEach(() => world[Symbol.asyncDispose]())

  it('keeps what is staged while the index of the person changes', async () => {
    await command('echo x > a; git add a')
    await world.onDisk('touch a; git status --short')
    expect((await command('git diff --cached --name-only')).output).toEqual(['a'])
  })

  it('has the branches, tags and stashes of both', async () => {
    await command(
      `git checkout -qb work; echo w > w; git add w; ${git} commit -qm work; git tag t; echo s > a; ${git} stash -q; git checkout -q main; git branch -D -q old`,
    )
    await world.onDisk(`echo 2 > a; ${git} commit -qam two; git branch new; echo 3 > a; ${git} stash -q`)
    const seen = await command(
      'git log --format=%s main; git log --format=%s work; git stash show --name-only stash@{1}; git stash list | wc -l; git for-each-ref --format="%(refname)"',
    )
    expect(seen).toEqual({
      evicted: [],
      output: [
        ...['two', 'one', 'work', 'one', 'a', '2'],
        ...['refs/heads/main', 'refs/heads/new', 'refs/heads/work', 'refs/stash', 'refs/tags/t'],
      ],
    })
    expect((await command('git fsck --connectivity-only 2>&1; git status --short a')).output).toEqual([''])
  })

  // Mutation: with lists of stashes joined only where both sides changed the reference, the third stash is missing.
  it('has the stashes of both however often each of them adds one', async () => {
    const add = (token: string) => `echo ${token} > a; ${git} stash push -qm ${token}`
    const list = 'git stash list --format=%gs'
    await command(add('agent'))
    await world.onDisk(add('one'))
    await command(list)
    await world.onDisk(add('two'))
    const { output, evicted } = await command(list)
    expect(output.toSorted()).toEqual(['agent', 'one', 'two'].map((token) => `On main: ${token}`))
    expect([output[0], evicted]).toEqual(['On main: two', []])
    await command('git stash clear')
    await world.onDisk(add('three'))
    expect((await command(list)).output[0]).toBe('On main: three')
  })

  it('shows the commits of the person where both committed, and keeps those of the branch under a name', async () => {
    await command(`echo w > w; git add w; ${git} commit -qm mine; echo staged > s; git add s`)
    await world.onDisk(`echo 2 > a; ${git} commit -qam two`)
    const first = await command(
      'git log --format=%s; git log --format=%s refs/kept/1/heads/main; git status --short -uno; git reflog | wc -l',
    )
    expect(first.output).toEqual(['two', 'one', 'mine', 'one', '3'])
    expect(first.evicted).toEqual([
      '/.git/index disk ~/kept/1/.git/index',
      '/.git/refs/heads/main disk refs/kept/1/heads/main',
    ])
    await command(`echo v > v; git add v; ${git} commit -qm again`)
    await world.onDisk(`echo 3 > a; ${git} commit -qam three`)
    expect((await command('git log --format=%s; git log --format=%s refs/kept/2/heads/main')).output).toEqual(
      'three two one again two one'.split(' '),
    )
    expect((await command('git log --format=%s refs/kept/1/heads/main')).output).toEqual(['mine', 'one'])
  })

  // Mutation: without `withSubmodules` the commits of the person are hidden, and nobody is told.
  it('of a submodule shows the commits of the person where both committed, and keeps those of the branch', async () => {
    const inner = `cd libs/inner; ${git}`
    await world.onDisk(
      `git clone -q . ../outer; git -c protocol.file.allow=always submodule --quiet add ../outer libs/inner; ${git} commit -qm sub`,
    )
    await command(`${inner} commit -q --allow-empty -m mine`)
    await world.onDisk(`${inner} commit -q --allow-empty -m theirs`)
    const { output, evicted } = await command(
      'cd libs/inner; git log --format=%s; git log --format=%s refs/kept/1/heads/main; git status --short',
    )
    expect(output).toEqual(['theirs', 'one', 'mine', 'one'])
    expect(evicted).toEqual(['/.git/modules/libs/inner/refs/heads/main disk refs/kept/1/heads/main'])
    expect((await command('cd libs/inner; git log --format=%s -1')).evicted).toEqual([])
  })

  it('shows the side that holds the commits of the other', async () => {
    await command(`echo w > w; git add w; ${git} commit -qm mine; git rev-parse HEAD`)
    // As when the person takes over what the branch committed.
    const { output } = await command('git bundle create -q bundle main; base64 -w0 bundle; rm bundle')
    await world.onDisk(
      `echo ${output.join('')} | base64 -d > ../bundle; git fetch -q ../bundle main:taken; git reset -q --hard taken; echo 2 > a; ${git} commit -qam two`,
    )
    expect(await command('git log --format=%s')).toEqual({ output: ['two', 'mine', 'one'], evicted: [] })
  })

  it('keeps the branch that a command is on, with its index', async () => {
    await command(`git checkout -qb work; echo w > w; git add w; ${git} commit -qm work; echo s > s; git add s`)
    await world.onDisk(`echo 2 > a; ${git} commit -qam two`)
    const look = 'git branch --show-current; git diff --cached --name-only; git log --format=%s main'
    expect(await command(look)).toEqual({ output: ['work', 's', 'two', 'one'], evicted: [] })
    await world.onDisk('git checkout -q old')
    expect(await command(look)).toEqual({
      output: ['old', 'two', 'one'],
      evicted: ['/.git/HEAD disk refs/heads/work', '/.git/index disk ~/kept/1/.git/index'],
    })
    expect((await command('git log --format=%s work')).output).toEqual(['work', 'one'])
  })

  it.each(['git pack-refs --all', 'git gc -q', 'git branch -D -q old', 'git pack-refs --all; git branch -D -q old'])(
    'keeps everything when the person runs %s',
    async (script) => {
      await command(`git checkout -qb work; echo w > w; git add w; ${git} commit -qm work; git branch -D -q old`)
      await world.onDisk(`${script}; echo 2 > a; ${git} commit -qam two`)
      const { output } = await command('git log --format=%s; git for-each-ref --format="%(refname)"; git fsck 2>&1')
      expect(output.slice(0, 4)).toEqual(['work', 'one', 'refs/heads/main', 'refs/heads/work'])
      expect(output.slice(4).filter((line) => !line.startsWith('dangling'))).toEqual([])
    },
  )

  const prune = 'git reflog expire --expire=now --expire-unreachable=now --all; git gc -q --prune=now'

  // Mutation: without what `saveObjects` packs, git cannot read the history of the branch's commits.
  it.each([
    ['rebases', `echo 2 > a; ${git} commit -q --amend --allow-empty -m other`, 'refs/kept/1/heads/main'],
    ['deletes the branch', 'git checkout -q old; git branch -qD main', 'main'],
    ['goes back', 'git reset -q --hard old', 'main'],
    ['has less history', 'echo $(git rev-parse HEAD) > .git/shallow', 'main'],
  ])('keeps what commits of commands stand on when the person %s and prunes', async (_, script, name) => {
    await world.onDisk(
      `echo 2 > a; echo big > big; git add big; ${git} commit -qam two; ${git} commit -q --allow-empty -m three`,
    )
    await command(
      `${git} commit -q --allow-empty -m mine; echo s > a; ${git} stash -q; echo t > a; ${git} stash -q; git checkout -q --detach`,
    )
    await world.onDisk(script)
    await command('true')
    await world.onDisk(prune)
    const { output, evicted } = await command(
      `git log --format=%s ${name}; git show ${name}:big stash@{1}:a; git fsck --no-reflogs 2>&1 | grep -v dangling; true`,
    )
    // The person cut off the rest.
    const older = name === 'main' && script.includes('shallow') ? [] : ['two', 'one']
    expect([output, evicted]).toEqual([['mine', 'three', ...older, 'big', 's'], []])
  })

  it('says whose history git cannot read any more', async () => {
    await world.onDisk(`${git} commit -q --allow-empty -m two`)
    await command(
      `git branch same; ${git} commit -q --allow-empty -m mine; git checkout -q --orphan own; ${git} commit -qm own`,
    )
    await world.onDisk(`${git} commit -q --amend --allow-empty -m other; ${prune}`)
    expect((await command('git log --format=%s own')).evicted).toEqual([
      '/.git/refs/heads/main disk refs/kept/1/heads/main',
      '/.git/refs/heads/same pruned null',
      '/.git/refs/kept/1/heads/main pruned null',
    ])
  })

  it('follows the person after a command packed references', async () => {
    await command(
      `git checkout -qb work; echo w > w; git add w; ${git} commit -qm work; git gc -q; git checkout -q main`,
    )
    await world.onDisk(`echo 2 > a; ${git} commit -qam two; git branch new; git branch -D -q old; git pack-refs --all`)
    const { output, evicted } = await command(
      'git log --format=%s main; git for-each-ref --format="%(refname)"; git log --format=%s work',
    )
    expect([output, evicted]).toEqual([
      ['two', 'one', 'refs/heads/main', 'refs/heads/new', 'refs/heads/work', 'work', 'one'],
      [],
    ])
  })

  it('has what a program that ran beside commands did to branches', async () => {
    await command(`echo w > w; git add w; ${git} commit -qm start`)
    const start = environment
    await using beside = await world.mounts.open({ owner: 'process', overlay: [], environment }, never)
    await world.inMount(
      beside,
      `git branch made; git branch -D -q old; git checkout -q made; ${git} commit -q --allow-empty -m beside; git branch both; git checkout -q main`,
    )
    await command(`echo x > x; git add x; ${git} commit -qm command; git branch both; git tag t`)
    const { added: own = [] } = await beside.capture()
    const { layers, evicted } = await world.mounts.joinLayers({ start, own, onto: environment })
    expect(evicted.map(({ path, why, keptAs }) => `${path} ${why} ${keptAs}`)).toEqual([
      '/.git/refs/heads/both commands refs/kept/1/heads/both',
    ])
    environment = layers
    const look =
      'git log --format=%s main; git log --format=%s both; git log --format=%s refs/kept/1/heads/both; git for-each-ref --format="%(refname)"; git fsck 2>&1; git status --short -uno'
    const expected = [
      ...['command', 'start', 'one', 'command', 'start', 'one', 'beside', 'start', 'one'],
      ...['refs/heads/both', 'refs/heads/made', 'refs/heads/main', 'refs/kept/1/heads/both', 'refs/tags/t'],
    ]
    const { output } = await command(look)
    expect(output.slice(0, expected.length)).toEqual(expected)
    await world.onDisk('git branch new')
    expect((await command('git branch --list new; git log --format=%s -1 made')).output).toEqual(['new', 'beside'])
  })

  // Mutation: without `showObjects` (overlay), or with objects among what a layer hides (copy), git finds some missing.
  it('has all objects of the person, whatever commands removed or made beside them', async () => {
    const many = (from: number) =>
      `for i in $(seq ${from} ${from + 299}); do echo $i > b$i; done; git add .; ${git} commit -qm ${from}`
    await world.onDisk(`${many(1)}; echo ghost | git hash-object -w --stdin`)
    await command(`${git} checkout -qb work; ${many(1000)}; git gc -q; git repack -qad; git prune --expire=now`)
    await command(many(2000))
    await world.onDisk(`echo ghost > ghost; ${many(3000)}`)
    const { output } = await command('git fsck --full 2>&1; git log --format=%s main work')
    expect(output.filter((line) => !line.startsWith('dangling')).toSorted()).toEqual([
      '1',
      '1000',
      '2000',
      '3000',
      'one',
    ])
  })

  // Mutation: with `named` in place of all that layers hide, `topic/new` is missing.
  it.each(['rm -r .git/refs/heads/topic', 'rm -r .git/refs/heads/topic; git branch topic/made'])(
    'has branches of the person in a folder of branches after %s',
    async (script) => {
      await world.onDisk('git branch topic/gone')
      await command(script)
      await world.onDisk('git branch topic/new')
      const { output, evicted } = await command('git for-each-ref --format="%(refname:short)" refs/heads/topic')
      expect([output, evicted]).toEqual([script.includes('made') ? ['topic/made', 'topic/new'] : ['topic/new'], []])
    },
  )

  it('keeps a branch that cannot be beside one of the person', async () => {
    await command(
      `git branch topic; git checkout -q topic; echo w > w; git add w; ${git} commit -qm work; git checkout -q main`,
    )
    await world.onDisk('git branch topic/one')
    const { output, evicted } = await command(
      'git for-each-ref --format="%(refname)"; git log --format=%s refs/kept/1/heads/topic',
    )
    expect([output, evicted]).toEqual([
      ['refs/heads/main', 'refs/heads/old', 'refs/heads/topic/one', 'refs/kept/1/heads/topic', 'work', 'one'],
      ['/.git/refs/heads/topic disk refs/kept/1/heads/topic'],
    ])
  })
})
