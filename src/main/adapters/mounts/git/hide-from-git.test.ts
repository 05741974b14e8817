import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { LayerId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type DiskMountsWorld, openMountsWorld } from '../mounts-world.testkit.ts'

const key = '/test/key.pem' as VirtualPath
const author = '-c user.name=Me -c user.email=me@example.com'

describe.each(['overlay', 'copy'] as const)('hidden files and git (%s)', (kind) => {
  let world: DiskMountsWorld
  beforeEach(async () => {
    world = openMountsWorld({ probe: async () => ({ kind, reason: 'asked for' }) })
    await world.onDisk(
      `git init -q -b main && mkdir test && echo a > a && echo b > b && echo fixture > test/key.pem && git add -A && git ${author} commit -qm first`,
    )
  })
  afterEach(() => world[Symbol.asyncDispose]())

  async function inView(script: string, environment: readonly LayerId[] = [], hiddenFiles = [key]) {
    const overlay = hiddenFiles.map((path) => ({ kind: 'absent', path }) as const)
    await using mount = await world.mounts.open({ owner: 'main', overlay, environment, hiddenFiles }, never)
    const printed = await world.inMount(mount, script)
    return { printed, ...(await mount.capture()) }
  }

  // Mutation: when `putIndex` is left out, git shows and commits a deletion.
  it('git neither shows nor commits that they are gone, and the index of the person stays', async () => {
    const before = readFileSync(join(world.root, '.git/index'))
    const { printed, changes, environment } = await inView(
      `test ! -e test/key.pem && git status --porcelain && echo c >> a && git add -A && git ${author} commit -qm second && git show --stat --format=%s && git ls-files`,
    )
    expect(printed).toMatch(/second\n\n a \| 1 \+/)
    expect(printed).not.toMatch(/^ ?D|key\.pem +\|/m)
    expect(printed).toContain('test/key.pem\n')
    expect(changes.map(({ path }) => path)).toEqual(['/a'])
    expect(readFileSync(join(world.root, '.git/index')).equals(before)).toBe(true)
    const next = await inView('git status --porcelain; git ls-files -v', environment)
    expect(next.printed).toContain('S test/key.pem\n')
    expect(next.printed).not.toMatch(/^ ?D/m)
  })

  it('git stashes and rebases around them', async () => {
    const { printed } = await inView(
      `echo c >> a && git ${author} stash -q && git stash pop -q && git ${author} commit -qam two && git checkout -q -b topic HEAD~1 && echo z > z && git add -A && git ${author} commit -qm z && git ${author} rebase -q main && git ls-tree -r --name-only HEAD && git status --porcelain`,
    )
    expect(printed).toBe('a\nb\ntest/key.pem\nz\n')
  })

  // Mutation: without `takeIndexBack`, every command would leave a layer.
  it('a command that does not touch git leaves nothing of it', async () => {
    const { environment, ignoredChanges } = await inView('cat a')
    expect([environment, ignoredChanges]).toEqual([[], 0])
  })

  // Mutation: when an earlier mark stays, git does not notice what is done to the file.
  it('a file that is no longer hidden has no mark, and marks of the person stay', async () => {
    await world.onDisk('git update-index --skip-worktree b')
    const first = await inView(`echo c >> a && git ${author} commit -qam second`)
    const next = await inView('git ls-files -v; echo x > test/key.pem; git status --porcelain', first.environment, [])
    expect(next.printed).toBe('H a\nS b\nH test/key.pem\n M a\n M test/key.pem\n')
  })

  it.each([
    ['version 4', 'git update-index --index-version 4'],
    ['without its checksum', 'git -c index.skipHash=true update-index --force-write-index'],
    ['with untracked files remembered', 'git update-index --untracked-cache'],
    [
      'split in two',
      'git update-index --split-index && git add -A && touch -d 2020-01-01 a && git update-index --refresh',
    ],
  ])('an index %s is marked too', async (_kind, prepare) => {
    await world.onDisk(`${prepare} 2>/dev/null || true`)
    expect((await inView('git ls-files -v; git status --porcelain; git fsck')).printed).toMatch(
      /^H a\nH b\nS test\/key.pem\n$/,
    )
  })

  it.each([
    ['damaged', 'printf x >> .git/index'],
    ['empty', ': > .git/index'],
    ['missing', 'rm .git/index'],
  ])('an index that is %s stays as it is', async (_kind, prepare) => {
    await world.onDisk(prepare)
    const before = await world.onDisk('sha256sum .git/index || true')
    expect((await inView('sha256sum .git/index || true')).printed).toBe(before)
  })

  it('git of a submodule, and of another repository inside, is told too', async () => {
    await world.onDisk(
      `git init -q --template= -b main ../lib && cd ../lib && mkdir in && echo x > in/key.pem && git add -A && git ${author} commit -qm lib && cd - &&
        git -c protocol.file.allow=always submodule --quiet add ../lib sub && git ${author} commit -qm sub && cp -r ../lib own`,
    )
    const hidden = ['/sub/in/key.pem', '/own/in/key.pem'] as VirtualPath[]
    const { printed } = await inView(
      'for r in sub own; do git -C $r status --porcelain; git -C $r ls-files -v; done',
      [],
      hidden,
    )
    expect(printed).toBe('S in/key.pem\nS in/key.pem\n')
  })

  it('a file is committed only with the bytes of the last commit', async () => {
    await world.onDisk(`printf 'one\\ntwo\\n' > lines && git add -A && git ${author} commit -qm lines`)
    const found = (path: string, text: string) =>
      world.mounts.findCommitted(new Map([[path as VirtualPath, Buffer.from(text)]]))
    expect([...(await found(key, 'fixture\n'))]).toEqual([key])
    expect([...(await found('/lines', 'one\r\ntwo\r\n'))]).toEqual(['/lines'])
    // Mutation: when bytes are not compared, the second would be shown.
    for (const [path, text] of [
      [key, 'fixture'],
      [key, 'changed\n'],
      ['/new', 'fixture\n'],
      ['/te\nst', 'a\n'],
      ['/test', ''],
    ] as const)
      expect([...(await found(path, text))]).toEqual([])
    await world.onDisk('rm -rf .git/objects/*')
    expect([...(await found(key, 'fixture\n'))]).toEqual([])
  })

  it('a repository with sha256 is read and marked alike', async () => {
    await world.onDisk(
      `rm -rf .git && git init -q --object-format=sha256 && git add -A && git ${author} commit -qm all`,
    )
    expect([...(await world.mounts.findCommitted(new Map([[key, Buffer.from('fixture\n')]])))]).toEqual([key])
    expect((await inView('git ls-files -v; git status --porcelain')).printed).toBe('H a\nH b\nS test/key.pem\n')
  })
})
