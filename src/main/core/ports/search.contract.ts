import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { FileScan, GrepQuery, Search, SearchScope } from './search.ts'

export interface SearchUnderTest extends AsyncDisposable {
  readonly search: Search & FileScan
}
/** Makes a base of these files, without a repository around it. Paths are absolute. */
type Create = (files: Readonly<Record<string, string | Uint8Array>>) => Promise<SearchUnderTest>

const signal = new AbortController().signal
const plain: GrepQuery = { pattern: 'needle', context: 0, caseInsensitive: false, literal: false, multiline: false }

export function scopeOf(scope: {
  readonly path?: string
  readonly hidden?: readonly string[]
  readonly made?: readonly string[]
  readonly overlay?: Readonly<Record<string, string | Uint8Array>>
  readonly includeIgnored?: boolean
}): SearchScope {
  const encoder = new TextEncoder()
  return {
    path: (scope.path ?? '/') as VirtualPath,
    hidden: (scope.hidden ?? []) as VirtualPath[],
    made: (scope.made ?? []) as VirtualPath[],
    overlay: Object.entries(scope.overlay ?? {}).map(([path, text]) => ({
      path: path as VirtualPath,
      bytes: typeof text === 'string' ? encoder.encode(text) : text,
    })),
    includeIgnored: scope.includeIgnored ?? false,
  }
}

export function describeSearch(name: string, create: Create): void {
  describe(`Search: ${name}`, () => {
    describeGrep(create)
    describeOverlay(create)
    describeFiles(create)
    describeFind(create)
    describeScan(create)
  })
}

async function grepPaths(
  under: SearchUnderTest,
  query: Partial<GrepQuery>,
  scope: SearchScope,
): Promise<readonly string[]> {
  return (await under.search.grep({ ...plain, ...query }, scope, signal)).files.map((file) => file.path)
}

function describeGrep(create: Create): void {
  it('returns lines with their numbers, counts and context, sorted by path', async () => {
    await using under = await create({
      '/b.txt': 'x\nneedle one\ny\nneedle needle\n',
      '/a/z.txt': 'needle',
      '/c': 'no',
    })
    const { files } = await under.search.grep({ ...plain, context: 1 }, scopeOf({}), signal)
    expect(files.map((file) => [file.path, file.matches])).toEqual([
      ['/a/z.txt', 1],
      ['/b.txt', 2],
    ])
    expect(files[1]?.lines).toEqual([
      { number: 1, text: 'x', isMatch: false },
      { number: 2, text: 'needle one', isMatch: true },
      { number: 3, text: 'y', isMatch: false },
      { number: 4, text: 'needle needle', isMatch: true },
    ])
  })

  it('supports case, literal, multiline and a glob on names', async () => {
    await using under = await create({ '/a.ts': 'Needle\na.b', '/b.js': 'needle\naxb', '/d/c.ts': 'needle' })
    expect(await grepPaths(under, { caseInsensitive: true }, scopeOf({}))).toEqual(['/a.ts', '/b.js', '/d/c.ts'])
    expect(await grepPaths(under, { pattern: 'a.b', literal: true }, scopeOf({}))).toEqual(['/a.ts'])
    expect(await grepPaths(under, { pattern: 'a(.b', literal: true }, scopeOf({}))).toEqual([])
    expect(await grepPaths(under, { pattern: 'needle.axb', multiline: true }, scopeOf({}))).toEqual(['/b.js'])
    expect(await grepPaths(under, { glob: '*.ts' }, scopeOf({}))).toEqual(['/d/c.ts'])
  })

  it('searches one file or one folder when asked, and finds nothing at a missing path', async () => {
    await using under = await create({ '/a/x': 'needle', '/a/y': 'needle', '/b/x': 'needle' })
    expect(await grepPaths(under, {}, scopeOf({ path: '/a' }))).toEqual(['/a/x', '/a/y'])
    expect(await grepPaths(under, {}, scopeOf({ path: '/a/y' }))).toEqual(['/a/y'])
    expect(await grepPaths(under, {}, scopeOf({ path: '/none' }))).toEqual([])
  })

  it('skips binary files and counts those that match', async () => {
    await using under = await create({ '/bin': 'needle\0', '/text': 'needle' })
    const outcome = await under.search.grep(plain, scopeOf({ overlay: { '/new.bin': 'needle\0' } }), signal)
    expect(outcome.files.map((file) => file.path)).toEqual(['/text'])
    expect(outcome.binarySkipped).toBe(2)
  })

  it('reads base and overlay alike in every encoding', async () => {
    const utf16 = Uint8Array.from([0xff, 0xfe, ...[...'one\nneedle é\n'].flatMap((one) => [one.charCodeAt(0), 0])])
    const contents = {
      '/bom': '\ufeffneedle\n',
      '/cr': 'a\rneedle\rb',
      '/crlf': 'a\r\nneedle\r\n',
      '/end': 'needle',
      '/invalid': new Uint8Array([0xff, ...new TextEncoder().encode('needle\n')]),
      '/utf16': utf16,
    }
    await using base = await create(contents)
    await using overlay = await create({})
    const found = await base.search.grep(plain, scopeOf({}), signal)
    expect(found.files.map(({ path, lines }) => [path, lines[0]?.number, lines[0]?.text])).toEqual([
      ['/bom', 1, expect.stringMatching(/^\ufeff?needle$/)],
      ['/cr', 1, 'a\rneedle\rb'],
      ['/crlf', 2, 'needle'],
      ['/end', 1, 'needle'],
      ['/invalid', 1, '\ufffdneedle'],
      ['/utf16', 2, 'needle é'],
    ])
    expect(await overlay.search.grep(plain, scopeOf({ overlay: contents }), signal)).toEqual(found)
  })

  it('leaves out ignored files and .git, sees dotfiles, and includes ignored ones on request', async () => {
    await using under = await create({
      '/.gitignore': '*.log\n/dist/\n',
      '/.env': 'needle',
      '/.git/config': 'needle',
      '/a.log': 'needle',
      '/dist/x': 'needle',
      '/sub/.gitignore': 'private\n',
      '/sub/private': 'needle',
      '/sub/b.log': 'needle',
      '/sub/open': 'needle',
    })
    expect(await grepPaths(under, {}, scopeOf({}))).toEqual(['/.env', '/sub/open'])
    expect(await grepPaths(under, { glob: '*' }, scopeOf({}))).toEqual(['/.env', '/sub/open'])
    expect(await grepPaths(under, {}, scopeOf({ path: '/sub' }))).toEqual(['/sub/open'])
    expect(await grepPaths(under, {}, scopeOf({ path: '/dist' }))).toEqual(['/dist/x'])
    const all = ['/.env', '/a.log', '/dist/x', '/sub/b.log', '/sub/open', '/sub/private']
    expect(await grepPaths(under, {}, scopeOf({ includeIgnored: true }))).toEqual(all)
  })

  it('refuses a bad pattern with its position, and a bad glob, even if there is nothing to search', async () => {
    await using under = await create({})
    const grep = (query: Partial<GrepQuery>) => under.search.grep({ ...plain, ...query }, scopeOf({}), signal)
    for (const pattern of ['ab[', 'a\0b', 'a'.repeat(200_000)])
      await expect(grep({ pattern })).rejects.toMatchObject({ code: 'bad_pattern' })
    await expect(grep({ pattern: 'a', glob: 'a\0' })).rejects.toMatchObject({ code: 'bad_glob' })
    await expect(grep({ pattern: 'ab[' })).rejects.toThrow('character 3')
    await expect(grep({ pattern: '[(](a)\\((b' })).rejects.toThrow('character 9: unclosed group')
    await expect(grep({ glob: '[' })).rejects.toMatchObject({ code: 'bad_glob' })
  })

  it('stops with the reason of the signal', async () => {
    await using under = await create({ '/a': 'needle' })
    await expect(under.search.grep(plain, scopeOf({}), AbortSignal.abort('stopped'))).rejects.toBe('stopped')
  })
}

function describeOverlay(create: Create): void {
  it('sees the overlay in place of what it hides', async () => {
    await using under = await create({ '/old': 'needle', '/gone/x': 'needle', '/kept': 'needle', '/gonex': 'needle' })
    const scope = scopeOf({ hidden: ['/old', '/gone'], overlay: { '/old': 'changed', '/new/deep/n': 'a\nneedle\n' } })
    expect(await grepPaths(under, {}, scope)).toEqual(['/gonex', '/kept', '/new/deep/n'])
    const only = { ...scope, path: '/new' as VirtualPath }
    expect(await grepPaths(under, {}, only)).toEqual(['/new/deep/n'])
    const one = { ...scope, path: '/new/deep/n' as VirtualPath }
    expect((await under.search.grep(plain, one, signal)).files[0]?.lines[0]?.number).toBe(2)
  })

  it('sees what a folder of the base holds in the place of one of the overlay, and no file in its place', async () => {
    await using under = await create({ '/docs/mine': 'needle', '/file': 'needle', '/other': 'needle' })
    const scope = scopeOf({ made: ['/docs', '/file'], overlay: { '/docs/own': 'needle', '/file/own': 'needle' } })
    const all = ['/docs/mine', '/docs/own', '/file/own', '/other']
    expect(await grepPaths(under, {}, scope)).toEqual(all)
    expect(await under.search.files([], scope, signal)).toEqual(all)
    expect([...(await under.search.find('', 10, scope, signal))].sort()).toEqual(all)
    const below = { ...scope, path: '/file' as VirtualPath }
    expect(await grepPaths(under, {}, below)).toEqual(['/file/own'])
    expect(await under.search.files([], below, signal)).toEqual(['/file/own'])
    const inside = { ...scope, path: '/docs' as VirtualPath }
    expect(await grepPaths(under, {}, inside)).toEqual(['/docs/mine', '/docs/own'])
    expect(await under.search.files([], inside, signal)).toEqual(['/docs/mine', '/docs/own'])
  })

  it("leaves out no file of the overlay, whatever a rule says, and applies the overlay's rules to base files", async () => {
    await using under = await create({ '/.gitignore': '*.log\nout/\n', '/a.tmp': 'needle', '/a.log': 'needle' })
    const added = scopeOf({ overlay: { '/new.log': 'needle', '/new.txt': 'needle', '/out/deep/x': 'needle' } })
    expect(await grepPaths(under, {}, added)).toEqual(['/a.tmp', '/new.log', '/new.txt', '/out/deep/x'])
    expect(await grepPaths(under, { glob: '*.log' }, added)).toEqual(['/new.log'])
    const written = scopeOf({ hidden: ['/a.log'], overlay: { '/a.log': 'needle again' } })
    expect(await grepPaths(under, {}, written)).toEqual(['/a.log', '/a.tmp'])
    const changed = scopeOf({ hidden: ['/.gitignore'], overlay: { '/.gitignore': '*.tmp\n' } })
    expect(await grepPaths(under, {}, changed)).toEqual(['/a.log'])
    expect(await grepPaths(under, {}, scopeOf({ hidden: ['/.gitignore'] }))).toEqual(['/a.log', '/a.tmp'])
  })
}

function describeFiles(create: Create): void {
  it('matches globs against the whole path below the scope', async () => {
    await using under = await create({ '/a.ts': '', '/src/b.ts': '', '/src/deep/c.tsx': '', '/src/[x].ts': '' })
    const files = (globs: readonly string[], path = '/') => under.search.files(globs, scopeOf({ path }), signal)
    expect(await files([])).toEqual(['/a.ts', '/src/[x].ts', '/src/b.ts', '/src/deep/c.tsx'])
    expect(await files(['*.ts'])).toEqual(['/a.ts'])
    expect(await files(['**/*.ts'])).toEqual(['/a.ts', '/src/[x].ts', '/src/b.ts'])
    expect(await files(['src/**/*.{ts,tsx}'])).toEqual(['/src/[x].ts', '/src/b.ts', '/src/deep/c.tsx'])
    expect(await files(['*.ts', 'deep/*'], '/src')).toEqual(['/src/[x].ts', '/src/b.ts', '/src/deep/c.tsx'])
    expect(await files(['/src/[a-c].t?'])).toEqual(['/src/b.ts'])
    await expect(files(['{a'])).rejects.toMatchObject({ code: 'bad_glob' })
  })

  it('lists .git only together with ignored files', async () => {
    await using under = await create({
      '/.gitignore': 'out\n',
      '/.git/config': '',
      '/out/x': '',
      '/sub/.git': 'gitdir',
    })
    const files = (includeIgnored: boolean, path = '/') =>
      under.search.files([], scopeOf({ path, includeIgnored }), signal)
    expect(await files(false)).toEqual(['/.gitignore'])
    expect(await files(true)).toEqual(['/.git/config', '/.gitignore', '/out/x', '/sub/.git'])
    expect(await files(false, '/.git')).toEqual([])
    expect(await files(true, '/.git')).toEqual(['/.git/config'])
  })

  it('lists base and overlay together, without hidden files and ignored ones of the base', async () => {
    await using under = await create({ '/.gitignore': 'out\n*.log\n', '/a': '', '/b': '', '/out/x': '', '/y.log': '' })
    const scope = scopeOf({ hidden: ['/b'], overlay: { '/c': 'x', '/out/new': 'x' } })
    expect(await under.search.files([], scope, signal)).toEqual(['/.gitignore', '/a', '/c', '/out/new'])
    expect(await under.search.files(['**/*.log'], scope, signal)).toEqual([])
    const all = { ...scope, includeIgnored: true }
    expect(await under.search.files([], all, signal)).toEqual([
      '/.gitignore',
      '/a',
      '/c',
      '/out/new',
      '/out/x',
      '/y.log',
    ])
  })
}

function describeFind(create: Create): void {
  it('finds paths that contain a text, names that begin with it first, over base and overlay', async () => {
    await using under = await create({
      ...{
        '/.gitignore': '*.log\n',
        '/src/Button.ts': '',
        '/src/old-button.ts': '',
        '/button/x': '',
        '/button.log': '',
      },
      ...{ '/gone/button.ts': '', '/.git/button': '' },
    })
    const scope = scopeOf({ hidden: ['/gone'], overlay: { '/new/button.md': 'x', '/new/button.log': 'x' } })
    const find = (text: string, limit = 10) => under.search.find(text, limit, scope, signal)
    const best = ['/new/button.md', '/src/Button.ts', '/new/button.log']
    expect(await find('BUTTON')).toEqual([...best, '/src/old-button.ts', '/button/x'])
    expect(await find('button', 2)).toEqual(best.slice(0, 2))
    expect(await find('src/b')).toEqual(['/src/Button.ts'])
    expect(await find('nothing')).toEqual([])
  })
}

function describeScan(create: Create): void {
  it('finds files of the base by their start: ignored, binary and encoded ones, but none of skipped folders', async () => {
    const encoder = new TextEncoder()
    const files = {
      '/.gitignore': 'ignored\n',
      '/ignored': 'needle',
      '/.git/HEAD': 'needle',
      '/binary': 'a\0needle',
      '/late': `${'\0'.repeat(200_000)}\nneedle`,
      '/utf16': new Uint8Array([0xff, 0xfe, ...[...encoder.encode('needle')].flatMap((byte) => [byte, 0])]),
      '/no/match': 'other',
      '/almost': 'needle of another kind',
      '/sub/skipped/a': 'needle',
      '/sub/skipped.txt': 'needle',
      '/behind': `${' '.repeat(300_000)}needle`,
    }
    await using world = await create(files)
    const query = {
      pattern: 'n[e]{2}dle',
      startBytes: 256_000,
      holds: (_: VirtualPath, start: Uint8Array) => {
        const text = new TextDecoder().decode(start).replaceAll('\0', '')
        return text.includes('needle') && !text.includes('another')
      },
      skippedFolders: ['skipped', '.git'],
    }
    const outcome = await world.search.scan(query)
    expect(outcome).toEqual({
      all: Object.keys(files).toSorted(),
      found: ['/binary', '/ignored', '/late', '/sub/skipped.txt', '/utf16'],
      unsearched: [],
    })
    expect(await world.search.scan(query)).toEqual(outcome)
  })
}
