import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LayerId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { BranchMount, BranchMounts, MountChange, MountEntry, PlaceChange, PlaceRequest } from './branch-mounts.ts'

/** A project on disk and its mounts. Scripts are bash. */
export interface MountsWorld extends AsyncDisposable {
  readonly mounts: BranchMounts
  /** Runs a script in the project's real folder and returns its output. */
  readonly onDisk: (script: string) => Promise<string>
  readonly inMount: (mount: BranchMount, script: string) => Promise<string>
  /** Bytes, modes, links and times of everything in the project's real folder. */
  readonly fingerprint: () => Promise<string>
}

export const never = new AbortController().signal
const at = (path: string): VirtualPath => path as VirtualPath

export const file = (path: string, text: string, executable = false): MountEntry => ({
  kind: 'file',
  path: at(path),
  content: `${text.length} ${text}`,
  read: () => new TextEncoder().encode(text),
  executable,
})
export const folder = (path: string): MountEntry => ({ kind: 'directory', path: at(path), opaque: true })
/** A folder in which what the project has there shows, too. */
export const shared = (path: string): MountEntry => ({ kind: 'directory', path: at(path), opaque: false })
export const link = (path: string, target: string): MountEntry => ({ kind: 'symlink', path: at(path), target })
export const absent = (path: string): MountEntry => ({ kind: 'absent', path: at(path) })

/** Changes as lines that read well in assertions. */
export function shown(changes: readonly MountChange[]): readonly string[] {
  return changes.map((change) => {
    if (change.kind === 'file')
      return `${change.path} ${change.executable ? 'x' : '-'} ${new TextDecoder().decode(change.bytes)}`
    return change.kind === 'symlink' ? `${change.path} -> ${change.target}` : `${change.path} ${change.kind}`
  })
}

let world: MountsWorld

/** Opens the branch's mount, runs the script in it and captures what it changed. */
async function command(script: string, overlay: readonly MountEntry[] = [], options: CommandOptions = {}) {
  const { owner = 'branch', environment = [], keeps = true } = options
  await using mount = await world.mounts.open({ owner, overlay, environment }, never)
  const output = await world.inMount(mount, script)
  const { changes, ...captured } = await mount.capture(keeps)
  return { ...captured, output, changes: shown(changes) }
}

interface CommandOptions {
  readonly owner?: string
  readonly environment?: readonly LayerId[]
  readonly keeps?: boolean
}

/** What every way of making mounts must do. `create` makes an empty project. */
export function describeBranchMounts(name: string, create: () => Promise<MountsWorld>): void {
  describe(`BranchMounts: ${name}`, () => {
    beforeEach(async () => {
      world = await create()
    })
    afterEach(() => world[Symbol.asyncDispose]())
    describeLooking()
    describeCapturing()
    describeLookingOn()
    describe('environments', describeEnvironments)
    describeTurns()
    describePlaces()
  })
}

function describeLooking(): void {
  it('shows the branch instead of the base, in a different place than the project', async () => {
    const real = await world.onDisk(
      'mkdir gone folder; for f in a gone/x folder/old kept; do echo base > $f; done; pwd',
    )
    const overlay = [
      file('/a', 'branch'),
      folder('/folder'),
      file('/folder/new', 'branch', true),
      absent('/gone'),
      link('/link', 'a'),
    ]
    const { output, changes } = await command(
      'find . | sort; cat a link kept; test -x folder/new && echo exec; pwd',
      overlay,
    )
    expect(output).toContain('.\n./a\n./folder\n./folder/new\n./kept\n./link\nbranchbranchbase\nexec\n')
    expect(output).not.toContain(real.trim())
    expect(changes).toEqual([])
  })

  it('replaces a file by a folder, a folder by a file, and makes the folders above', async () => {
    await world.onDisk('echo file > a; mkdir -p b/c; echo deep > b/c/d')
    const overlay = [folder('/a'), file('/a/in', '1\n'), file('/b', '2\n'), folder('/x'), file('/x/y', '3\n')]
    const { output, changes } = await command('find . -type f | sort | xargs tail -n +1 -q', overlay)
    expect(output).toBe('1\n2\n3\n')
    expect(changes).toEqual([])
  })

  it('has a home and a temporary folder where programs may write without making changes', async () => {
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
    await world.inMount(mount, `echo h > ${mount.home}/h; echo t > ${mount.temporary}/t; cat ${mount.home}/h`)
    expect((await mount.capture()).changes).toEqual([])
  })

  it('restores its home and temporary folder after a command removed them', async () => {
    for (const time of ['once', 'again']) {
      await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
      const { home, temporary } = mount
      expect(await world.inMount(mount, `echo ${time} > ${home}/h; echo t > ${temporary}/t; cat ${home}/h`)).toBe(
        `${time}\n`,
      )
      await world.inMount(mount, `rm -rf ${home} ${temporary}; true`)
    }
  })

  it('keeps links as they are, and never writes through a link of the base', async () => {
    await world.onDisk('mkdir ../outside; ln -s "$PWD/../outside" out; ln -s nowhere dangling')
    expect((await command('readlink dangling')).output).toBe('nowhere\n')
    await command('cat out/new', [file('/out/new', 'x')])
    expect(await world.onDisk('ls ../outside')).toBe('')
  })
}

function describeCapturing(): void {
  it('captures changes as one patch and leaves the real folder unchanged', async () => {
    await world.onDisk(`echo one > a; echo two > b; echo same > same; printf '#!' > script; mkdir -p old/deep
      echo 1 > old/deep/x; echo 2 > old/y; echo f > becomes-folder; mkdir becomes-file; echo i > becomes-file/i`)
    const before = await world.fingerprint()
    const { changes } = await command(
      `echo ONE > a; rm b; touch same; chmod +x script; rm -r old; mkdir -p new/deep empty; echo n > new/deep/n
       ln -s ../a new/link; ln -s "$PWD/a" absolute; rm becomes-folder; mkdir becomes-folder; echo i > becomes-folder/i
       rm -r becomes-file; echo f > becomes-file; cp same copy && mv copy same`,
    )
    expect(changes).toEqual([
      '/a - ONE\n',
      '/absolute -> a',
      '/b absent',
      '/becomes-file - f\n',
      '/becomes-folder/i - i\n',
      '/empty directory',
      '/new/deep/n - n\n',
      '/new/link -> ../a',
      '/old absent',
      '/script x #!',
    ])
    expect(await world.fingerprint()).toBe(before)
  })

  it('captures later changes to files that the branch had changed', async () => {
    await world.onDisk('mkdir d; echo base > d/kept; echo base > a; echo base > back')
    const overlay = [file('/a', 'branch\n'), file('/back', 'branch\n'), absent('/d'), file('/n', 'new\n')]
    const { changes } = await command(
      'echo more >> a; echo base > back; mkdir d; echo again > d/kept; mv n m; rm -f nothing',
      overlay,
    )
    expect(changes).toEqual(['/a - branch\nmore\n', '/back - base\n', '/d/kept - again\n', '/m - new\n', '/n absent'])
  })

  it('captures nested folders in place of a file', async () => {
    await world.onDisk('echo file > a')
    const { changes } = await command('rm a; mkdir -p a/b/c; echo deep > a/b/c/d')
    expect(changes).toEqual(['/a/b/c/d - deep\n'])
  })

  it('captures a moved folder, binary files and odd names', async () => {
    await world.onDisk('mkdir -p from/in; echo 1 > from/in/a; echo 2 > from/b')
    const { changes } = await command(`mv from to; printf '\\0\\1' > bin; echo s > $'sp ace\\n\\'q'; rm -r to/in`)
    expect(changes).toEqual(['/bin - \0\u0001', '/from absent', "/sp ace\n'q - s\n", '/to/b - 2\n'])
  })

  it('leaves out .git and ignored files, and counts them', async () => {
    await world.onDisk(
      `printf 'dist/\\n*.log\\n' > .gitignore; mkdir .git dist; echo c > .git/config; echo o > dist/old.js`,
    )
    const { changes, ignoredChanges } = await command(
      'echo x > .git/hook; echo new > dist/new.js; rm dist/old.js; echo l > a.log; echo s > src.ts',
    )
    expect(changes).toEqual(['/src.ts - s\n'])
    expect(ignoredChanges).toBe(4)
  })

  it('names special files that it leaves out, and drops changes without a capture', async () => {
    expect(await command('mkfifo made')).toMatchObject({
      changes: [],
      notKept: [{ path: '/made', size: 0, why: 'special' }],
    })
    {
      await using mount = await world.mounts.open({ owner: 'branch', overlay: [] }, never)
      await world.inMount(mount, 'echo x > dropped')
    }
    expect(await command('ls')).toMatchObject({ output: '', changes: [] })
  })
}

function describeLookingOn(): void {
  const prepare = async () => {
    await world.onDisk(
      'echo "dist/" > .gitignore; mkdir -p both deep/in gone; echo one > a; touch both/old deep/in/x gone/y; echo b > b',
    )
    return world.mounts.open({ owner: 'branch', overlay: [file('/c', 'of the branch\n')] }, never)
  }
  const script = `echo two > a; rm b; echo more >> c; mkdir dist; echo built > dist/x; rm -r both; mkdir both; echo n > both/n
    rm -r gone; echo z > deep/in/z; ln -s a link; ln -s /etc/passwd out`
  const expected = [
    ...['/a - two\n', '/b absent', '/both/n - n\n', '/both/old absent', '/c - of the branch\nmore\n'],
    ...['/deep/in/z - z\n', '/gone absent', '/link -> a'],
  ]

  it('shows what programs changed so far, and a later capture finds the same and more', async () => {
    await using mount = await prepare()
    expect(await mount.look()).toEqual({ changes: [] })
    await world.inMount(mount, script)
    for (let times = 0; times < 2; times += 1) {
      const seen = await mount.look()
      expect(shown(seen?.changes ?? [])).toEqual(expected)
      expect(seen?.refusedLinks).toEqual([{ path: '/out', target: '/etc/passwd' }])
    }
    await world.inMount(mount, 'echo three > a; echo later > later')
    const looked = await mount.look()
    const { changes, ignoredChanges, environment } = await mount.capture()
    expect(looked?.changes).toEqual(changes)
    expect(shown(changes)).toEqual(['/a - three\n', ...expected.slice(1, -1), ...['/later - later\n', '/link -> a']])
    expect([ignoredChanges, environment.length]).toEqual([1, 1])
  })

  it('keeps no layer, and does not end what programs do', async () => {
    await using mount = await prepare()
    await world.inMount(mount, 'mkdir dist; echo built > dist/x')
    await mount.look()
    expect(await world.mounts.layerUsage()).toEqual([])
    expect(await world.inMount(mount, 'cat dist/x; echo s > s; cat s')).toBe('built\ns\n')
    expect(shown((await mount.capture(false)).changes)).toEqual(['/s - s\n'])
  })
}

function describeEnvironments(): void {
  const inHome = async (script: (home: string) => string, environment: readonly LayerId[]) => {
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [], environment }, never)
    const output = await world.inMount(mount, script(mount.home))
    return { output, environment: (await mount.capture()).environment }
  }
  beforeEach(() => world.onDisk('echo "dist/" > .gitignore; echo "*.log" >> .gitignore; mkdir src; echo one > src/a'))

  it('hold what commands left in ignored files, in .git and in their home, and nothing else', async () => {
    const build = 'mkdir dist .git; echo b > dist/x; echo r > .git/HEAD; echo n > new'
    const { environment } = await inHome((home) => `${build}; mkdir ${home}/.cache; echo c > ${home}/.cache/c`, [])
    expect(environment).toHaveLength(1)
    const second = await inHome((home) => `cat dist/x .git/HEAD ${home}/.cache/c; ls -A`, environment)
    expect(second).toEqual({ output: 'b\nr\nc\n.git\n.gitignore\ndist\nsrc\n', environment })
    expect((await command('ls -A')).output).toBe('.gitignore\nsrc\n')
  })

  it('are never changed: a fork and an earlier list show what was there', async () => {
    const one = (await command('mkdir dist; echo 1 > dist/x; echo k > dist/k')).environment
    const two = (await command('echo 2 > dist/x; rm dist/k; echo n > dist/n', [], { environment: one })).environment
    const fork = await command('echo f > dist/x', [], { owner: 'fork', environment: one })
    expect((await command('ls dist; cat dist/x', [], { environment: two })).output).toBe('n\nx\n2\n')
    expect((await command('cat dist/k dist/x', [], { environment: one })).output).toBe('k\n1\n')
    expect((await command('cat dist/k dist/x', [], { owner: 'fork', environment: fork.environment })).output).toBe(
      'k\nf\n',
    )
  })

  it('hold removals of what earlier commands or the project had', async () => {
    await world.onDisk('mkdir dist; echo old > dist/x')
    const gone = await command('rm -r dist; echo l > a.log')
    expect(gone).toMatchObject({ changes: [], ignoredChanges: 2 })
    const { environment } = await command('ls; rm a.log', [], gone)
    const again = await command('ls; mkdir dist; echo new > dist/y', [], { environment })
    expect(again.output).toBe('src\n')
    expect((await command('ls dist', [], again)).output).toBe('y\n')
  })

  it('take nothing of a command that was cut off, and stay as they were', async () => {
    const { environment } = await command('mkdir dist; echo whole > dist/x')
    const cut = await command('echo half > dist/x; echo half > dist/y; echo c > src/a', [], {
      environment,
      keeps: false,
    })
    expect(cut).toMatchObject({ environment, changes: ['/src/a - c\n'], ignoredChanges: 2 })
    expect((await command('cat dist/x; ls dist', [], { environment })).output).toBe('whole\nx\n')
  })

  it('keep their version of a path that the branch changed, and say where, and show all other paths', async () => {
    const one = await command('mkdir dist; echo 1 > dist/x; echo l > a.log')
    const two = await command('echo 2 > dist/y', [], one)
    await using mount = await world.mounts.open(
      { owner: 'branch', overlay: [file('/dist/x', 'tool\n')], environment: two.environment },
      never,
    )
    expect(await world.inMount(mount, 'ls dist; cat dist/x a.log')).toBe('x\ny\ntool\nl\n')
    expect(await world.inMount(mount, `cat ${mount.home}/kept/1/dist/x`)).toBe('1\n')
    expect(mount.evicted).toEqual([{ path: '/dist/x', why: 'branch', keptAs: '~/kept/1/dist/x' }])
  })

  it('are joined by path with those of a program that ran beside', async () => {
    const start = await command('mkdir dist; echo 0 > dist/0; echo b > dist/both')
    const beside = await command('echo p > dist/p; echo own > dist/both', [], { owner: 'process', ...start })
    const onto = await command('echo c > dist/c; echo theirs > dist/both; rm dist/0', [], start)
    const lists = { start: start.environment, own: beside.added ?? [], onto: onto.environment }
    const { layers, evicted } = await world.mounts.joinLayers(lists)
    expect(layers.slice(0, onto.environment.length)).toEqual(onto.environment)
    expect(evicted).toEqual([{ path: '/dist/both', why: 'commands', keptAs: '~/kept/1/dist/both' }])
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [], environment: layers }, never)
    const seen = await world.inMount(mount, `ls dist; cat dist/c dist/both dist/p ${mount.home}/kept/1/dist/both`)
    expect(seen).toBe('both\nc\np\nc\ntheirs\np\nown\n')
  })

  it('say when layers are missing, and show what lies below', async () => {
    const one = await command('mkdir dist; echo 1 > dist/x')
    const two = await command('echo 2 > dist/y', [], one)
    await world.mounts.keepLayers(new Set(two.environment))
    expect(await world.mounts.countShowable(two.environment)).toBe(2)
    await world.mounts.keepLayers(new Set(one.environment))
    expect([await world.mounts.countShowable(two.environment), await world.mounts.countShowable([])]).toEqual([1, 0])
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [], ...two }, never)
    expect(mount.missing).toBe('damaged')
    expect(await world.inMount(mount, 'ls dist')).toBe('x\n')
    expect((await mount.capture()).environment).toEqual(one.environment)
  })

  it('are dropped on demand, which the next mount says, but never while a mount shows them', async () => {
    const one = await command('mkdir dist; echo 1 > dist/x')
    const two = await command('echo 2 > dist/y', [], one)
    const usage = await world.mounts.layerUsage()
    expect(usage.map(({ id }) => id).sort()).toEqual([...two.environment].sort())
    expect(usage.every(({ bytes }) => bytes > 0)).toBe(true)
    const [, last] = two.environment
    const dropped = new Set(last ? [last] : [])
    {
      await using mount = await world.mounts.open({ owner: 'branch', overlay: [], ...two }, never)
      await world.mounts.dropLayers(dropped)
      expect(await world.inMount(mount, 'ls dist')).toBe('x\ny\n')
    }
    await world.mounts.dropLayers(dropped)
    await using mount = await world.mounts.open({ owner: 'branch', overlay: [], ...two }, never)
    expect([await world.inMount(mount, 'ls dist'), mount.missing]).toEqual(['x\n', 'dropped'])
    expect((await mount.capture()).environment).toEqual(one.environment)
  })

  it('keep layers that are used, shown by an open mount, or made a moment ago', async () => {
    const one = await command('mkdir dist; echo 1 > dist/x')
    await world.mounts.keepLayers(new Set())
    expect((await command('cat dist/x', [], one)).output).toBe('1\n')
    await world.mounts.keepLayers(new Set(one.environment))
    {
      await using mount = await world.mounts.open({ owner: 'branch', overlay: [], ...one }, never)
      await world.mounts.keepLayers(new Set())
      expect(await world.inMount(mount, 'cat dist/x')).toBe('1\n')
    }
    expect((await world.mounts.storedBytes(new Set())).unused).toBeGreaterThan(0)
    await world.mounts.keepLayers(new Set())
    expect((await world.mounts.storedBytes(new Set())).unused).toBe(0)
  })
}

function describeTurns(): void {
  it('opens the mounts of one owner one at a time, and those of others at once', async () => {
    const first = await world.mounts.open({ owner: 'one', overlay: [] }, never)
    let opened = false
    const second = world.mounts.open({ owner: 'one', overlay: [] }, never).then((mount) => {
      opened = true
      return mount
    })
    await using _other = await world.mounts.open({ owner: 'other', overlay: [] }, never)
    expect(opened).toBe(false)
    await first[Symbol.asyncDispose]()
    await (await second)[Symbol.asyncDispose]()
  })

  it('stops waiting with the reason of the signal, and admits the next one', async () => {
    const first = await world.mounts.open({ owner: 'one', overlay: [] }, never)
    const controller = new AbortController()
    const second = world.mounts.open({ owner: 'one', overlay: [] }, controller.signal)
    const third = world.mounts.open({ owner: 'one', overlay: [] }, never)
    controller.abort('stopped')
    await expect(second).rejects.toBe('stopped')
    await first[Symbol.asyncDispose]()
    await (await third)[Symbol.asyncDispose]()
  })

  it('says how mounts are made, and keeps nothing of a removed owner', async () => {
    const strategy = await world.mounts.findStrategy()
    expect(['overlay', 'clone', 'copy']).toContain(strategy.kind)
    expect(strategy.reason).not.toBe('')
    await command('echo x > f')
    await world.mounts.remove('branch')
    expect((await world.mounts.storedBytes(new Set())).bytes).toBe(0)
  })
}

/** A place with these files. */
export function place(name: string, files: Readonly<Record<string, string>>, writable = true): PlaceRequest {
  return {
    path: at(`/${name}`),
    name,
    writable,
    files: Object.entries(files).map(([own, text]) => ({
      path: at(`/${name}/${own}`),
      content: `${text.length} ${text}`,
      size: text.length,
      read: () => new TextEncoder().encode(text),
    })),
  }
}

/** Place changes as lines that read well in assertions. */
export function shownPlaces(changes: readonly PlaceChange[]): readonly string[] {
  return changes.map((change) => {
    if (change.kind === 'file') return `${change.path} - ${new TextDecoder().decode(change.bytes)}`
    return change.kind === 'absent' ? `${change.path} absent` : `${change.path}: ${change.why}`
  })
}

/** Runs a script in a mount beside these places. Their folders are the variables `$inputs`, `$memories` and so on. */
async function beside(script: string, places: readonly PlaceRequest[], owner = 'branch') {
  const request = { owner, overlay: [], places: { owner, places, sealed: false } }
  await using mount = await world.mounts.open(request, never)
  const folders = mount.places.map(({ name, folder }) => `${name}='${folder}'; `).join('')
  const output = await world.inMount(mount, `${folders}${script}`)
  const { changes, placeChanges } = await mount.capture()
  return { output, changes: shown(changes), places: shownPlaces(placeChanges) }
}

function describePlaces(): void {
  const inputs = place('inputs', { 'a.json': '{"a":1}', 'deep/b': 'b' })

  it('shows places beside the project, under folders of their own', async () => {
    const { output, changes, places } = await beside('ls; cat $inputs/a.json $inputs/deep/b; ls $empty', [
      inputs,
      place('empty', {}),
    ])
    expect([output, changes, places]).toEqual(['{"a":1}b', [], []])
  })

  it('captures what programs write into places, apart from the project', async () => {
    const { changes, places } = await beside(
      'echo new > $inputs/new; echo B > $inputs/deep/b; rm $inputs/a.json; mkdir -p $inputs/e/f; echo g > $inputs/e/f/g; echo own > own',
      [inputs],
    )
    expect(changes).toEqual(['/own - own\n'])
    expect(places).toEqual([
      '/inputs/a.json absent',
      '/inputs/deep/b - B\n',
      '/inputs/e/f/g - g\n',
      '/inputs/new - new\n',
    ])
  })

  it('shows the next mount what was asked for, whatever programs left', async () => {
    await beside('echo new > $inputs/new; echo B > $inputs/deep/b; rm $inputs/a.json', [inputs])
    const { output, places } = await beside('cd $inputs; find . -type f | sort; cat a.json deep/b', [inputs])
    expect([output, places]).toEqual(['./a.json\n./deep/b\n{"a":1}b', []])
    const later = place('inputs', { 'a.json': '{}' })
    expect((await beside('cd $inputs; find . -type f | sort; cat a.json', [later])).output).toBe('./a.json\n{}')
  })

  it('keeps the places of two branches apart', async () => {
    await beside('echo one > $inputs/new', [inputs], 'one')
    expect((await beside('ls $inputs', [inputs], 'two')).output).toBe('a.json\ndeep\n')
  })

  it('refuses links, and never follows them', async () => {
    await world.onDisk('mkdir ../outside; echo canary > ../outside/secret')
    const outside = (await world.onDisk('cd ../outside; pwd')).trim()
    const { places } = await beside(
      `ln -s '${outside}/secret' $inputs/link; rm -r $inputs/deep; ln -s '${outside}' $inputs/deep`,
      [inputs],
    )
    expect(places).toEqual(['/inputs/deep: a link', '/inputs/deep/b absent', '/inputs/link: a link'])
    expect((await beside('cat $inputs/deep/b', [inputs])).output).toBe('b')
    expect(await world.onDisk('ls ../outside')).toBe('secret\n')
  })

  it('keeps nothing of places without a capture', async () => {
    {
      await using mount = await world.mounts.open(
        { owner: 'branch', overlay: [], places: { owner: 'branch', places: [inputs], sealed: false } },
        never,
      )
      await world.inMount(mount, `echo x > '${mount.places[0]?.folder}/a.json'`)
    }
    expect((await beside('cat $inputs/a.json', [inputs])).output).toBe('{"a":1}')
  })
}
