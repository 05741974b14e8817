import { execFileSync } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeSearch, scopeOf } from '#core/ports/search.contract.ts'
import type { GrepQuery } from '#core/ports/search.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { untilReady, workerPath } from './index/index-world.testkit.ts'
import { createSearchIndex } from './index/search-index.ts'
import { createRipgrepSearch } from './ripgrep-search.ts'

let above: string
const plain: GrepQuery = { pattern: 'needle', context: 0, caseInsensitive: false, literal: false, multiline: false }
const signal = new AbortController().signal
const at = (path: string): VirtualPath => path as VirtualPath

function make(files: Readonly<Record<string, string | Uint8Array>>): {
  readonly root: string
  readonly temporary: string
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-search-')))
  const root = join(folder, 'root')
  mkdirSync(root)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return { root, temporary: join(folder, 'temporary') }
}

/** Resolves when the index is complete, so that it answers the searches that follow. */
async function openIndex(rootFolder: string) {
  const folder = join(dirname(rootFolder), 'index')
  const index = createSearchIndex({ folder, rootFolder, hidden: null, workerPath, restMs: 10 })
  // The search sets how the index asks the engine for its files.
  createRipgrepSearch({ rootFolder, temporaryFolder: join(dirname(rootFolder), 'first'), index })
  await untilReady(index)
  expect((await index.state())?.ready ?? false).toBe(process.platform === 'linux')
  return index
}

for (const kind of ['a plain folder', 'a repository', 'a folder of a repository', 'an indexed folder'] as const) {
  describeSearch(`ripgrep in ${kind}`, async (files) => {
    const { root, temporary } = make(files)
    if (kind === 'a repository') mkdirSync(join(root, '.git'), { recursive: true })
    if (kind === 'a folder of a repository') mkdirSync(join(dirname(root), '.git'))
    const index = kind === 'an indexed folder' ? await openIndex(root) : undefined
    return {
      search: createRipgrepSearch({ rootFolder: root, temporaryFolder: temporary, ...(index && { index }) }),
      async [Symbol.asyncDispose]() {
        await index?.[Symbol.asyncDispose]()
        rmSync(dirname(root), { recursive: true, force: true })
      },
    }
  })
}

describe('ripgrep search', () => {
  beforeEach(() => {
    above = ''
  })
  afterEach(() => {
    if (above) rmSync(above, { recursive: true, force: true })
  })
  const open = (files: Parameters<typeof make>[0]) => {
    const { root, temporary } = make(files)
    above = dirname(root)
    return { root, temporary, search: createRipgrepSearch({ rootFolder: root, temporaryFolder: temporary }) }
  }

  // Mutation: without `hasOddIgnoreFile` the first two wait or lack a file, without `asHelper` the last takes all memory.
  it.skipIf(process.platform !== 'linux')('reads no ignore file that has no end, wherever it is', async () => {
    for (const [place, target] of [
      ['/.gitignore', '/dev/zero'],
      ['/.gitignore', 'pipe'],
      ['/.gitignore', 'rules'],
      ['/deep/down/.gitignore', '/dev/zero'],
    ] as const) {
      const { search, root } = open({ '/a.txt': 'needle', '/deep/down/b.txt': 'needle', '/rules': '*.txt' })
      execFileSync('mkfifo', [join(root, 'pipe')])
      symlinkSync(target, join(root, place))
      const found = await search.grep(plain, scopeOf({}), signal)
      const paths = ['/a.txt', '/deep/down/b.txt']
      expect([place, target, found.files.map(({ path }) => path)]).toEqual([place, target, paths])
      expect(await search.files(['**/*.txt'], scopeOf({}), signal)).toEqual(paths)
      rmSync(above, { recursive: true, force: true })
    }
  })

  // Mutation: run the engine without `--mmap`, or without a limit for files, after it broke down.
  it.skipIf(process.platform !== 'linux')('goes on beside a line that is larger than its memory', async () => {
    const line = Buffer.alloc(160_000_000, 'x')
    line.write('needle', line.length - 6)
    const { search } = open({ '/line': line, '/a.txt': 'a needle and a pin', '/d/b.txt': 'a pin' })
    const found = async (pattern: string) => {
      const { files, truncated } = await search.grep({ ...plain, pattern }, scopeOf({}), signal)
      return [files.map(({ path }) => path), truncated]
    }
    expect(await found('pin')).toEqual([['/a.txt', '/d/b.txt'], false])
    expect(await found('needle')).toEqual([['/a.txt'], true])
  })

  it('says when a .gitignore has rules beyond the bounds', async () => {
    const wide = `*.log\n${'a*?b*c*d*e*f*g*h*i*j*k*l\n'.repeat(2_000)}`
    for (const [rules, expected] of [
      [wide, true],
      [`${'*'.repeat(100)}a*b${'*x'.repeat(60)}\n`, true],
      ['# a\n\n*.log\n!b.log\n/\n', false],
    ] as const) {
      const { search } = open({ '/.gitignore': rules, '/a.txt': 'needle' })
      let isCut = false
      const onCutRules = () => {
        isCut = true
      }
      expect(await search.files(['*.txt'], { ...scopeOf({}), onCutRules }, signal)).toEqual(['/a.txt'])
      expect(isCut).toBe(expected)
      const { rulesCut } = await search.grep({ ...plain, glob: '*.txt' }, scopeOf({}), signal)
      expect(rulesCut === true).toBe(expected)
      rmSync(above, { recursive: true, force: true })
    }
  })

  it('finds the names of files that git tracks, whatever a rule says of them', async () => {
    const { root, temporary } = open({
      '/.gitignore': '*.gen\nout/\n',
      '/a.gen': '1',
      '/b.gen': '',
      '/out/c': '',
      '/out/d': '',
    })
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root })
    git('init', '-q', '--template=')
    git('add', '-f', 'a.gen', 'out/c')
    const search = createRipgrepSearch({ rootFolder: root, temporaryFolder: temporary })
    expect(await search.files([], scopeOf({}), signal)).toEqual(['/.gitignore', '/a.gen', '/out/c'])
    const scope = scopeOf({ hidden: ['/a.gen'], overlay: { '/a.gen': '2', '/e.gen': '' } })
    expect(await search.files(['*.gen'], scope, signal)).toEqual(['/a.gen', '/e.gen'])
    git('rm', '-q', '--cached', 'a.gen')
    expect(await search.files(['*.gen'], scopeOf({}), signal)).toEqual([])
  })

  it('finds lines and names in files that git tracks, whatever a rule says of them', async () => {
    const { root, temporary } = open({
      '/.gitignore': '*.gen.ts\nout/\n',
      ...{ '/api.gen.ts': 'needle', '/new.gen.ts': 'needle', '/plain.ts': 'needle', '/out/c.js': 'needle' },
      ...{ '/out/d.js': 'needle', '/in/out/e.ts': 'needle', '/in/plain.ts': 'needle' },
    })
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root })
    git('init', '-q', '--template=')
    git('add', '-f', 'api.gen.ts', 'out/c.js', 'in/out/e.ts', 'plain.ts')
    symlinkSync('plain.ts', join(root, 'link.gen.ts'))
    git('add', '-f', 'link.gen.ts')
    await using index = await openIndex(root)
    const all = ['/api.gen.ts', '/in/out/e.ts', '/in/plain.ts', '/out/c.js', '/plain.ts']
    for (const search of [
      createRipgrepSearch({ rootFolder: root, temporaryFolder: temporary }),
      createRipgrepSearch({ rootFolder: root, temporaryFolder: temporary, index }),
    ]) {
      const grep = async (scope: Parameters<typeof scopeOf>[0] = {}, glob?: string) => {
        const found = await search.grep({ ...plain, ...(glob !== undefined && { glob }) }, scopeOf(scope), signal)
        return found.files.map(({ path }) => path)
      }
      expect(await grep()).toEqual(all)
      expect(await grep({ path: '/in' })).toEqual(['/in/out/e.ts', '/in/plain.ts'])
      expect(await grep({}, '*.gen.ts')).toEqual(['/api.gen.ts'])
      expect(await grep({}, 'in/**/*.ts')).toEqual(['/in/out/e.ts', '/in/plain.ts'])
      expect(await grep({}, '!out')).toEqual(['/api.gen.ts', '/in/plain.ts', '/plain.ts'])
      expect(await grep({}, '!*.{js,md}')).toEqual(['/api.gen.ts', '/in/out/e.ts', '/in/plain.ts', '/plain.ts'])
      expect(await grep({ hidden: ['/api.gen.ts', '/out'] })).toEqual(['/in/out/e.ts', '/in/plain.ts', '/plain.ts'])
      const written = { hidden: ['/api.gen.ts'], overlay: { '/api.gen.ts': 'a needle', '/e.gen.ts': 'needle' } }
      expect(await grep(written)).toEqual([all[0], '/e.gen.ts', ...all.slice(1)])
      expect(await grep({ hidden: ['/.gitignore'], overlay: { '/.gitignore': 'in\n*.gen.ts\nout\n' } })).toEqual(
        all.filter((path) => path !== '/in/plain.ts'),
      )
      expect([...(await search.find('gen', 10, scopeOf({}), signal))].sort()).toEqual(['/api.gen.ts'])
      writeFileSync(join(root, '.gitignore'), 'out/\nplain.ts\n')
      expect(await grep()).toEqual(['/api.gen.ts', '/in/out/e.ts', '/new.gen.ts', '/out/c.js', '/plain.ts'])
      writeFileSync(join(root, '.gitignore'), '*.gen.ts\nout/\n')
    }
  })

  it('finds nothing in a hidden folder, even when the search names it or includes ignored files', async () => {
    const { root, temporary } = open({ '/a': 'needle', '/in/.data/key': 'needle', '/in/.database': 'needle' })
    const search = createRipgrepSearch({ rootFolder: root, temporaryFolder: temporary, hidden: at('/in/.data') })
    for (const [path, expected] of [
      ['/', ['/a', '/in/.database']],
      ['/in', ['/in/.database']],
      ['/in/.data', []],
      ['/in/.data/key', []],
    ] as const) {
      const { files } = await search.grep(plain, scopeOf({ path }), signal)
      expect(files.map((file) => file.path)).toEqual(expected)
      expect(await search.files([], scopeOf({ path, includeIgnored: true }), signal)).toEqual(expected)
      expect(await search.files(['**'], scopeOf({ path }), signal)).toEqual(expected)
    }
  })

  it('never follows links, neither below the scope nor as the scope, and skips FIFOs', async () => {
    const { root, search } = open({ '/real/a': 'needle' })
    writeFileSync(join(above, 'outside'), 'needle canary')
    symlinkSync(above, join(root, 'out'))
    symlinkSync(join(above, 'outside'), join(root, 'file'))
    execFileSync('mkfifo', [join(root, 'fifo')])
    for (const path of ['/', '/out', '/out/outside', '/file', '/fifo']) {
      const { files } = await search.grep(plain, scopeOf({ path }), signal)
      expect(files.map((file) => file.path)).toEqual(path === '/' ? ['/real/a'] : [])
    }
  })

  it('finds names in a huge folder without blocking the process', async () => {
    const { root, search } = open({ '/huge/in/a.md': '', '/huge/.GIT/b.md': '' })
    const names = Array.from({ length: 40_000 }, (_, index) => `${index}.md`)
    for (const name of names) closeSync(openSync(join(root, 'huge', name), 'w'))
    closeSync(openSync(Buffer.concat([Buffer.from(join(root, 'huge/')), Buffer.from([0xff, 0x2e, 0x6d, 0x64])]), 'w'))
    symlinkSync('0.md', join(root, 'huge/link.md'))
    let turns = 0
    let isSearching = true
    const count = () => {
      turns += 1
      if (isSearching) setImmediate(count)
    }
    setImmediate(count)
    const found = await search.files(['**/*.md'], scopeOf({}), signal)
    isSearching = false
    expect(found).toEqual([...names, 'in/a.md'].sort().map((name) => `/huge/${name}`))
    expect(turns, 'other work had turns').toBeGreaterThan(10)
    await expect(search.files(['**'], scopeOf({}), AbortSignal.timeout(5))).rejects.toThrow()
  })

  it('uses the ignore rules of the repository around the folder', async () => {
    const { search } = open({ '/a.skip': 'needle', '/b': 'needle', '/c': 'needle' })
    mkdirSync(join(above, '.git'))
    writeFileSync(join(above, '.gitignore'), '*.skip\n/root/c\n')
    const again = createRipgrepSearch({ rootFolder: join(above, 'root'), temporaryFolder: join(above, 'temporary') })
    const scope = scopeOf({ overlay: { '/d.skip': 'needle', '/e': 'needle' } })
    expect((await again.grep(plain, scope, signal)).files.map((file) => file.path)).toEqual(['/b', '/d.skip', '/e'])
    expect((await search.grep(plain, scope, signal)).files.map((file) => file.path)).toContain('/a.skip')
  })

  it('searches a scratch workspace, which has no folder', async () => {
    const { temporary } = open({})
    const search = createRipgrepSearch({ rootFolder: null, temporaryFolder: temporary })
    const scope = scopeOf({ overlay: { '/a/b': 'needle' } })
    expect((await search.grep(plain, scope, signal)).files.map((file) => file.path)).toEqual(['/a/b'])
    expect(await search.files(['a/*'], scope, signal)).toEqual(['/a/b'])
    expect(await search.files([], scopeOf({}), signal)).toEqual([])
  })

  it('leaves out what the repository and the person exclude', async () => {
    const files = {
      '/notes/a.txt': 'needle',
      '/in/notes/a.txt': 'needle',
      '/in/top.txt': 'needle',
      '/top.txt': 'needle',
    }
    const { root, temporary } = make({
      ...files,
      '/in/.gitignore': '!notes\n',
      '/kept.log': 'needle',
      '/new.log': 'needle',
    })
    const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args])
    git('init', '-q', '--template=')
    mkdirSync(join(root, '.git/info'))
    writeFileSync(join(root, '.git/info/exclude'), 'notes\n/top.txt\n')
    writeFileSync(join(root, '.git/mine'), '*.log\n')
    git('config', 'core.excludesFile', join(root, '.git/mine'))
    git('add', '-f', 'kept.log')
    for (const index of [undefined, await openIndex(root)]) {
      const search = createRipgrepSearch({ rootFolder: root, temporaryFolder: temporary, ...(index && { index }) })
      const grep = async (scope: Parameters<typeof scopeOf>[0], glob?: string) => {
        const query = { ...plain, ...(glob !== undefined && { glob }) }
        return (await search.grep(query, scopeOf(scope), signal)).files.map(({ path }) => path)
      }
      const found = ['/in/notes/a.txt', '/in/top.txt', '/kept.log']
      expect(await grep({})).toEqual(found)
      expect(await grep({}, '*.txt')).toEqual(found.slice(0, 2))
      expect(await grep({ path: '/in' })).toEqual(found.slice(0, 2))
      expect(await search.files(['*.txt', '*.log'], scopeOf({}), signal)).toEqual(['/kept.log'])
      expect([...(await search.find('txt', 10, scopeOf({}), signal))].sort()).toEqual([
        '/in/notes/a.txt',
        '/in/top.txt',
      ])
      expect(await grep({ path: '/notes' })).toEqual(['/notes/a.txt'])
      await index?.[Symbol.asyncDispose]()
    }
  })

  it('counts what it cannot read: here, files deeper than a path can name', async () => {
    const { root, search } = open({ '/a': 'needle' })
    const dig =
      'cd "$1"; name=$(printf "%0250d" 0); for i in $(seq 20); do mkdir "$name"; cd "$name"; done; echo needle > x'
    execFileSync('bash', ['-c', dig, 'bash', root])
    try {
      const outcome = await search.grep(plain, scopeOf({}), signal)
      expect(outcome.files.map((file) => file.path)).toEqual(['/a'])
      expect(outcome.unreadable).toBeGreaterThan(0)
    } finally {
      execFileSync('rm', ['-rf', root])
    }
  })

  it('keeps the contents of small files, as many bytes as the query allows', async () => {
    const text = 'first line\nneedle\n'
    const { search } = open({ '/a': text, '/b': text, '/large': `needle\n${'y'.repeat(70_000)}` })
    const kept = async (mostKeptBytes?: number) => {
      const query = { ...plain, ...(mostKeptBytes !== undefined && { mostKeptBytes }) }
      const { files } = await search.grep(query, scopeOf({}), signal)
      return files.flatMap(({ content }) => (content ? [Buffer.from(content).toString()] : []))
    }
    expect(await kept(1_000_000)).toEqual([text, text])
    expect(await kept(2 * text.length - 1)).toEqual([text])
    expect(await kept()).toEqual([])
  })

  it('leaves nothing behind, even when it is stopped', async () => {
    const { temporary, search } = open({ '/big': 'x needle\n'.repeat(2_000_000) })
    // A search that is stopped early has not made it yet.
    mkdirSync(temporary, { recursive: true })
    const controller = new AbortController()
    const running = search.grep(plain, scopeOf({ overlay: { '/a': 'needle' } }), controller.signal)
    setTimeout(() => controller.abort('enough'), 30)
    await expect(running).rejects.toBe('enough')
    search[Symbol.dispose]()
    expect(readdirSync(temporary)).toEqual([])
  })

  it('limits its output, cuts long lines and handles odd names', async () => {
    const { search } = open({ '/many': 'needle in a line of some length that adds up\n'.repeat(700_000) })
    const flood = await search.grep(plain, scopeOf({ path: '/many' }), signal)
    expect(flood.truncated).toBe(true)
    const odd = open({ '/name with\nnewline': 'needle', '/-e': 'needle', '/long': `${'y'.repeat(100_000)}needle` })
    const { files } = await odd.search.grep(plain, scopeOf({}), signal)
    expect(files.map((file) => file.path)).toEqual(['/-e', '/long', '/name with\nnewline'])
    expect(files[1]?.lines[0]?.text.length).toBeLessThan(4100)
    expect(await odd.search.files([], scopeOf({}), signal)).toEqual(['/-e', '/long', '/name with\nnewline'])
  })
})
