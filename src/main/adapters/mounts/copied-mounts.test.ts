import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeBranchMounts, file, never, shown } from '#core/ports/branch-mounts.contract.ts'
import type { LayerId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type BranchMountsOptions, createBranchMounts } from './branch-mounts.ts'
import { type DiskMountsWorld, openMountsWorld } from './mounts-world.testkit.ts'

const probe = async () => ({ kind: 'copy', reason: 'asked for' }) as const
const openCopies = (options: Partial<BranchMountsOptions> = {}) => openMountsWorld({ probe, ...options })

describeBranchMounts('a copy', async () => openCopies())

async function command({ mounts, inMount: inView }: DiskMountsWorld, script: string) {
  await using mount = await mounts.open({ owner: 'branch', overlay: [] }, never)
  const output = await inView(mount, script)
  return { output, changes: shown((await mount.capture()).changes) }
}

it('leaves a hidden folder out of the mount, and copies everything beside it unchanged', async () => {
  await using world = openCopies({ hidden: '/in/.data' as VirtualPath })
  await world.onDisk(`mkdir -p in/.data z/in/.data; for f in in/.data/key in/.database in/-odd in/.d z/in/.data/kept
    do echo $f > $f; done; echo '#!/bin/sh' > in/run; chmod 755 in/run; ln -s .data/key in/link; chmod 750 in`)
  const { output, changes } = await command(
    world,
    'find . | sort; stat -c %a in in/run; readlink in/link; touch in/new',
  )
  expect(output.split('\n').slice(0, -1)).toEqual(
    [
      '.',
      './in',
      './in/-odd',
      './in/.d',
      './in/.database',
      './in/link',
      './in/run',
      './z',
      './z/in',
      './z/in/.data',
    ].concat(['./z/in/.data/kept', '750', '755', '.data/key']),
  )
  expect(changes).toEqual(['/in/new - '])
})

// Mutation: without `addObjects` git refuses everything: "bad object refs/stash".
it('shows what the person commits and stashes while the copy is made', async () => {
  await using world = openCopies()
  const git = 'git -c user.name=n -c user.email=e'
  const stash = (text: string) => `echo ${text} > a; ${git} stash push -q -m ${text}`
  await world.onDisk(`git init -q --template= -b main; echo 0 > a; git add a; ${git} commit -qm one; ${stash('first')}`)
  let environment: readonly LayerId[]
  {
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    await world.inMount(mount, stash('agent'))
    environment = (await mount.capture()).environment
  }
  // The changes of the branch are read when the project has been copied.
  let isFirst = true
  const read = () => {
    if (isFirst) execFileSync('bash', ['-ec', stash('meanwhile')], { cwd: world.root })
    isFirst = false
    return Buffer.from('changed')
  }
  const overlay = [{ ...file('/b', 'changed'), read }]
  await using mount = await world.mounts.open({ owner: 'branch', overlay, environment }, never)
  const stashes = await world.inMount(
    mount,
    'git log -g --format=%gs refs/stash && git rev-list --all > all && echo ok',
  )
  expect(stashes.split('\n').sort()).toEqual(['', 'On main: agent', 'On main: first', 'On main: meanwhile', 'ok'])
})

it('leaves out special files of the base', async () => {
  await using world = openCopies()
  execFileSync('mkfifo', [join(world.root, 'fifo')])
  expect(await command(world, 'test -e fifo || echo no fifo')).toEqual({ output: 'no fifo\n', changes: [] })
})

it('redirects absolute links into the project to the copy, so that nothing writes through them', async () => {
  await using world = openCopies()
  await world.onDisk('mkdir data; echo original > data/file; ln -s "$PWD/data" absolute')
  const { changes } = await command(world, 'echo changed > absolute/file; mv absolute renamed')
  expect(readFileSync(join(world.root, 'data/file'), 'utf8')).toBe('original\n')
  expect(changes).toEqual(['/absolute absent', '/data/file - changed\n', '/renamed -> data'])
})

/** Noticed: a program that outlived its command could swap a folder for a link while the app read the copy. */
it('is somewhere else when the app looks at it, so that a path which a program kept leads nowhere', async () => {
  await using world = openCopies()
  const mount = await world.mounts.open({ owner: 'branch', overlay: [file('/a', 'a')] }, never)
  const paths = [mount.folder, mount.home, mount.temporary]
  expect(paths.map(existsSync)).toEqual([true, true, true])
  writeFileSync(join(mount.folder, 'b'), 'b')
  const { changes } = await mount.capture()
  expect(changes.map(({ path }) => path)).toEqual(['/b'])
  expect(paths.map(existsSync)).toEqual([false, false, false])
  await mount[Symbol.asyncDispose]()
  await using again = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
  expect(again.folder).toBe(mount.folder)
})

it('opens again after a program removed or replaced its own view', async () => {
  await using world = openCopies()
  const mount = await world.mounts.open({ owner: 'branch', overlay: [file('/a', 'a')] }, never)
  rmSync(dirname(mount.folder), { recursive: true })
  await mount[Symbol.asyncDispose]()
  await using again = await world.mounts.open({ owner: 'branch', overlay: [file('/a', 'a')] }, never)
  expect(readFileSync(join(again.folder, 'a'), 'utf8')).toBe('a')
})

it('removes a mount without permissions, and mounts that a crash left', async () => {
  await using world = openCopies()
  const mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
  await world.inMount(mount, 'mkdir locked; echo x > locked/x; chmod 000 locked')
  await mount[Symbol.asyncDispose]()
  expect((await world.mounts.storedBytes(new Set())).bytes).toBe(0)
  mkdirSync(join(world.mountsFolder, 'left/files'), { recursive: true })
  await using later = createBranchMounts({ probe, rootFolder: world.root, mountsFolder: world.mountsFolder })
  await using _view = await later.open({ owner: 'branch', overlay: [] }, never)
  expect(existsSync(join(world.mountsFolder, 'left'))).toBe(false)
})

it('works without a project folder, and with a data folder inside the project', async () => {
  await using scratch = openCopies({ rootFolder: null })
  expect((await command(scratch, 'echo hi > a')).changes).toEqual(['/a - hi\n'])
  await using inside = openCopies()
  await using mounts = createBranchMounts({
    probe,
    rootFolder: inside.root,
    mountsFolder: join(inside.root, '.data', 'views'),
  })
  await using mount = await mounts.open({ owner: 'branch', overlay: [file('/a', 'a')] }, never)
  expect(await inside.inMount(mount, 'ls')).toBe('a\n')
  expect(readdirSync(inside.root)).toEqual([])
})

describe("a place for views that is not the app's own", () => {
  /** Noticed the guessable name: a link planted there had its target emptied. */
  it('is never used in the common temporary folder, whatever waits there under a name that can be guessed', async () => {
    await using world = openCopies()
    const data = join(world.root, '.data')
    const victim = mkdtempSync(join(tmpdir(), 'victim-'))
    writeFileSync(join(victim, 'canary'), 'theirs')
    const guessed = join(tmpdir(), 'coppice-.data-views')
    symlinkSync(victim, guessed)
    try {
      await using mounts = createBranchMounts({ probe, rootFolder: world.root, mountsFolder: join(data, 'views') })
      const mount = await mounts.open({ owner: 'branch', overlay: [] }, never)
      const ofOwner = dirname(dirname(mount.folder))
      expect(dirname(dirname(ofOwner))).toBe(tmpdir())
      expect(statSync(dirname(ofOwner)).mode & 0o777).toBe(0o700)
      await mount[Symbol.asyncDispose]()
      await mounts.remove('branch')
    } finally {
      rmSync(guessed)
    }
    expect(readFileSync(join(victim, 'canary'), 'utf8')).toBe('theirs')
    rmSync(victim, { recursive: true })
  })

  it('is replaced by another one, with a sentence, and what waits there stays', async () => {
    await using world = openCopies()
    const victim = join(world.root, '../victim')
    mkdirSync(victim)
    mkdirSync(dirname(world.mountsFolder), { recursive: true })
    writeFileSync(join(victim, 'canary'), 'theirs')
    symlinkSync(victim, world.mountsFolder)
    const { output, changes } = await command(world, 'echo x > a; cat a')
    expect([output, changes]).toEqual(['x\n', ['/a - x\n']])
    expect((await world.mounts.findStrategy()).reason).toMatch(
      /is a link, so Coppice neither uses nor empties it\. Views are in /,
    )
    await world.mounts[Symbol.asyncDispose]()
    expect(readFileSync(join(victim, 'canary'), 'utf8')).toBe('theirs')
  })
})
