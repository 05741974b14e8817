import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { openMountsWorld } from '../mounts-world.testkit.ts'
import { readLinkedRepository } from './linked-repository.ts'

const git = (folder: string, ...parameters: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=Me', '-c', 'user.email=me@example.com', ...parameters], { cwd: folder })
    .toString()
    .trim()

let above: string
/** A repository, and a worktree of it. */
let main: string
let root: string
beforeEach(() => {
  above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-linked-')))
  main = join(above, 'main')
  root = join(above, 'root')
  git(above, 'init', '-q', '-b', 'main', main)
  git(main, 'commit', '-q', '--allow-empty', '-m', 'first')
  git(main, 'worktree', 'add', '-q', '-b', 'topic', root)
})
afterEach(() => rmSync(above, { recursive: true }))

const own = () => join(main, '.git/worktrees/root')
const pointTo = (target: string, folder = root) => writeFileSync(join(folder, '.git'), `gitdir: ${target}\n`)

/** The texts of a folder's repository by their paths. */
function filesOf(folder = root): Readonly<Record<string, string>> {
  const entries = readLinkedRepository(folder)?.entries ?? []
  return Object.fromEntries(
    entries.flatMap((one) => (one.kind === 'file' ? [[one.path, Buffer.from(one.read()).toString()]] : [])),
  )
}

describe('the repository of a worktree', () => {
  it('has the references of all worktrees, and the objects of the real one', () => {
    git(main, 'pack-refs', '--all')
    git(main, 'commit', '-q', '--allow-empty', '-m', 'second')
    git(main, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
    const [first, second] = [git(main, 'rev-parse', 'HEAD^'), git(main, 'rev-parse', 'HEAD')]
    expect(filesOf()).toMatchObject({
      '/.git/HEAD': 'ref: refs/heads/topic\n',
      '/.git/packed-refs': `${second} refs/heads/main\n${first} refs/heads/topic\n`,
      '/.git/refs/remotes/origin/HEAD': 'ref: refs/remotes/origin/main\n',
      '/.git/objects/info/alternates': `${join(main, '.git/objects')}\n`,
    })
    expect(readLinkedRepository(root)?.objects).toEqual([join(main, '.git/objects')])
  })

  it('may be a bare one, and may be linked by relative paths', () => {
    const bare = join(above, 'bare.git')
    git(above, 'clone', '-q', '--bare', main, bare)
    const other = join(above, 'other')
    git(bare, 'worktree', 'add', '-q', other, 'main')
    pointTo('../bare.git/worktrees/other', other)
    writeFileSync(join(bare, 'worktrees/other/gitdir'), '../../../other/.git\n')
    expect(filesOf(other)['/.git/config']).toMatch(/bare = true[\s\S]*\[core\]\n\tbare = false\n$/)
  })

  it('shows no credentials, and no file behind a link', () => {
    git(main, 'remote', 'add', 'origin', 'https://me:hunter22@example.com/x.git')
    writeFileSync(join(above, 'secret'), 'hunter22')
    rmSync(join(own(), 'index'))
    for (const place of [join(own(), 'index'), join(main, '.git/hooks/run'), join(main, '.git/refs/heads/x')])
      symlinkSync(join(above, 'secret'), place)
    expect(JSON.stringify(filesOf())).not.toContain('hunter22')
    expect(Object.keys(filesOf())).not.toContain('/.git/index')
  })
})

describe.each(['overlay', 'copy'] as const)('commands in a worktree (%s)', (kind) => {
  const reason = 'asked for'
  const hasOverlays = openMountsWorld()
  afterAll(() => hasOverlays[Symbol.asyncDispose]())

  it('keep their commits until a reference of the real repository moves', async (context) => {
    if (kind === 'overlay' && (await hasOverlays.mounts.findStrategy()).kind !== 'overlay') context.skip()
    await using world = openMountsWorld({ rootFolder: root, probe: async () => ({ kind, reason }) })
    let environment: readonly LayerId[] = []
    const command = async (script: string) => {
      await using mount = await world.mounts.open({ owner: 'branch', overlay: [], environment }, never)
      const output = await world.inMount(mount, script)
      const captured = await mount.capture()
      environment = captured.environment
      return { output, changes: captured.changes.map(({ path }) => path), evicted: mount.evicted }
    }
    const commit = 'git -c user.name=Me -c user.email=me@example.com commit -q --allow-empty -m of-the-view'
    expect(await command(`${commit}; git log --format=%s; git status --short`)).toEqual({
      output: 'of-the-view\nfirst\n',
      changes: [],
      evicted: [],
    })
    // Writes an index, and references that say the same.
    writeFileSync(join(root, 'new'), '')
    git(root, 'add', 'new')
    git(main, 'pack-refs', '--all')
    expect(await command('git log --format=%s')).toEqual({
      output: 'of-the-view\nfirst\n',
      changes: [],
      evicted: [],
    })
    git(root, 'commit', '-qm', 'real')
    expect(await command('git log --format=%s; git status --short')).toEqual({
      output: 'real\nfirst\n',
      changes: [],
      evicted: [{ path: '/.git/refs/heads/topic', why: 'disk', keptAs: 'refs/kept/1/heads/topic' }],
    })
    expect(git(main, 'rev-list', '--count', '--all')).toBe('2')
  })
})

/** What a project's repository may look like. Each makes `root` and returns what of `.git` has to be trusted. */
const shapes: Readonly<Record<string, () => void>> = {
  'a separate folder that names the project': () => {
    git(root, 'init', '-q', '--separate-git-dir', join(above, 'kept'), '.')
    git(root, 'config', 'core.worktree', root)
  },
  'a separate folder with settings of the worktree': () => {
    git(root, 'init', '-q', '--separate-git-dir', join(above, 'kept'), '.')
    git(root, 'config', 'extensions.worktreeConfig', 'true')
    git(root, 'config', '--worktree', 'core.worktree', '../root')
  },
  'a submodule': () => {
    const outer = join(above, 'outer')
    git(above, 'init', '-q', 'outer')
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', main, 'sub')
    rmSync(root, { recursive: true })
    symlinkSync(join(outer, 'sub'), root)
  },
  'a link to a folder that names the project': () => {
    git(above, 'clone', '-q', main, 'other')
    git(join(above, 'other'), 'config', 'core.worktree', root)
    symlinkSync(join(above, 'other/.git'), join(root, '.git'))
  },
  'a folder .git that names the project': () => {
    git(root, 'init', '-q', '.')
    git(root, 'config', 'core.worktree', root)
  },
  'a separate folder, in a trusted project': () => {
    git(root, 'init', '-q', '--separate-git-dir', join(above, 'kept'), '.')
  },
  'a clone that borrows objects, in a trusted project': () => {
    git(above, 'clone', '-q', '--shared', main, 'borrower')
    rmSync(root, { recursive: true })
    git(above, 'clone', '-q', '--reference', join(above, 'borrower'), main, 'root')
    writeFileSync(join(root, '.git/objects/info/alternates'), '../../../borrower/.git/objects\n')
    git(main, 'commit', '-q', '--allow-empty', '-m', 'more')
  },
  'a worktree of a clone that borrows objects': () => {
    git(above, 'clone', '-q', '--shared', main, 'borrower')
    rmSync(root, { recursive: true })
    git(join(above, 'borrower'), 'worktree', 'add', '-q', root)
  },
}

describe.each(['overlay', 'copy'] as const)('git does what it does in the folder (%s)', (kind) => {
  // Mutation: without settings of its own, git of a copy works on the files of the folder.
  it.each(Object.entries(shapes))('%s', async (name, make) => {
    rmSync(root, { recursive: true })
    mkdirSync(root)
    make()
    const real = realpathSync(root)
    writeFileSync(join(real, 'tracked'), 'one\n')
    git(real, 'add', 'tracked')
    git(real, 'commit', '-qm', 'of the person')
    writeFileSync(join(real, 'tracked'), 'two\n')
    const isTrusted = () => name.endsWith('trusted project')
    const reason = 'asked for'
    await using world = openMountsWorld({ rootFolder: real, isTrusted, probe: async () => ({ kind, reason }) })
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    const me = 'git -c user.name=Me -c user.email=m@e'
    const bare = git(real, 'status', '--short')
    expect([mount.problem ?? null, await world.inMount(mount, 'git status --short')]).toEqual([null, ` ${bare}\n`])
    expect(await world.inMount(mount, 'git fsck 2>&1; git log -1 --format=%s')).toMatch(/of the person\n$/)
    const before = await world.fingerprint()
    const work = `${me} stash -q && git stash list | wc -l && ${me} stash pop -q && ${me} commit -qam made && git checkout -q -b other && git log --format=%s -2 && git status --short && cat tracked && git show HEAD^:tracked`
    expect(await world.inMount(mount, work)).toBe('1\nmade\nof the person\ntwo\none\n')
    const { environment, changes } = await mount.capture()
    expect([changes, await world.fingerprint()]).toEqual([[], before])
    expect(git(real, 'log', '-1', '--format=%s')).toBe('of the person')
    expect((await world.mounts.findCommits(environment)).map(({ subject }) => subject)).toEqual(['made'])
  })
})

describe('a repository that mounts do not show says why', () => {
  const problemOf = (isTrusted = false) => readLinkedRepository(root, isTrusted)?.problem
  const fresh = () => {
    rmSync(root, { recursive: true })
    mkdirSync(root)
  }

  it('in a folder elsewhere that does not lead back', () => {
    fresh()
    git(root, 'init', '-q', '--separate-git-dir', join(above, 'kept'), '.')
    expect(problemOf()).toContain('Trust the folder, or run this in it once: git config core.worktree "$PWD"')
    expect(problemOf(true)).toBeNull()
    git(root, 'config', 'core.worktree', root)
    expect(problemOf()).toBeNull()
  })

  it('with the files of another folder, also in a trusted one', () => {
    fresh()
    git(root, 'init', '-q', '.')
    mkdirSync(join(above, 'files'))
    git(root, 'config', 'core.worktree', '../../files')
    const words = `keeps its files in ${join(above, 'files')}`
    expect([problemOf(), problemOf(true)]).toEqual([expect.stringContaining(words), expect.stringContaining(words)])
    renameSync(join(root, '.git'), join(above, 'kept'))
    pointTo('../kept')
    git(above, 'config', '--file', 'kept/config', 'core.worktree', '../files')
    expect(problemOf(true)).toContain(words)
  })

  it('with borrowed objects, or references of another kind', () => {
    fresh()
    git(above, 'clone', '-q', '--shared', main, 'root')
    expect(problemOf()).toContain(`borrows objects from ${join(main, '.git/objects')}`)
    fresh()
    pointTo(own())
    git(root, 'worktree', 'repair')
    git(main, 'config', 'extensions.refStorage', 'reftable')
    expect(problemOf()).toContain('reftable')
    fresh()
    git(root, 'init', '-q', '.')
    expect(problemOf()).toBeUndefined()
    git(root, 'config', 'extensions.refStorage', 'reftable')
    expect(problemOf()).toContain('git refs migrate --ref-format=files')
  })
})

describe('a file .git that leads to nothing of its own', () => {
  const cases: Readonly<Record<string, () => void>> = {
    'a folder of the system': () => pointTo('/etc'),
    'the worktree of another folder': () => {
      const other = join(above, 'other')
      git(main, 'worktree', 'add', '-q', other)
      pointTo(join(main, '.git/worktrees/other'))
    },
    'a repository, not a worktree': () => pointTo(join(main, '.git')),
    'a worktree that says that its repository is elsewhere': () =>
      writeFileSync(join(own(), 'commondir'), `${above}\n`),
    'a repository inside the project': () => {
      renameSync(join(main, '.git'), join(root, 'inner'))
      pointTo('inner/worktrees/root')
    },
    'objects that are a link': () => {
      rmSync(join(main, '.git/objects'), { recursive: true })
      symlinkSync('/etc', join(main, '.git/objects'))
    },
    'a circle of links': () => {
      rmSync(own(), { recursive: true })
      symlinkSync(own(), own())
    },
    'itself, as a link': () => {
      rmSync(join(root, '.git'))
      symlinkSync('.git', join(root, '.git'))
    },
    'a file that is a folder': () => {
      rmSync(join(root, '.git'))
      mkdirSync(join(root, '.git'))
    },
  }
  it.each(Object.entries(cases))('shows nothing: %s', (_, change) => {
    expect(readLinkedRepository(root)?.entries).not.toEqual([])
    change()
    expect(readLinkedRepository(root)?.entries ?? []).toEqual([])
  })
})
