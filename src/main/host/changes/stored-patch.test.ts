import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'
import { type ApplyWorld, worldOf } from './apply-world.testkit.ts'
import { exportPatch } from './export-patch.ts'

let above: string
let folder: string
let host: Host | undefined
const home = process.env.HOME
beforeEach(() => {
  above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-stored-')))
  folder = join(above, 'folder')
  process.env.HOME = join(above, 'home')
  sh(
    'mkdir home && git init -q --template= -b main folder && git config --global user.name n && git config --global user.email e@e',
  )
})
afterEach(async () => {
  process.env.HOME = home
  await host?.[Symbol.asyncDispose]()
  host = undefined
})

function sh(script: string, cwd = above): string {
  return execFileSync('bash', ['-ec', script], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** A workspace of the folder as the script leaves it. */
async function openWorld(script: string, project = folder): Promise<ApplyWorld> {
  sh(script, folder)
  host = await openTestHost(join(above, 'data'))
  const opened = await host.projects.open(project)
  opened.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  return worldOf(host, opened, project)
}

async function patchOf(world: ApplyWorld, paths: readonly string[] | null = null) {
  const patch = await exportPatch(world.project, world.head(), paths as readonly VirtualPath[] | null)
  writeFileSync(join(above, 'patch'), patch.bytes)
  return { ...patch, text: Buffer.from(patch.bytes).toString() }
}

const clone = (name: string, ...settings: string[]) => sh(`git clone -q ${settings.join(' ')} folder ${name}`)
const tree = (place: string) => sh('git write-tree', join(above, place))
/** What git stages when a person makes the same changes by hand. */
function treeByHand(script: string): string {
  cpSync(folder, join(above, 'by-hand'), { recursive: true })
  sh(`${script}; git add -A`, join(above, 'by-hand'))
  return tree('by-hand')
}

describe('a patch is what git would store', () => {
  it.each([
    ['eol by attributes', `printf '*.txt text eol=crlf\\n' > .gitattributes; printf 'a\\r\\nb\\r\\n' > a.txt`],
    ['core.autocrlf', `git config core.autocrlf true; printf 'a\\r\\nb\\r\\n' > a.txt; echo x > other`],
    ['text=auto', `printf '* text=auto\\n' > .gitattributes; printf 'a\\r\\nb\\r\\n' > a.txt`],
    [
      'attributes of the repository alone',
      `mkdir -p .git/info; printf '*.txt text\\n' > .git/info/attributes; printf 'a\\r\\nb\\r\\n' > a.txt`,
    ],
    [
      'another encoding',
      `printf '*.txt working-tree-encoding=UTF-16\\n' > .gitattributes; printf 'a\\nb\\n' | iconv -t UTF-16 > a.txt`,
    ],
    ['CRLF as it was committed', `printf 'a\\r\\nb\\r\\n' > a.txt`],
    [
      'CRLF committed before attributes',
      `printf 'a\\r\\nb\\r\\n' > a.txt; git add -A; git commit -qm 0; printf '* text=auto\\n' > .gitattributes`,
    ],
    ['keywords', `printf '*.txt ident\\n' > .gitattributes; printf '$Id: 1 $\\na\\n' > a.txt`],
    ['sha256', `rm -rf .git; git init -q --template= --object-format=sha256; printf 'a\\0\\n' > a.txt`],
  ])('%s', async (name, script) => {
    const utf16 = name === 'another encoding'
    const world = await openWorld(`${script}; git add -A; git commit -qm 1`)
    const [old, made] = [
      readFileSync(join(folder, 'a.txt')),
      utf16 ? Buffer.from('c\r\n', 'utf16le') : Buffer.from('c\r\n'),
    ]
    const changed = Buffer.concat([old, made])
    await world.write({ '/a.txt': changed, '/new.txt': changed })
    const times = () => sh("find . -printf '%p %T@\\n' | sort", folder)
    const before = times()
    const { notes, leftOut } = await patchOf(world)
    expect([notes, leftOut]).toEqual([[], []])
    expect(times()).toBe(before)
    writeFileSync(join(above, 'changed'), changed)
    const wanted = treeByHand('cp ../changed a.txt; cp ../changed new.txt')
    clone('plain')
    clone('windows', '-c core.autocrlf=true')
    for (const place of ['plain', 'windows', 'folder']) {
      sh(`git apply --index ../patch`, join(above, place))
      expect([place, tree(place)]).toEqual([place, wanted])
    }
  })
})

it('has the modes of the index where the folder cannot tell them', async () => {
  const world = await openWorld(
    `echo 1 > a.txt; printf a.txt > link; echo 1 > run; git add -A; git update-index --chmod=+x run
    git update-index --cacheinfo "120000,$(git hash-object link),link"; git commit -qm 1; chmod +x a.txt
    git config core.fileMode false; git config core.symlinks false; git update-index -q --refresh`,
  )
  await world.write({ '/a.txt': '2\n', '/link': 'run', '/run': '2\n' })
  await patchOf(world)
  const wanted = treeByHand('echo 2 > a.txt; printf run > link; echo 2 > run')
  for (const place of ['plain', 'folder']) {
    if (place === 'plain') clone(place)
    sh('git apply --index ../patch', join(above, place))
    expect([place, tree(place)]).toEqual([place, wanted])
  }
})

// Mutation: without `renamedFrom`, a file that moved loses its mode; without `isIntended`, it is called modified.
it.each(['true', 'false'])('keeps the mode of a file that moves, where core.fileMode is %s', async (fileMode) => {
  const world = await openWorld(
    `echo 1 > run; chmod +x run; echo 2 > plain; printf run > link; git add -A; git update-index --chmod=+x run
    git commit -qm 1; git config core.fileMode ${fileMode}; [ ${fileMode} = true ] || chmod -x run
    git update-index -q --refresh`,
  )
  await world.move('/run', '/moved')
  await world.move('/plain', '/deep/plain')
  await patchOf(world)
  const wanted = treeByHand('git mv run moved; mkdir deep; git mv plain deep/plain')
  clone('plain')
  for (const place of ['plain', 'folder']) {
    sh('git apply --index ../patch', join(above, place))
    expect([place, tree(place)]).toEqual([place, wanted])
  }
})

it('has files in place of links, also where a filter stores files', async () => {
  const world = await openWorld(
    `printf '*.up filter=up\\n' > .gitattributes; git config --global filter.up.clean 'tr a-z A-Z'
    ln -s target b.up; ln -s x c; echo c > d; git add -A; git commit -qm 1`,
  )
  await world.write({ '/b.up': null, '/c': null })
  await world.write({ '/b.up': 'text\n', '/c': 'c\n' })
  await patchOf(world)
  const wanted = treeByHand('rm b.up c; echo text > b.up; echo c > c')
  clone('plain')
  for (const place of ['plain', 'folder']) {
    sh('git apply --index ../patch', join(above, place))
    expect([place, tree(place)]).toEqual([place, wanted])
  }
})

describe('what a patch says', () => {
  const committed = 'echo 1 > a.txt; echo 1 > b.txt; git add -A; git commit -qm 1'

  it('names what it stands on, and git takes it in the folder', async () => {
    const world = await openWorld(`${committed}; echo 2 >> a.txt; echo 1 > 'new file'; echo 9 > staged; git add staged`)
    await world.write({ '/a.txt': '1\n2\n3\n', '/b.txt': '2\n', '/new file': '2\n', '/staged': '8\n' })
    const { notes, text } = await patchOf(world)
    expect(notes).toHaveLength(1)
    expect(notes[0]).toContain('in no commit: a.txt (modified), new file (not tracked), staged (only staged).')
    expect(text.split('\n')[0]).toBe(`# ${notes[0]}`)
    sh('git apply ../patch', folder)
    expect(world.read('a.txt')).toBe('1\n2\n3\n')
  })

  it('says what it cannot know', async () => {
    const world = await openWorld(`${committed}; echo broken > .git/index`)
    await world.write({ '/a.txt': '2\n' })
    const { notes, files } = await patchOf(world)
    expect([files, notes[0]]).toEqual([1, expect.stringContaining('Git cannot read the index of the repository (')])
  })

  it('says that there is no commit', async () => {
    const world = await openWorld('echo 1 > a.txt; git add -A')
    await world.write({ '/a.txt': '2\n' })
    expect((await patchOf(world)).notes[0]).toContain('has no commit yet')
  })

  it('has the paths of the repository when the project is a folder of it', async () => {
    const world = await openWorld(
      `mkdir -p in/deep; printf '*.txt text\\n' > in/.gitattributes; printf 'a\\r\\n' > in/deep/a.txt; git add -A; git commit -qm 1`,
      join(folder, 'in/deep'),
    )
    await world.write({ '/a.txt': 'a\r\nb\r\n' })
    await patchOf(world)
    sh('git apply --index ../../../patch', join(folder, 'in/deep'))
    expect(sh('git show :in/deep/a.txt', folder)).toBe('a\nb\n')
  })

  it('is for the index of a worktree, and for a sparse checkout', async () => {
    const world = await openWorld(
      `git commit -q --allow-empty -m 0; cd ..; mv folder main; git -C main worktree add -q -b topic ../folder; cd folder
        printf '*.txt text\n' > .gitattributes; printf 'a\r\n' > a.txt; mkdir away; echo 1 > away/b.txt; git add -A; git commit -qm 1
        git sparse-checkout set --no-cone '/*.txt' /.gitattributes`,
    )
    await world.write({ '/a.txt': 'a\r\nb\r\n', '/away/b.txt': '2\n' })
    const { notes, text } = await patchOf(world)
    expect(notes[0]).toContain('in no commit: away/b.txt (missing in the folder).')
    expect(text).toContain('\n a\n+b\n')
    await patchOf(world, ['/a.txt'])
    sh('git apply --index ../patch', folder)
    expect(sh('git show :a.txt', folder)).toBe('a\nb\n')
  })

  it('has the paths of the project in a folder that the repository around it ignores', async () => {
    const world = await openWorld(`mkdir out; echo out/ > .gitignore; echo 1 > out/a.txt`, join(folder, 'out'))
    await world.write({ '/a.txt': '2\n' })
    const { text, notes } = await patchOf(world)
    expect([text.split('\n')[0], notes]).toEqual(['diff --git a/a.txt b/a.txt', []])
  })

  it('calls a file that a person only means to add not tracked', async () => {
    const world = await openWorld(
      `${committed}; echo 1 > new; : > empty; git add empty; git commit -qm 2; git add -N new; echo 2 > empty`,
    )
    await world.write({ '/new': '2\n', '/empty': '3\n' })
    expect((await patchOf(world)).notes[0]).toContain('in no commit: empty (modified), new (not tracked).')
  })

  // Mutation: without `isUnmerged` in what is staged they are "modified".
  it('says which files are in an unfinished merge', async () => {
    const entries = ['0 $none\\ta.txt', '100644 $id 2\\ta.txt', '100644 $id 3\\ttheirs']
    const stage = `id=$(git hash-object -w a.txt); none=\${id//?/0}; printf "${entries.join('\\n')}\\n"`
    const world = await openWorld(`${committed}; cp a.txt theirs; (${stage}) | git update-index --index-info`)
    await world.write({ '/a.txt': '2\n', '/theirs': '2\n' })
    const merging = 'in an unfinished merge'
    expect((await patchOf(world)).notes[0]).toContain(`in no commit: a.txt (${merging}), theirs (${merging}).`)
  })

  it('leaves out files of submodules, which have patches of their own', async () => {
    sh('git init -q --template= lib; cd lib; echo 1 > x; git add -A; git commit -qm 1')
    const world = await openWorld(
      `${committed}; git -c protocol.file.allow=always submodule --quiet add ../lib sub; git commit -qm 2; git init -q --template= own`,
    )
    await world.write({ '/a.txt': '2\n', '/sub/x': '2\n', '/own/y': '1\n' })
    const whole = await patchOf(world)
    expect(whole.text).not.toMatch(/sub|own/)
    expect(whole.leftOut.map(({ path, why }) => [path, why.slice(0, 31)])).toEqual([
      ['/own/y', 'It belongs to the repository /o'],
      ['/sub/x', 'It belongs to the repository /s'],
    ])
    sh('git apply --index ../patch', folder)
    const { notes } = await patchOf(world, ['/sub'])
    expect(notes[0]).toContain('for the repository /sub')
    sh('git apply --index ../../patch', join(folder, 'sub'))
    expect(world.read('sub/x')).toBe('2\n')
  })
})

it('a submodule that was not fetched is left out too, and its own patch has the files as they are', async () => {
  sh('git init -q --template= lib; cd lib; echo 1 > x; git add -A; git commit -qm 1')
  const world = await openWorld(
    'git -c protocol.file.allow=always submodule --quiet add ../lib sub; git commit -qm 1; git submodule --quiet deinit -f sub; rm -rf .git/modules',
  )
  await world.write({ '/sub/y': '1\n' })
  const { files, leftOut } = await patchOf(world)
  expect([files, leftOut.map(({ path }) => path)]).toEqual([0, ['/sub/y']])
  expect((await patchOf(world, ['/sub'])).text).toContain('+++ b/y\n')
})

const hasLfs = sh('git lfs version 2>/dev/null || echo none', tmpdir()) !== 'none\n'

describe('files that git stores elsewhere or in another form', () => {
  it.skipIf(!hasLfs)('are pointers of git LFS (skipped where git-lfs is not installed)', async () => {
    const world = await openWorld(
      `git lfs install --skip-repo > /dev/null; git lfs track '*.bin' > /dev/null; printf '1\\0' > a.bin; git add -A; git commit -qm 1`,
    )
    await world.write({ '/a.bin': '2\0', '/new.bin': '3\0' })
    const { text, notes } = await patchOf(world)
    expect(text).toContain('+++ b/new.bin\n@@ -0,0 +1,3 @@\n+version https://git-lfs.github.com/spec/v1\n+oid sha256:')
    expect(notes[0]).toContain('Of a.bin, new.bin the patch has only the pointer')
    sh('GIT_LFS_SKIP_SMUDGE=1 git apply --index ../patch', folder)
    expect(tree('folder')).toBe(treeByHand(`git reset -q --hard; printf '2\\0' > a.bin; printf '3\\0' > new.bin`))
  })

  const upper = `git config filter.upper.clean 'tr a-z A-Z'; printf '*.up filter=upper\\n' > .gitattributes`

  it('go through the filter of a person, and that of a repository only when it is trusted', async () => {
    const world = await openWorld(`${upper}; echo a > a.up; git add -A; git commit -qm 1`)
    await world.write({ '/a.up': 'b\n', '/other.txt': '1\n' })
    const before = await patchOf(world)
    expect(before.leftOut).toEqual([{ path: '/a.up', why: expect.stringContaining('only in a folder that you trust') }])
    expect(before.files).toBe(1)
    world.project.setTrusted(true)
    expect((await patchOf(world)).text).toContain('-A\n+B\n')
    sh('git apply --index ../patch', folder)
  })

  // Mutation: when the attributes of the branch choose the program, an agent could run one on any file.
  it('go through no filter because an agent wrote attributes', async () => {
    const world = await openWorld(
      `git config --global filter.upper.clean 'touch ../../ran; cat'; echo a > a.txt; git add -A; git commit -qm 1`,
    )
    await world.write({ '/a.txt': 'b\n', '/.gitattributes': '*.txt filter=upper\n' })
    expect((await patchOf(world)).leftOut).toEqual([
      { path: '/a.txt', why: expect.stringContaining('which the attributes in your folder do not name for it') },
    ])
    expect(sh('ls')).not.toContain('ran')
  })

  it('are named when git stores the same as before', async () => {
    const world = await openWorld(`git config core.autocrlf input; printf 'a\\n' > a.txt; git add -A; git commit -qm 1`)
    await world.write({ '/a.txt': 'a\r\n' })
    const { leftOut, files } = await patchOf(world)
    expect([files, leftOut]).toEqual([0, [{ path: '/a.txt', why: expect.stringContaining('the same as before') }]])
  })

  it('are named when git cannot store them', async () => {
    const world = await openWorld(
      `printf '*.txt working-tree-encoding=UTF-16\\n' > .gitattributes; git add -A; git commit -qm 1`,
    )
    await world.write({ '/a.txt': 'no UTF-16 \r\n', '/b.md': '1\n' })
    const { leftOut, files } = await patchOf(world)
    expect([files, leftOut]).toEqual([1, [{ path: '/a.txt', why: expect.stringContaining('Git cannot store it: ') }]])
  })
})
