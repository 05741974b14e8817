import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { checkDataFolder, prepareDataFolder } from './data-folder.ts'

let above: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-data-'))
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

describe('a place for the data', () => {
  const place = (name: string) => join(above, name)
  const impossible: readonly (readonly [string, () => string, RegExp])[] = [
    ['below /proc', () => '/proc/coppice', /this place holds no files/],
    ['below /sys', () => '/sys/coppice', /may not be written|this place holds no files/],
    ['that is a file', () => file('a'), /is a file/],
    ['below a file', () => join(file('a'), 'data'), /a folder above it is a file/],
    ['that is a link to nothing', () => link('l', place('none')), /is a link to .*none, and nothing is there/],
    ['that is a link to itself', () => link('l', place('l')), /loop|nothing is there/],
    [
      'below a link to nothing',
      () => join(link('l', place('none')), 'data'),
      /something else is there|this place holds no files/,
    ],
    ['with a file in the place of its projects', () => dirname(file('projects')), /"projects" that is no folder/],
    [
      'whose projects are a link to nothing',
      () => dirname(link('projects', place('none'))),
      /"projects" that is no folder/,
    ],
    ['with a name that is too long', () => place('x'.repeat(300)), /longer than its disk allows/],
    ['with a path that is too long', () => place('x/'.repeat(3_000)), /longer than its disk allows/],
    ['with a zero byte', () => place('a\0b'), /zero byte/],
  ]

  it.each(impossible)('%s is refused in a sentence, and nothing is made', (_, make, words) => {
    const made = make()
    const before = readdirSync(above)
    expect(() => prepareDataFolder(made)).toThrow(words)
    expect(() => prepareDataFolder(made)).toThrow(/Choose another with --data-dir/)
    expect(() => prepareDataFolder(made)).toThrow(expect.objectContaining({ name: 'DataFolderError' }))
    expect(readdirSync(above)).toEqual(before)
  })

  it('on a disk that is mounted read-only, or full, or without room for files, is refused', ({ skip }) => {
    if (!canMount()) skip('this system does not allow mounts')
    for (const [options, words] of [
      ['ro', /mounted read-only/],
      ['size=4k', /full/],
      ['nr_inodes=1', /full/],
    ] as const) {
      const said = inMount(options)
      expect(said, options).toMatch(words)
    }
  })

  // Mutation: leave `mayLookInto` out of `checkDataFolder`, and a folder of somebody else has no threads.
  it.skipIf(process.getuid?.() === 0)('that may not be read is refused, also by what only reads', () => {
    for (const closed of [place('data'), place('data/projects')]) {
      mkdirSync(closed, { recursive: true })
      for (const mode of [0o000, 0o300, 0o600]) {
        chmodSync(closed, mode)
        expect(() => checkDataFolder(place('data')), closed).toThrow('may not be read with your rights. Choose another')
      }
      chmodSync(closed, 0o700)
      expect(() => checkDataFolder(place('data'))).not.toThrow()
    }
  })

  it('on a network share is used, with a warning', () => {
    expect(prepareDataFolder(place('share'), () => true)).toEqual([
      expect.stringMatching(/share is on a network share. Locks and confirmed writes may not hold/),
    ])
  })

  it('is made with its parents, tried, and left empty', () => {
    const folder = place('new/deep')
    expect(prepareDataFolder(folder)).toEqual([])
    expect(readdirSync(folder)).toEqual([])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  const file = (name: string) => {
    writeFileSync(place(name), '')
    return place(name)
  }
  const link = (name: string, target: string) => {
    symlinkSync(target, place(name))
    return place(name)
  }

  const canMount = () => {
    try {
      execFileSync('unshare', ['-rm', 'true'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }

  /** What the app says about a small disk with these options, that is full of one file. */
  function inMount(options: string): string {
    mkdirSync(place('disk'), { recursive: true })
    const module = join(import.meta.dirname, 'data-folder.ts')
    const script = `import(${JSON.stringify(module)}).then(({ prepareDataFolder }) => prepareDataFolder(process.argv[1])).catch((error) => console.log(error.message))`
    const fill = options === 'ro' ? 'true' : `head -c 10k /dev/zero > '${place('disk')}/fill' 2>/dev/null || true`
    const node = `'${process.execPath}' -e '${script}' '${place('disk')}/data'`
    return execFileSync(
      'unshare',
      ['-rm', 'sh', '-c', `mount -t tmpfs -o ${options} tmpfs '${place('disk')}' && { ${fill}; ${node}; }`],
      { encoding: 'utf8', cwd: join(import.meta.dirname, '../../../..') },
    )
  }
})

describe('the data folder', () => {
  /** Every file and folder that somebody else may look at, except copies of projects below a closed folder. */
  function open(folder: string): readonly string[] {
    return readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => !/(^|\/)(views|environments|temporary|programs|demo)\//.test(name))
      .filter((name) => (lstatSync(join(folder, name)).mode & 0o077) !== 0)
  }

  it('is closed to other users, whatever the umask is and whatever was there before', async () => {
    const data = join(above, 'data')
    const project = join(above, 'project')
    mkdirSync(project)
    const before = process.umask(0)
    try {
      for (let round = 0; round < 2; round += 1) {
        await using host = await openTestHost(data)
        const opened = await host.projects.open(project)
        host.projects.setTrusted(opened.info().id, true)
        opened.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
        await (await host.projects.openDemo()).services.base.stat('/' as never)
        expect([statSync(data).mode & 0o777, open(data)]).toEqual([0o700, []])
      }
    } finally {
      process.umask(before)
    }
    const names = readdirSync(data, { recursive: true, withFileTypes: true })
    for (const { name, parentPath } of names) chmodSync(join(parentPath, name), 0o777)
    chmodSync(data, 0o777)
    await using host = await openTestHost(data)
    expect([statSync(data).mode & 0o777, open(data)]).toEqual([0o700, []])
    await host.projects.open(project)
    expect(open(data)).toEqual([])
  })

  // Mutation: leave out the folders of a project in `closeProjectFolder`.
  it.each(['p', 'p/folders/lib'])(
    'leaves the modes of what commands installed, such as programs, as they are: %s',
    (of) => {
      const installed = join(above, 'data', 'projects', of, 'environments', 'layer', 'files', 'node_modules')
      mkdirSync(installed, { recursive: true, mode: 0o755 })
      writeFileSync(join(installed, 'tool'), '')
      chmodSync(join(installed, 'tool'), 0o755)
      prepareDataFolder(join(above, 'data'))
      expect(statSync(join(installed, 'tool')).mode & 0o777).toBe(0o755)
      expect(statSync(join(above, 'data', 'projects', of, 'environments')).mode & 0o777).toBe(0o700)
    },
  )

  it('never follows a link when it closes files', () => {
    const [data, outside] = [join(above, 'data'), join(above, 'outside')]
    mkdirSync(data)
    writeFileSync(outside, '', { mode: 0o644 })
    chmodSync(outside, 0o644)
    symlinkSync(outside, join(data, 'link'))
    prepareDataFolder(data)
    expect(statSync(outside).mode & 0o777).toBe(0o644)
    expect(existsSync(join(data, 'link'))).toBe(true)
  })
})
