import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { file, never, shown } from '#core/ports/branch-mounts.contract.ts'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { ancestorsOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { changedPaths, createMountRules, rulesIn } from './mount-rules.ts'
import { type DiskMountsWorld, openMountsWorld } from './mounts-world.testkit.ts'

const here = openMountsWorld()
const strategy = await here.mounts.findStrategy()
await here[Symbol.asyncDispose]()
const kinds = strategy.kind === 'overlay' ? (['overlay', 'copy'] as const) : (['copy'] as const)

let world: DiskMountsWorld
afterEach(() => world[Symbol.asyncDispose]())

async function command(script: string, overlay: readonly MountEntry[] = [], environment: readonly LayerId[] = []) {
  await using mount = await world.mounts.open({ owner: 'branch', overlay, environment }, never)
  await world.inMount(mount, script)
  const looked = await mount.look()
  const captured = await mount.capture()
  expect(looked?.changes).toEqual(captured.changes)
  return { ...captured, changes: shown(captured.changes) }
}

async function problem() {
  await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
  return mount.problem
}

describe.each(kinds)('what git tracks and what it ignores (%s)', (kind) => {
  beforeEach(() => {
    world = openMountsWorld({ probe: async () => ({ kind, reason: 'asked for' }) })
  })

  const repository = `git init -q --template= .; git config user.name n; git config user.email e@e
    printf '*.gen.ts\\nout/\\n' > .gitignore; mkdir out; echo 1 > api.gen.ts; echo 1 > gone.gen.ts; echo 1 > out/kept.js
    echo 1 > out/built.js; git add -f .gitignore '*.gen.ts' out/kept.js; git commit -qm one`

  it('takes what git tracks, whatever a rule says of it', async () => {
    await world.onDisk(repository)
    const { changes } = await command(
      'echo 2 > api.gen.ts; git rm -q gone.gen.ts; echo 2 > out/kept.js; echo 2 > out/built.js; echo 2 > new.gen.ts',
    )
    expect(changes).toEqual(['/api.gen.ts - 2\n', '/gone.gen.ts absent', '/out/kept.js - 2\n'])
  })

  it('takes what commands begin to track, and goes on with it in the next command', async () => {
    await world.onDisk(repository)
    const first = await command('echo 1 > more.gen.ts; git add -f more.gen.ts; git commit -qm two')
    expect(first.changes).toEqual(['/more.gen.ts - 1\n'])
    const { environment } = first
    const second = await command('echo 2 > more.gen.ts', [file('/more.gen.ts', '1\n')], environment)
    expect(second.changes).toEqual(['/more.gen.ts - 2\n'])
  })

  it('goes on with what the branch changed, also when a rule names it later or git forgets it', async () => {
    await world.onDisk(`${repository}; mkdir dist; echo 1 > dist/old`)
    const branch = [
      file('/.gitignore', '*.gen.ts\nout/\ndist/\nnew.ts\n'),
      ...[file('/dist/app.js', '1\n'), file('/dist/deep/a', '1\n')],
      ...[{ kind: 'absent', path: '/dist/old' as VirtualPath } as const, file('/gone', '1\n'), file('/new.ts', '1\n')],
    ]
    const first = await command(
      'for f in new.ts dist/app.js dist/deep/a dist/deep/b dist/old; do echo 2 > $f; done; rm gone; mkdir gone; echo > gone/x.gen.ts',
      branch,
    )
    expect(first.changes).toEqual([
      ...['/dist/app.js - 2\n', '/dist/deep/a - 2\n', '/dist/old - 2\n', '/gone absent', '/new.ts - 2\n'],
    ])
    const now = branch.flatMap((entry) =>
      'read' in entry && entry.path !== '/.gitignore' ? [file(entry.path, '2\n')] : [],
    )
    const again = [...branch.slice(0, 1), ...now.slice(0, 2), file('/dist/old', '2\n'), file('/new.ts', '2\n')]
    const second = await command('cat dist/deep/b > new.ts; rm -r dist', again, first.environment)
    expect(second.changes).toEqual(['/dist/app.js absent', '/dist/deep/a absent', '/dist/old absent'])
    await using mount = await world.mounts.open(
      {
        owner: 'branch',
        overlay: [...again.slice(0, 1), { kind: 'absent', path: '/dist/old' as VirtualPath }],
        environment: second.environment,
      },
      never,
    )
    expect(await world.inMount(mount, 'find dist -type f')).toBe('')
  })

  it('keeps an ignored folder removed beside what the branch adds to it', async () => {
    await world.onDisk(`${repository}; mkdir -p build/d; touch build/a build/d/b; echo build/ >> .gitignore`)
    const { environment } = await command('rm -r build')
    const overlay = [file('/build/d/x', '1\n')]
    await using mount = await world.mounts.open({ owner: 'branch', overlay, environment }, never)
    expect([await world.inMount(mount, 'find build -type f'), mount.evicted]).toEqual(['build/d/x\n', []])
  })

  it.each(['rm -r out', 'rm -r out; mkdir out', 'mv out new', 'git rm -qrf out; rm -rf out'])(
    'removes only files of the project with a folder (%s)',
    async (script) => {
      await world.onDisk(`${repository}; mkdir -p out/d/e; touch out/d/e/mine; echo '!/new/built.js' >> .gitignore`)
      const { changes, environment } = await command(script)
      expect(changes.filter((change) => change.includes('out'))).toEqual(['/out/kept.js absent'])
      await using mount = await world.mounts.open(
        { owner: 'branch', overlay: [{ kind: 'absent', path: '/out/kept.js' as VirtualPath }], environment },
        never,
      )
      expect(await world.inMount(mount, 'find out -type f')).toBe('')
    },
  )

  // Mutation: when `keepOnly` leaves a folder as an overlay marked it, the second command sees nothing but `out`, and removes the rest.
  it.each([
    ['is renamed', 'mkdir -p tmp/in/out; touch tmp/in/out/x; echo 1 > tmp/in/a; mv tmp app'],
    ['is made again', 'rm -r app; mkdir -p app/in/out; touch app/in/out/x; echo 1 > app/in/a'],
  ])('shows the files of the branch in a folder with ignored files that %s', async (_, script) => {
    await world.onDisk(
      `${repository}; mkdir -p app/in; echo 0 > app/in/a; ${script.startsWith('rm') ? '' : 'rm -r app'}`,
    )
    const { changes, environment } = await command(script)
    expect(changes).toEqual(['/app/in/a - 1\n'])
    const branch = [file('/app/in/a', '1\n'), file('/app/in/b', '1\n'), file('/app/c', '1\n')]
    const later = await command('find app -type f | sort > seen', branch, environment)
    expect(later.changes).toEqual(['/seen - app/c\napp/in/a\napp/in/b\napp/in/out/x\n'])
  })

  // Mutation: without `splitBesidePerson` all of these are changes made from what the person saved, and an apply takes that back.
  it('leaves what the person saves while a command runs, and keeps the version of the command beside it', async () => {
    await world.onDisk('mkdir -p in/old; for f in a b c in/old/d in/old/e; do echo 1 > $f; done')
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    await world.inMount(mount, 'cat a; echo 2 > a; echo 2 > b; rm c; rm -r in/old; echo 2 > new')
    // The clock of a disk goes in steps.
    const later = 'touch $HOME/.m; until touch $HOME/.n && [ $HOME/.n -nt $HOME/.m ]; do :; done'
    await world.onDisk(`HOME=$PWD/..; ${later}; for f in a c in/old/e new; do echo person > $f; done`)
    const looked = await mount.look()
    const { changes, notKept, environment } = await mount.capture()
    expect(shown(changes)).toEqual(['/b - 2\n', '/in/old/d absent'])
    expect(looked?.changes).toEqual(changes)
    expect(notKept).toEqual([
      { path: '/a', size: 0, why: 'beside', keptAs: '~/kept/1/a' },
      { path: '/c', size: 0, why: 'beside', keptAs: null },
      { path: '/in/old/e', size: 0, why: 'beside', keptAs: null },
      { path: '/new', size: 0, why: 'beside', keptAs: '~/kept/1/new' },
    ])
    await using next = await world.mounts.open({ owner: 'another', overlay: [], environment }, never)
    expect(await world.inMount(next, `cat a new; cat ${next.home}/kept/1/a ${next.home}/kept/1/new`)).toBe(
      'person\nperson\n2\n2\n',
    )
  })

  it('keeps to the ignore rules where git cannot read the index, and says so', async () => {
    await world.onDisk(`${repository}; echo broken > .git/index`)
    expect(await problem()).toContain('Git cannot read the index')
    expect((await command('echo 2 > api.gen.ts; echo 2 > plain.ts')).changes).toEqual(['/plain.ts - 2\n'])
  })

  it('keeps what the end of a very long ignore file names, and says so', async () => {
    await world.onDisk(`${repository}; seq -f 'folder%.0f/*.tmp' 300000 > .gitignore; echo last >> .gitignore`)
    expect((await command('echo 1 > last')).changes).toEqual(['/last - 1\n'])
    expect(await problem()).toContain('A .gitignore is longer than Coppice reads')
  })

  it('leaves out what the repository and the person exclude', async () => {
    await world.onDisk(`${repository}; mkdir -p .git/info; printf 'notes\\n/top\\n' > .git/info/exclude
      printf '!in/notes\\n' >> .gitignore; printf '.DS_Store\\n' > .git/mine; git config core.excludesFile "$PWD/.git/mine"`)
    const { changes } = await command('mkdir in; touch notes in/notes top in/top .DS_Store in/.DS_Store')
    expect(changes).toEqual(['/in/notes - ', '/in/top - '])
  })
})

const names = fc.constantFrom('a', 'b.log', 'out', 'c.gen')
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}` as VirtualPath)
const lines = fc.constantFrom(
  '*.log',
  '!b.log',
  'out/',
  '/out',
  'a/',
  '*.gen',
  '/*',
  '!/a',
  'a/out',
  '!out',
  '**/c.gen',
)
const rules = fc.array(lines, { maxLength: 4 }).map((some) => `${some.join('\n')}\n`)
const projects = fc.record({
  files: fc.uniqueArray(paths, { maxLength: 12 }),
  ignore: fc.array(fc.tuple(fc.constantFrom('', '/a', '/out'), rules), { maxLength: 3 }),
  exclude: rules,
  tracked: fc.array(fc.nat(11), { maxLength: 4 }),
  inner: fc.option(
    fc.record({
      folder: fc.constantFrom('/a', '/out', '/a/out'),
      tracked: fc.array(fc.nat(11), { maxLength: 3 }),
      exclude: rules,
    }),
  ),
})

it('leaves out exactly what git does, for any files, ignore files and index', () => {
  world = openMountsWorld()
  const { root } = world
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const list = ['ls-files', '-z', '-co', '--exclude-standard']
  const namesIn = (text: string) => text.split('\0').filter((name) => name !== '')
  const isFree = (path: VirtualPath, all: readonly VirtualPath[]) =>
    !all.some((other) => other !== path && ancestorsOf(other).includes(path))
  fc.assert(
    fc.property(projects, ({ files: drawn, ignore, exclude, tracked, inner }) => {
      rmSync(root, { recursive: true, force: true })
      mkdirSync(root)
      git('init', '-q', '--template=')
      const put = (path: string, text: string) => {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), text)
      }
      const files = drawn.filter((path) => isFree(path, drawn) && path !== '/a' && path !== '/out')
      for (const path of files) put(path, '')
      for (const [folder, text] of ignore) put(`${folder}/.gitignore`, text)
      put('.git/info/exclude', exclude)
      const added = tracked.flatMap((at) => files[at] ?? [])
      if (added.length > 0) git('add', '-f', ...added.map((path) => `.${path}`))
      const listed = new Set(namesIn(git(...list)))
      if (inner) {
        const inFolder = files.filter((path) => path.startsWith(`${inner.folder}/`))
        if (inFolder.length === 0 || added.some((path) => inFolder.includes(path))) return
        const at = (...args: string[]) => git('-C', `.${inner.folder}`, ...args)
        at('init', '-q', '--template=')
        put(`${inner.folder}/.git/info/exclude`, inner.exclude)
        const names = inner.tracked.flatMap((index) => inFolder[index]?.slice(inner.folder.length + 1) ?? [])
        if (names.length > 0) at('add', '-f', ...names)
        for (const path of inFolder) listed.delete(path.slice(1))
        // A repository that git ignores as a whole is no part of the project.
        if (spawnSync('git', ['check-ignore', '-q', `.${inner.folder}`], { cwd: root }).status !== 0)
          for (const name of namesIn(at(...list))) listed.add(`${inner.folder.slice(1)}/${name}`)
      }
      const { isLeftOut } = createMountRules(
        realpathSync(root),
        (folder) => rulesIn(join(root, folder)),
        () => [],
        changedPaths([], [], root),
      )
      for (const path of files) expect([path, isLeftOut(path, false)]).toEqual([path, !listed.has(path.slice(1))])
    }),
    { numRuns: 60 },
  )
}, 60_000)
