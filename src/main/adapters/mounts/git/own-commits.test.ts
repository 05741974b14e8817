import { execFileSync } from 'node:child_process'
import { realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { type DiskMountsWorld, openMountsWorld } from '../mounts-world.testkit.ts'

const commit = (message: string) => `git -c user.name=Me -c user.email=m@e commit -qm ${message}`

describe.each(['overlay', 'copy'] as const)('what commands leave in git alone (%s)', (kind) => {
  let world: DiskMountsWorld
  beforeEach(async () => {
    world = openMountsWorld({ probe: async () => ({ kind, reason: 'asked for' }) })
    await world.onDisk(`git init -q --template= -b main && echo a > a && git add -A && ${commit('first')}`)
  })
  afterEach(() => world[Symbol.asyncDispose]())

  async function inView(script: string, environment: readonly LayerId[] = []) {
    await using mount = await world.mounts.open({ owner: 'main', overlay: [], environment }, never)
    await world.inMount(mount, `export HOME=$PWD/../none; ${script}`)
    return (await mount.capture()).environment
  }
  const found = async (layers: readonly LayerId[]) =>
    (await world.mounts.findCommits(layers))
      .map(({ kind: what, repository, branch, subject }) => [what, repository, branch, subject].join(' '))
      .sort()

  it('is named: commits of branches, of no branch, and stashes', async () => {
    const layers = await inView(
      `git checkout -q -b topic && echo b > b && git add b && ${commit('two')} && ${commit('"three more" --allow-empty')} && git checkout -q --detach main && ${commit('lost --allow-empty')} && echo c >> a && git -c user.name=Me -c user.email=m@e stash -q`,
    )
    expect(await found(layers)).toEqual([
      'commit / HEAD lost',
      'commit / topic three more',
      'commit / topic two',
      expect.stringMatching(/^stash \/ stash@\{0\} WIP on /),
    ])
    const packed = await inView('git pack-refs --all && git gc -q', layers)
    expect(await found(packed)).toEqual(await found(layers))
    const since = async (layers: readonly LayerId[], known: readonly LayerId[]) =>
      (await world.mounts.findCommits(layers, known)).map(({ subject }) => subject)
    expect(await since(packed, layers)).toEqual([])
    expect(await since(await inView(commit('four --allow-empty'), packed), packed)).toEqual(['four'])
    const gone = await inView('git stash drop -q && git checkout -q main && git branch -q -D topic', packed)
    expect(await found(gone)).toEqual([])
  })

  it('is nothing for what the person has, and for commands that only read', async () => {
    expect(await found(await inView('git status; git log; git branch same'))).toEqual([])
    await world.onDisk(`git stash list; git checkout -q -b mine; ${commit('mine --allow-empty')}`)
    expect(await found(await inView('git checkout -q main; git branch other mine; touch x; git add x'))).toEqual([])
  })

  // Mutation: compare lines of the list in place of ids, which name the stash before them.
  it('is no stash of the person beside those of commands', async () => {
    const stash = 'git -c user.name=Me -c user.email=m@e stash -q -m'
    const layers = await inView(`echo agent >> a && ${stash} agent`)
    await world.onDisk(`echo person >> a && ${stash} person`)
    const both = await inView('git stash list', layers)
    expect(await found(both)).toEqual(['stash / stash@{1} On main: agent'])
  })

  it('is named for a submodule of the person', async () => {
    await world.onDisk(
      `git -c protocol.file.allow=always submodule --quiet add "file://$PWD/.git" lib && ${commit('with-lib')}`,
    )
    expect(await found(await inView(`cd lib && ${commit('of-lib --allow-empty')}`))).toEqual([
      'commit /lib main of-lib',
    ])
  })

  it('is named for repositories in the project too', async () => {
    const layers = await inView(
      `git init -q --template= -b main sub && cd sub && echo x > x && git add -A && ${commit('inner')}`,
    )
    expect(await found(layers)).toEqual(['commit /sub main inner'])
    // Mutation: with `.git` taken for a folder, none of these is named.
    const forms = await inView(
      `git worktree add -q --detach tree && (cd tree && ${commit('aside --allow-empty')}) && git -c protocol.file.allow=always submodule --quiet add "file://$PWD/.git" module && (cd module && ${commit('module --allow-empty')}) && git init -q --template= -b main linked && mv linked/.git .git/linked && ln -s ../.git/linked linked/.git && cd linked && ${commit('linked --allow-empty')}`,
    )
    expect(await found(forms)).toEqual([
      ...['commit / worktrees/tree/HEAD aside', 'commit /linked main linked', 'commit /module main module'],
    ])
    expect((await world.mounts.findRepositories(forms)).map(({ folder }) => folder)).toEqual(['/linked', '/module'])
  })

  // Mutation: when git runs in the agent's own repository, this setting names a program.
  it('is found without a program of the agent', async () => {
    const layers = await inView(
      `${commit('one --allow-empty')}; git config log.showSignature true; git config gpg.program "$PWD/evil"; git config core.fsmonitor "touch ran"`,
    )
    expect(await found(layers)).toEqual(['commit / main one'])
  })
})

it('is found in a worktree and with sha256', async () => {
  await using world = openMountsWorld()
  const root = realpathSync(world.root)
  rmSync(root, { recursive: true })
  const main = join(root, '../main')
  execFileSync('bash', [
    '-ec',
    `git init -q --template= --object-format=sha256 -b main ${main}; cd ${main}; ${commit('first --allow-empty')}; git worktree add -q -b topic ${root}`,
  ])
  await using mount = await world.mounts.open({ owner: 'main', overlay: [] }, never)
  await world.inMount(mount, `${commit('second --allow-empty')}`)
  const { environment } = await mount.capture()
  expect(await world.mounts.findCommits(environment)).toMatchObject([{ branch: 'topic', subject: 'second' }])
})
