import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  absent,
  describeBranchMounts,
  file,
  folder,
  link,
  never,
  shared,
  shown,
} from '#core/ports/branch-mounts.contract.ts'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import { runs } from '#core/ports/test-size.testkit.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { createBranchMounts } from './branch-mounts.ts'
import { type DiskMountsWorld, openMountsWorld } from './mounts-world.testkit.ts'

describeBranchMounts('the cheapest strategy of this system', async () => openMountsWorld())

const here = openMountsWorld()
const strategy = await here.mounts.findStrategy()
await here[Symbol.asyncDispose]()
const unmountable = strategy.kind !== 'overlay'
if (unmountable) console.warn(`SKIPPED: overlay mounts. ${strategy.reason}`)

let world: DiskMountsWorld
/** What each world's last command left. */
const environments = new WeakMap<DiskMountsWorld, readonly LayerId[]>()
/** Begins with what the command before it left. */
async function command(script: string, overlay: readonly MountEntry[] = [], one = world) {
  const environment = environments.get(one) ?? []
  await using mount = await one.mounts.open({ owner: 'branch', overlay, environment }, never)
  const output = await one.inMount(mount, script)
  const captured = await mount.capture()
  environments.set(one, captured.environment)
  const { changes, ignoredChanges, notKept } = captured
  const evicted = mount.evicted.map(({ path, why, keptAs }) => `${path} ${why} ${keptAs ?? '-'}`)
  return { output, changes: shown(changes), ignoredChanges, evicted, ...(notKept && { notKept }) }
}

/** Reuses the result from above, because probing again for each project takes longer than most tests. */
const known = async () => strategy
const copying = async () => ({ kind: 'copy', reason: 'asked for' }) as const
const kinds = unmountable ? (['copy'] as const) : (['overlay', 'copy'] as const)

describe.each(kinds)('files kept for the next command (%s)', (kind) => {
  beforeEach(async () => {
    world = openMountsWorld({ probe: kind === 'copy' ? copying : known })
    await world.onDisk(`printf 'dist/\\n*.log\\n' > .gitignore; mkdir -p src; echo one > src/a`)
  })
  afterEach(() => world[Symbol.asyncDispose]())

  it('include ignored files and .git, however often a mount opens, and nothing stays mounted', async () => {
    await command('mkdir dist .git; echo built > dist/x; echo ref > .git/HEAD; echo l > src/a.log; echo b > src/b')
    const second = await command('cat dist/x .git/HEAD src/a.log; ls src; rm dist/x')
    expect(second).toMatchObject({ output: 'built\nref\nl\na\na.log\n', changes: [], evicted: [] })
    expect((await command('ls -A . dist')).output).toBe('.:\n.git\n.gitignore\ndist\nsrc\n\ndist:\n')
    expect(readdirSync(world.root).sort()).toEqual(['.gitignore', 'src'])
    expect(await world.onDisk('grep -c coppice-mounts- /proc/self/mounts || true')).toBe('0\n')
  })

  it('are counted as changed only by the last command', async () => {
    expect((await command('mkdir dist; touch dist/1 dist/2 dist/3')).ignoredChanges).toBe(3)
    expect((await command('echo x > dist/2')).ignoredChanges).toBe(1)
    expect((await command('ls dist')).ignoredChanges).toBe(0)
  })

  it('do not show changes that a rewind took back, or that were captured but never stored', async () => {
    expect((await command('echo two > src/a; echo n > src/n; rm -r .gitignore')).changes).toHaveLength(3)
    expect((await command('cat src/a; ls -A . src')).output).toBe('one\n.:\n.gitignore\nsrc\n\nsrc:\na\n')
  })

  it('show what a tool, a merge or a rewind did to the branch in between', async () => {
    const first = [file('/src/a', 'branch\n'), folder('/made'), file('/made/x', '1\n'), absent('/.gitignore')]
    expect((await command('cat src/a made/x; ls -A', first)).output).toBe('branch\n1\nmade\nsrc\n')
    const second = [file('/made', 'a file now\n'), file('/src/a', 'branch 2\n', true)]
    expect((await command('cat src/a made; ls -A; test -x src/a', second)).output).toBe(
      'branch 2\na file now\n.gitignore\nmade\nsrc\n',
    )
    expect((await command('cat src/a; ls -A')).output).toBe('one\n.gitignore\nsrc\n')
  })

  it('do not let an opaque folder of the branch show new files of the disk', async () => {
    const overlay = [folder('/fresh'), file('/fresh/own', 'own\n'), absent('/later')]
    expect((await command('ls fresh', overlay)).output).toBe('own\n')
    await world.onDisk('mkdir fresh; echo base > fresh/base; echo base > later')
    expect((await command('ls fresh; test ! -e later', overlay)).output).toBe('own\n')
  })

  it('let a folder of the branch show what the person put there, and nothing in the place of the folder', async () => {
    const overlay = [shared('/docs'), file('/docs/own', 'own\n'), shared('/docs/deep')]
    expect(await command('ls docs', overlay)).toMatchObject({ output: 'deep\nown\n', changes: [] })
    await world.onDisk('mkdir -p docs/deep; echo mine > docs/mine; echo d > docs/deep/d; echo not > docs/own')
    const both = await command('cat docs/* docs/deep/* 2>/dev/null; echo new > docs/new; rm docs/deep/d', overlay)
    expect(both).toMatchObject({ output: 'mine\nown\nd\n', changes: ['/docs/deep/d absent', '/docs/new - new\n'] })
    const without = [...overlay, absent('/docs/deep/d')]
    expect((await command('ls docs docs/deep', without)).output).toBe('docs:\ndeep\nmine\nown\n\ndocs/deep:\n')
    const removed = await command('rm -r docs', overlay)
    expect(removed.changes).toEqual(['/docs absent'])
    const again = await command('rm -r docs; mkdir docs; echo x > docs/x', overlay)
    expect(again.changes).toEqual(['/docs/deep absent', '/docs/mine absent', '/docs/own absent', '/docs/x - x\n'])
    for (const place of ['echo a file > docs', 'mkdir other; echo o > other/o; ln -s other docs']) {
      await world.onDisk(`rm -rf docs other; ${place}`)
      const found = await command('ls docs; echo more > docs/more; rm docs/own', overlay)
      expect(found).toMatchObject({ output: 'deep\nown\n', changes: ['/docs/more - more\n', '/docs/own absent'] })
    }
    expect(await world.onDisk('ls other')).toBe('o\n')
  })

  it('let a folder stay one in which the branch changed a file, whatever the person has in its place', async () => {
    await world.onDisk('rm -r src; echo a file > src')
    const found = await command('cat src/a; echo more > src/more; mkdir src/n', [file('/src/a', 'own\n')])
    expect(found).toMatchObject({ output: 'own\n', changes: ['/src/more - more\n', '/src/n directory'] })
  })

  it('show what the person has in the place of a folder in which the branch only removed a file', async () => {
    await command('cat src/a', [absent('/src/b')])
    await world.onDisk('rm -r src; echo a file > src')
    expect(await command('cat src; echo x > x', [absent('/src/b')])).toMatchObject({
      output: 'a file\n',
      changes: ['/x - x\n'],
    })
    await world.onDisk('rm src')
    expect(await command('ls; mkdir src', [absent('/src/b')])).toMatchObject({
      output: '',
      changes: ['/src directory'],
    })
    await world.onDisk('mkdir src; echo a > src/a; echo b > src/b')
    expect(await command('ls src', [absent('/src/b')])).toMatchObject({ output: 'a\n', changes: [] })
  })

  it('do not hide what changed on disk in between', async () => {
    await command('mkdir dist; echo built > dist/x')
    await world.onDisk('echo two > src/a; echo new > src/new; mkdir other')
    expect((await command('cat src/a src/new; ls')).output).toBe('two\nnew\ndist\nother\nsrc\n')
  })

  it('are given up where the disk changed below them, and only there', async () => {
    await world.onDisk('mkdir -p dist out.log; echo old > dist/x; echo o > dist/y')
    await command('echo built > dist/x; echo l > b.log')
    expect((await command('cat dist/x dist/y')).output).toBe('built\no\n')
    await world.onDisk('echo newer > dist/x; echo newer > dist/y')
    expect(await command('cat dist/x dist/y b.log')).toMatchObject({
      output: 'newer\nnewer\nl\n',
      evicted: ['/dist/x disk ~/kept/1/dist/x'],
    })
  })

  it('include a folder that ignores itself, such as a virtual environment', async () => {
    await command(`mkdir -p c/bin; echo '*' > c/.gitignore; echo x > c/f; echo y > c/bin/run`)
    const second = await command('cat c/f c/bin/run; echo z > c/bin/more; ls -A c')
    expect(second).toMatchObject({ output: 'x\ny\n.gitignore\nbin\nf\n', evicted: [], changes: [] })
    expect(await command('cat c/f c/bin/*')).toMatchObject({ output: 'x\nz\ny\n', evicted: [] })
  })

  it('stay beside what a person does in the same folder, by path', async () => {
    await world.onDisk('mkdir -p dist/deps made; echo old > dist/deps/a; echo m > dist/m')
    await command('echo built > dist/x; mkdir dist/.cache; echo c > dist/.cache/c; echo b > dist/deps/b')
    await command('rm -r dist/deps; mkdir dist/deps; echo fresh > dist/deps/fresh')
    await world.onDisk(
      'mkdir dist/.vite; echo v > dist/.vite/v; echo mine > dist/mine; echo m2 > dist/m; echo p > dist/deps/p',
    )
    const seen = await command('cat dist/x dist/.cache/c dist/.vite/v dist/mine dist/m; ls dist/deps')
    expect(seen).toMatchObject({ output: 'built\nc\nv\nmine\nm2\nfresh\np\n', evicted: [] })
  })

  // Mutation: when the folder goes with all that it held, the mount cannot be opened.
  it('hide what a folder hid that was made again, when everything in it gives way to newer files', async () => {
    await world.onDisk('mkdir -p dist/deps; echo old > dist/deps/old; echo a > dist/deps/a')
    await command('rm -r dist/deps; mkdir dist/deps; echo built > dist/deps/a')
    await world.onDisk('echo mine > dist/deps/a; echo new > dist/deps/new')
    expect(await command('grep -r "" dist | sort')).toMatchObject({
      output: 'dist/deps/a:mine\ndist/deps/new:new\n',
      evicted: ['/dist/deps/a disk ~/kept/1/dist/deps/a'],
    })
  })

  it('include the removal of a folder, in which only what is new on disk is shown', async () => {
    await world.onDisk('mkdir dist; echo old > dist/x')
    expect(await command('rm -r dist')).toMatchObject({ changes: [], ignoredChanges: 1 })
    expect(await command('ls')).toMatchObject({ output: 'src\n', evicted: [] })
    await world.onDisk('touch dist/y')
    expect(await command('ls dist')).toMatchObject({ output: 'y\n', evicted: [] })
  })

  it('stay where the project gained a folder of the same name', async () => {
    await command('mkdir dist; echo built > dist/x')
    await world.onDisk('mkdir dist; echo theirs > dist/y')
    expect(await command('ls dist')).toMatchObject({ output: 'x\ny\n', evicted: [] })
  })

  it('are given up when the branch changes them, a folder above is removed, or no rule names them any more', async () => {
    await command('mkdir -p dist; echo built > dist/x; echo l > src/a.log')
    expect(await command('cat dist/x', [file('/dist/x', 'tool\n')])).toMatchObject({
      output: 'tool\n',
      evicted: ['/dist/x branch ~/kept/1/dist/x'],
    })
    expect(await command('ls', [absent('/src')])).toMatchObject({ output: 'src\n', evicted: [] })
    await command('mkdir dist; echo built > dist/x')
    expect(await command('ls', [file('/.gitignore', '')])).toMatchObject({
      output: 'src\n',
      changes: [],
      evicted: ['/dist/x rules ~/kept/2/dist/x', '/src/a.log rules ~/kept/2/src/a.log'],
    })
  })

  it('follow the rules that the command left: a folder made again loses its own', async () => {
    await world.onDisk(`mkdir pkg; echo '*.tmp' > pkg/.gitignore; echo k > pkg/k`)
    const { changes } = await command('rm -r pkg; mkdir pkg; echo t > pkg/t.tmp; echo i > pkg/i')
    expect(changes).toEqual(['/pkg/.gitignore absent', '/pkg/i - i\n', '/pkg/k absent', '/pkg/t.tmp - t\n'])
  })

  it('do not hide the branch behind a folder that was made again around them', async () => {
    const { changes } = await command('rm -r src; mkdir src; echo l > src/a.log; echo n > src/n')
    expect(changes).toEqual(['/src/a absent', '/src/n - n\n'])
    expect((await command('ls src', [absent('/src/a'), file('/src/n', 'n\n')])).output).toBe('a.log\nn\n')
    expect((await command('ls src')).output, 'after a rewind too').toBe('a\na.log\n')
  })

  it.skipIf(kind === 'copy')(
    'redirect absolute links into the project to the mount, and cover the real folder',
    async () => {
      await world.onDisk('ln -s "$PWD/src" absolute')
      const before = await world.fingerprint()
      const { changes } = await command(`echo x > absolute/a; echo y > ${world.root}/src/y`)
      expect(changes).toEqual(['/src/a - x\n', '/src/y - y\n'])
      expect(await world.fingerprint()).toBe(before)
    },
  )

  it('stay closed where a command closed them, and do not keep anything else from being captured', async () => {
    const { changes, ignoredChanges } = await command(
      `mkdir -p closed/deep dist/closed; echo x > closed/deep/f; echo l > closed/a.log; chmod 000 closed/deep/f closed/deep closed
       echo y > dist/closed/f; ln -s f dist/closed/l; chmod 000 dist/closed/f dist/closed; chmod 555 src`,
    )
    expect(changes).toEqual(['/closed/deep/f - x\n'])
    expect(ignoredChanges).toBeGreaterThan(1)
    expect(
      await command('stat -c %a dist/closed; chmod 700 dist/closed; stat -c %a dist/closed/f; rm -rf dist'),
    ).toMatchObject({
      output: '0\n0\n',
      changes: [],
    })
    expect((await command('mkdir dist; echo z > dist/z; chmod 000 dist')).changes).toEqual([])
    expect(await command('ls -A', [file('/dist/tool', 't')])).toMatchObject({ evicted: [] })
    expect(
      (await command('ls -A; chmod 755 src; rm -r src; mkdir src; echo n > src/a.log; chmod 000 src')).changes,
    ).toEqual(['/src/a absent'])
  })

  it('do not keep a branch from writing into folders that the project closed', async () => {
    await world.onDisk('mkdir -p ro/deep; echo a > ro/a; echo b > ro/deep/b; chmod 555 ro/deep ro')
    const overlay = [
      absent('/ro/a'),
      file('/ro/deep/c', 'c\n'),
      folder('/ro/fresh'),
      file('/ro/fresh/d', 'd\n'),
      file('/ro/n', 'n\n'),
    ]
    const { output, changes } = await command('cat ro/deep/c ro/fresh/d ro/n; ls ro; stat -c %a ro ro/deep', overlay)
    expect(output).toBe('c\nd\nn\ndeep\nfresh\nn\n555\n555\n')
    expect(changes).toEqual([])
    expect((await command('cat ro/a ro/deep/b; ls ro')).output).toBe('a\nb\na\ndeep\n')
    await world.onDisk('chmod 755 ro ro/deep')
  })

  it('leave out what is too large for a patch, by name, and keep the rest', async () => {
    expect(await command('truncate -s 300000000 big; mkdir d; echo small > d/small')).toMatchObject({
      changes: ['/d/small - small\n'],
      notKept: [{ path: '/big', size: 300_000_000, why: 'too_large' }],
    })
    expect((await command('ls')).output).toBe('src\n')
  })

  it('work with names that mount options cannot hold, and leave names that are not text alone', async () => {
    await using odd = openMountsWorld({}, 'a:b,c\\d "e')
    await odd.onDisk('echo odd > f')
    expect(await command(`cat f; echo x > $'\\xff'; echo y > 'c,:'`, [link('/l:,', 'f')], odd)).toMatchObject({
      output: 'odd\n',
      changes: ['/c,: - y\n'],
      notKept: [{ path: '/\\xff', size: 0, why: 'name' }],
      ignoredChanges: 0,
    })
    expect((await command('ls', [], odd)).output).toBe('f\n')
  })
})

it.skipIf(unmountable)('ends the programs in a mount when the app is killed', async () => {
  await using one = openMountsWorld()
  const fixture = join(import.meta.dirname, 'abandoned-mount.testkit.ts')
  const app = spawn(process.execPath, [fixture, one.root, one.mountsFolder], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(app.stdout, 'data')
  const inside = () =>
    execFileSync('bash', ['-c', `grep -l ${one.mountsFolder} /proc/[0-9]*/mountinfo 2>/dev/null || true`]).toString()
  expect(inside()).not.toBe('')
  app.kill('SIGKILL')
  await expect.poll(inside).toBe('')
})

it.skipIf(unmountable)(
  'lets the next start take up what programs of a killed app wrote, and nothing else',
  async () => {
    await using one = openMountsWorld()
    await one.onDisk(`echo made/ > .gitignore; mkdir both; touch both/old; echo one > a; echo gone > b`)
    const overlay = [file('/c', 'of the branch'), absent('/both/old')]
    const lost = await one.mounts.open({ owner: 'lost', overlay }, never)
    await one.inMount(
      lost,
      `echo two > a; rm b; echo more >> c; mkdir made; echo half > made/x; rm -r both; mkdir both`,
    )
    const other = await one.mounts.open({ owner: 'other', overlay: [] }, never)
    await one.inMount(other, 'echo other > a')
    // The app is killed here: nothing is captured or closed.
    const { root: rootFolder, mountsFolder } = one
    await using next = createBranchMounts({ rootFolder, mountsFolder, probe: known, abandoned: ['lost'] })
    const open = (owner: string) => next.open({ owner, overlay, takesUp: true }, never)
    await expect(open('other')).rejects.toThrow('What it had written is not there any more.')
    {
      await using again = await open('lost')
      const { changes, environment, ignoredChanges } = await again.capture(false)
      expect(shown(changes)).toEqual(['/a - two\n', '/b absent', '/c - of the branchmore\n'])
      expect([environment, ignoredChanges]).toEqual([[], 1])
    }
    expect(await one.onDisk('cat a')).toBe('one\n')
    await next.remove('lost')
    await expect(open('lost')).rejects.toThrow('not there any more')
  },
)

it.skipIf(unmountable)('leaves no way to the real folder beside the mount', async () => {
  await using one = openMountsWorld()
  await one.onDisk('echo one > a')
  const before = await one.fingerprint()
  await command(`echo evil > ../base/a; echo evil > ${one.root}/a; echo evil > /proc/self/root${one.root}/b`, [], one)
  expect(await one.fingerprint()).toBe(before)
})

it.skipIf(unmountable)("reads none of the person's start-up files, even when its input is a pipe", async () => {
  await using one = openMountsWorld()
  await one.onDisk(`echo 'echo canary' > ../.bashrc`)
  await using mount = await one.mounts.open({ owner: 'branch', overlay: [] }, never)
  const [program = '', ...parameters] = mount.enter(['bash', '--norc', '-c', 'echo "home $HOME"'])
  const child = spawn(program, parameters, {
    stdio: 'pipe',
    env: { PATH: process.env.PATH, HOME: join(one.root, '..') },
  })
  child.stdin.end()
  const said = (await child.stdout.toArray()).join('')
  expect(said).toBe(`home ${join(one.root, '..')}\n`)
})

it.each(kinds)('removes its folders when it is closed, and the next app finds the environment (%s)', async (kind) => {
  const probe = kind === 'copy' ? copying : known
  await using one = openMountsWorld({ probe })
  await command('mkdir .git; echo x > .git/x; mkdir locked; chmod 0 locked', [], one)
  const environment = environments.get(one) ?? []
  expect((await one.mounts.storedBytes(new Set(environment))).bytes).toBeGreaterThan(0)
  await one.mounts[Symbol.asyncDispose]()
  expect(readdirSync(one.mountsFolder)).toEqual([])
  await using next = createBranchMounts({ probe, rootFolder: one.root, mountsFolder: one.mountsFolder })
  await using mount = await next.open({ owner: 'another', overlay: [], environment }, never)
  expect(await one.inMount(mount, 'cat .git/x; ls')).toBe('x\n')
  expect(existsSync(one.root) && lstatSync(join(one.root)).isDirectory()).toBe(true)
})

const names = ['a', 'b', 'dir', 'dir/a', 'dir/b', 'dir/sub', 'dir/sub/c', 'x.log', 'dir/y.log']
const step = fc.oneof(
  fc
    .record({ path: fc.constantFrom(...names), text: fc.constantFrom('1', '2') })
    .map(
      ({ path, text }) => `mkdir -p $(dirname ${path}); [ -d ${path} ] || { rm -f ${path}; echo ${text} > ${path}; }`,
    ),
  fc.constantFrom(...names).map((path) => `rm -rf ${path}`),
  fc.constantFrom(...names).map((path) => `rm -rf ${path}; mkdir -p ${path}`),
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)).map(([from, to]) => `mv -T ${from} ${to}`),
  fc.constantFrom(...names).map((path) => `chmod +x ${path}`),
  fc
    .tuple(fc.constantFrom(...names), fc.constantFrom('000', '555', '500', '600', '777'))
    .map(([path, mode]) => `chmod ${mode} ${path}`),
  fc.constantFrom(...names).map((path) => `rm -rf ${path}; ln -s a ${path}`),
)

it.skipIf(unmountable)('captures the same changes as a copy, for any commands on any kind of branch', async () => {
  const overlays = [
    [],
    [file('/dir', 'now a file')],
    [absent('/dir'), file('/b', '1\n')],
    [folder('/dir'), file('/dir/b', '1\n'), folder('/dir/sub'), file('/dir/y.log', 'tool')],
  ]
  const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), fc.nat(3), async (steps, which) => {
    await using copy = openMountsWorld({ probe: copying })
    await using mount = openMountsWorld({ probe: known })
    const script = steps.map((line) => `{ ${line}; } 2>/dev/null`).join('\n')
    const [one, other] = await Promise.all(
      [copy, mount].map(async (each) => {
        await each.onDisk(`mkdir -p dir/sub; echo 1 > a; echo 1 > dir/a; echo 2 > dir/sub/c; echo '*.log' > .gitignore`)
        const { changes } = await command(`${script}\ntrue`, overlays[which], each)
        return changes
      }),
    )
    expect(other).toEqual(one)
  })
  // A folder in the place of a file of the branch, which holds folders alone.
  const examples: [string[], number][] = [[['rm -rf dir; mkdir -p dir', 'mkdir -p dir/sub/c'], 1]]
  await fc.assert(property, { ...runs(40), examples })
})
