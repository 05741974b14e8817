import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import { type DiskMountsWorld, openMountsWorld } from '../mounts-world.testkit.ts'

const commit = 'git -c user.name=Me -c user.email=m@e commit -qm'

describe.each(['overlay', 'copy'] as const)('a repository that commands make (%s)', (kind) => {
  let world: DiskMountsWorld
  beforeEach(() => {
    world = openMountsWorld({ probe: async () => ({ kind, reason: 'asked for' }) })
  })
  afterEach(() => world[Symbol.asyncDispose]())

  async function inView(script: string) {
    await using mount = await world.mounts.open({ owner: 'main', overlay: [] }, never)
    await world.inMount(mount, script)
    return world.mounts.findRepositories((await mount.capture()).environment)
  }

  // Mutation: with the agent's own settings or hooks, git of the person would run them.
  it('is found with its commits, and with nothing that could run', async () => {
    const [made, ...others] = await inView(
      `git init -q sub/in && cd sub/in && echo x > x && git add -A && ${commit} one && git gc -q && ${commit} two --allow-empty &&
        git config core.fsmonitor ./evil && echo evil > .git/hooks/post-commit && mkdir -p .git/objects/info && echo /etc > .git/objects/info/alternates`,
    )
    expect([made?.folder, others]).toEqual(['/sub/in', []])
    const files = made?.files() ?? []
    const names = files.map(({ path }) => path.replace('/sub/in/.git/', '').replace(/[0-9a-f]{20,}/g, 'ID'))
    expect(names).toEqual(expect.arrayContaining(['HEAD', 'config', 'index', 'objects/pack/pack-ID.pack', 'logs/HEAD']))
    expect(names.filter((name) => /hooks|alternates|info/.test(name))).toEqual([])
    const config = files.find(({ path }) => path.endsWith('/config'))
    expect(Buffer.from(config?.bytes ?? []).toString()).toBe(
      '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
    )
  })

  it('is none where the person has one, at the top, and for what is no repository', async () => {
    await world.onDisk('git init -q --template= own')
    expect(
      await inView(
        `git init -q --template= . ; cd own; ${commit} x --allow-empty; mkdir -p ../no/.git; echo x > ../no/.git/HEAD`,
      ),
    ).toEqual([])
  })
})
