import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { type DiskMountsWorld, findStrategies, openMountsWorld } from '../mounts-world.testkit.ts'
import { isOfGitAtWork } from './git-at-work.ts'

const git = 'git -c user.name=n -c user.email=e'
/** What a git of the person has while it is at work. */
const atWork = [
  ...['index.lock', 'HEAD.lock', 'config.lock', 'packed-refs.lock', 'shallow.lock', 'gc.pid'],
  ...['refs/heads/main.lock', 'refs/heads/deep/er.lock', 'refs/stash.lock', 'refs/tags/v1.lock'],
  ...['modules/sub/index.lock', 'objects/tmp_obj_a1b2c3', 'objects/pack/tmp_pack_a1b2c3'],
].map((name) => `.git/${name}`)
const begin = `echo "1 $(hostname)" > .git/gc.pid; touch ${atWork.filter((name) => !name.endsWith('gc.pid')).join(' ')}`
/** All that those locks would stop. */
const work = `set -e; echo 2 > f; ${git} commit -qam two; git branch deep/er; git tag v1; git config a.b c; ${git} stash push -q --include-untracked -- g
git pack-refs --all; git gc -q; git update-ref refs/heads/other HEAD; git -C sub checkout -q --detach; git log --oneline --all | wc -l`

describe.each(await findStrategies())('what a git of the person has while it is at work ($kind)', (strategy) => {
  let world: DiskMountsWorld
  let environment: readonly LayerId[]
  /** What the last command left beside the project's files. */
  let left: readonly string[]
  beforeEach(async () => {
    environment = []
    world = openMountsWorld({ probe: async () => strategy })
    await world.onDisk(
      `git init -q --template= -b main ../inner; cd ../inner; ${git} commit -q --allow-empty -m inner; cd "$OLDPWD"
      git init -q --template= -b main .; mkdir -p .git/refs/heads/deep .git/objects/pack; echo 1 > f; git add .
      git -c protocol.file.allow=always submodule add -q ../inner sub; ${git} commit -qm one; echo > g; chmod 2775 .git`,
    )
  })
  afterEach(() => world[Symbol.asyncDispose]())

  async function command(script: string, before = ''): Promise<string> {
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [], environment }, never)
    await world.onDisk(before)
    const output = await world.inMount(mount, script)
    const captured = await mount.capture()
    environment = captured.environment
    left = (captured.left ?? []).map(({ path }) => path)
    return output.trim()
  }

  // Mutation: leave `locks.folder()` out of `overBase`, or the line with `isOfGitAtWork` out of `createEntryPreparer`.
  it('stops no git of a view, and stays where it is', async () => {
    await world.onDisk(begin)
    expect(await command(work)).toBe('5')
    expect(await world.onDisk(`ls ${atWork.join(' ')} | wc -l`)).toBe(`${atWork.length}\n`)
  })

  // Mutation: leave `usual` out in `git-at-work.ts`.
  it('stops none either when it began after the view was opened', async () => {
    expect(
      await command(
        'echo 2 > f; git add f; git branch more; git pack-refs --all; git status --short',
        `touch .git/{index,HEAD,packed-refs}.lock`,
      ),
    ).toBe('M  f\n?? g')
  })

  // Mutation: let `opaqueAmong` take a file of a git at work for a witness.
  it('is no sign that a command made the repository again', async () => {
    // The capture asks for one file of the folder, and this is nearly surely a lock.
    await world.onDisk('touch .git/{1..30}.lock')
    await command(`${git} commit -q --allow-empty -m two`)
    expect(left.filter((path) => path.endsWith('/') || path.endsWith('.lock'))).toEqual([])
    expect(left).toContain('/.git/refs/heads/main')
    expect(await command('git log --format=%s; stat -c %a .git')).toBe('two\none\n2775')
  })
})

it('is told by its name', () => {
  expect(atWork.every((name) => isOfGitAtWork(`/${name}`))).toBe(true)
  const others = [
    '/index.lock',
    '/.git/index',
    '/.git/hooks/x.lock',
    '/.git/refs/heads/lock',
    '/Cargo.lock',
    '/.git/lfs/a.lock',
  ]
  expect(others.filter(isOfGitAtWork)).toEqual([])
})
