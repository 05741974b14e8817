import { describe, expect, it } from 'vitest'
import { writeText } from '#overlay'
import { at, bytes, openWorld, text } from '#overlay/testkit'
import { createMemorySearch } from '../../ports/search.testkit.ts'
import type { GrepFile } from '../../ports/search.ts'
import { openFileTools, openFileToolsOver } from './files-world.testkit.ts'

const png = (width: number, height: number) => {
  const header = new Uint8Array(33)
  header.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
  header.set(bytes('IHDR'), 12)
  new DataView(header.buffer).setUint32(16, width)
  new DataView(header.buffer).setUint32(20, height)
  return header
}

describe('read_file', () => {
  it('numbers lines, pages, and says where to continue', async () => {
    const tools = await openFileTools({ '/a': 'one\ntwo\nthree\n', '/crlf': 'x\r\ny\r\n' })
    expect((await tools.call('read_file', { file_path: 'a' })).text).toBe('1\tone\n2\ttwo\n3\tthree')
    expect((await tools.call('read_file', { file_path: '/a', limit: 2 })).text).toBe(
      '1\tone\n2\ttwo\n[Lines 1–2 of 3. Read on with offset=3.]',
    )
    expect((await tools.call('read_file', { file_path: '/a', offset: 3 })).text).toBe('3\tthree\n[Lines 3–3 of 3.]')
    expect(await tools.call('read_file', { file_path: '/a', offset: 4 })).toMatchObject({
      ok: false,
      text: expect.stringContaining('3 lines'),
    })
    expect((await tools.call('read_file', { file_path: '/crlf' })).text).toContain('1\tx\n2\ty\n[Lines end in CRLF')
  })

  it('reports empty and missing files, folders, and paths that leave the root', async () => {
    const tools = await openFileTools({ '/e': '', '/d/x': '', '/out': { kind: 'symlink', target: '/etc/passwd' } })
    expect(await tools.call('read_file', { file_path: '/e' })).toMatchObject({
      ok: true,
      text: '/e is empty (0 bytes).',
    })
    expect(await tools.call('read_file', { file_path: '/none' })).toMatchObject({ ok: false })
    expect(await tools.call('read_file', { file_path: '/d' })).toMatchObject({
      ok: false,
      text: expect.stringContaining('folder'),
    })
    expect(await tools.call('read_file', { file_path: '/out' })).toMatchObject({
      ok: false,
      text: expect.stringContaining('/out'),
    })
    expect(await tools.call('read_file', { file_path: '../x' })).toMatchObject({
      ok: false,
      text: expect.stringContaining('leaves the project root'),
    })
  })

  it('limits any file: long lines are cut and can be read by bytes, and many lines stop at the limit', async () => {
    const long = `${'ä'.repeat(30_000)}\nnext`
    const tools = await openFileTools({ '/long': long, '/many': `${'x'.repeat(99)}\n`.repeat(5_000) })
    const first = (await tools.call('read_file', { file_path: '/long' })).text
    expect(first).toContain('byte_offset=4000 reads on')
    expect(first).toContain('\n2\tnext')
    let joined = ''
    for (let next: number | undefined = 0; next !== undefined; ) {
      const page: string = (await tools.call('read_file', { file_path: '/long', byte_offset: next, byte_limit: 9_999 }))
        .text
      joined += page.slice(0, page.lastIndexOf('\n['))
      next = /byte_offset=(\d+)/.exec(page)?.[1] ? Number(/byte_offset=(\d+)/.exec(page)?.[1]) : undefined
    }
    expect(joined).toBe(long)
    const many = (await tools.call('read_file', { file_path: '/many', limit: 5_000 })).text
    expect(many).toMatch(/Lines 1–\d+ of 5000. Read on with offset=\d+/)
    expect(many.length, 'including the notice below').toBeLessThanOrEqual(80_000)
  })

  it('shows images as images within limits, and other binaries by type and size', async () => {
    const tools = await openFileTools({
      '/i': png(10, 20),
      '/wide': png(9_000, 1),
      '/z.bin': new Uint8Array([1, 0, 2]),
    })
    expect(await tools.call('read_file', { file_path: '/i' })).toMatchObject({
      images: 1,
      text: expect.stringContaining('10 × 20'),
    })
    expect(await tools.call('read_file', { file_path: '/wide' })).toMatchObject({
      images: 0,
      text: expect.stringContaining('8,000'),
    })
    expect((await tools.call('read_file', { file_path: '/z.bin' })).text).toBe(
      '/z.bin is a binary file (.bin file, 3 bytes). Its bytes are not shown.',
    )
  })
})

describe('edit_file and multi_edit', () => {
  it('keep every byte outside the match: BOM, CRLF, missing line end, invalid UTF-8', async () => {
    const before = new Uint8Array([0xef, 0xbb, 0xbf, ...bytes('one\r\ntwo\r\n'), 0xff, 0xfe, ...bytes('\nthree')])
    const tools = await openFileTools({ '/a': before })
    expect(await tools.call('edit_file', { file_path: '/a', old_string: 'two', new_string: 'zwei' })).toMatchObject({
      ok: true,
      text: expect.stringContaining('line 2'),
    })
    expect(
      await tools.call('edit_file', { file_path: '/a', old_string: 'one\nzwei', new_string: '1\n2' }),
    ).toMatchObject({ ok: true })
    const after = await tools.draft(tools.tree).read(at('/a'))
    expect(after).toEqual(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes('1\r\n2\r\n'), 0xff, 0xfe, ...bytes('\nthree')]))
  })

  it('work in UTF-16, which is read as text, and leave binary files alone', async () => {
    const wide = (text: string) => writeText({ encoding: 'utf-16le', text: `\ufeff${text}` })
    const tools = await openFileTools({ '/a': wide('one é\r\ntwo\r\n'), '/z': new Uint8Array([1, 0, 97]) })
    const shown = (await tools.call('read_file', { file_path: '/a' })).text
    expect(shown).toBe(
      '1\tone é\n2\ttwo\n[The file is UTF-16, and stays so when you edit.]\n[Lines end in CRLF. The line ends are kept when you edit.]',
    )
    await tools.call('edit_file', { file_path: '/a', old_string: 'é\ntwo', new_string: 'ö\n2' })
    expect(await tools.draft(tools.tree).read(at('/a'))).toEqual(wide('one ö\r\n2\r\n'))
    expect(await tools.call('edit_file', { file_path: '/z', old_string: 'a', new_string: 'bc' })).toMatchObject({
      ok: false,
      text: expect.stringContaining('binary'),
    })
  })

  it('explain a missing match with the closest lines, and several matches with their line numbers', async () => {
    const tools = await openFileTools({ '/a': 'const alpha = 1\nlet b = 2\nconst alpha = 1\n' })
    const missing = await tools.call('edit_file', { file_path: '/a', old_string: 'const  alpha = 2', new_string: 'x' })
    expect(missing).toMatchObject({ ok: false, text: expect.stringContaining('1\tconst alpha = 1') })
    const several = await tools.call('edit_file', { file_path: '/a', old_string: 'alpha', new_string: 'x' })
    expect(several).toMatchObject({ ok: false, text: expect.stringContaining('2 times (lines 1, 3)') })
    expect(
      await tools.call('edit_file', { file_path: '/a', old_string: 'alpha', new_string: '$&', replace_all: true }),
    ).toMatchObject({ ok: true })
    expect(text(await tools.draft(tools.tree).read(at('/a')))).toBe('const $& = 1\nlet b = 2\nconst $& = 1\n')
  })

  it('are all or nothing, in order', async () => {
    const tools = await openFileTools({ '/a': 'a b c' })
    const edit = (old_string: string, new_string: string) => ({ old_string, new_string })
    const failed = await tools.call('multi_edit', { file_path: '/a', edits: [edit('a', 'x'), edit('none', 'y')] })
    expect(failed).toMatchObject({ ok: false, text: expect.stringContaining('Edit 2 of 2') })
    expect(text(await tools.draft(tools.tree).read(at('/a')))).toBe('a b c')
    await tools.call('multi_edit', { file_path: '/a', edits: [edit('a', 'x'), edit('x b', 'z')] })
    expect(text(await tools.draft(tools.tree).read(at('/a')))).toBe('z c')
  })

  it('refuse a file that changed since it was read, until it is read again', async () => {
    const tools = await openFileTools({ '/a': 'one' })
    const edit = { file_path: '/a', old_string: 'one', new_string: 'two' }
    await tools.call('read_file', { file_path: '/a' })
    tools.base.set('/a', 'one more')
    expect(await tools.call('edit_file', edit)).toMatchObject({
      ok: false,
      text: expect.stringContaining('changed since'),
    })
    await tools.call('read_file', { file_path: '/a' })
    expect(await tools.call('edit_file', edit)).toMatchObject({ ok: true })
    expect(await tools.call('edit_file', { ...edit, old_string: 'two', new_string: '2' })).toMatchObject({ ok: true })
  })
})

describe('write_file, delete and move', () => {
  it('report created and replaced files, and replaced content that was never read', async () => {
    const tools = await openFileTools({ '/a': 'x' })
    expect((await tools.call('write_file', { file_path: '/n/b', content: 'é' })).text).toBe('Created /n/b (2 bytes).')
    expect((await tools.call('write_file', { file_path: '/a', content: 'y' })).text).toContain(
      'not read in this thread',
    )
    expect((await tools.call('write_file', { file_path: '/a', content: 'z' })).text).toBe('Replaced /a (1 bytes).')
    expect(await tools.call('write_file', { file_path: '/.git/config', content: 'z' })).toMatchObject({ ok: false })
    expect(await tools.call('write_file', { file_path: '/.GIT. /hooks/x', content: 'z' })).toMatchObject({ ok: false })
  })

  it('keep the byte-order mark, encoding and line ends of a file, and say so', async () => {
    const latin = new Uint8Array([0x63, 0xe9, 10])
    const tools = await openFileTools({
      '/a': '\ufeffone\r\n',
      '/latin': latin,
      '/link': { kind: 'symlink', target: 'a' },
    })
    const written = await tools.call('write_file', { file_path: '/link', content: 'one\ntwo\n' })
    expect(written.text).toContain('keeps its own line ends')
    expect(await tools.draft(tools.tree).read(at('/a'))).toEqual(bytes('\ufeffone\r\ntwo\r\n'))
    expect(await tools.call('write_file', { file_path: '/latin', content: 'cé\n' })).toMatchObject({
      ok: false,
      text: expect.stringContaining('Delete it first'),
    })
    await tools.call('delete', { path: '/a' })
    await tools.call('write_file', { file_path: '/a', content: 'one\n' })
    expect(await tools.draft(tools.tree).read(at('/a'))).toEqual(bytes('one\n'))
  })

  it('delete and move folders, and refuse the root and moves into themselves', async () => {
    const tools = await openFileTools({ '/s/a': '', '/s/d/b': '', '/repo/.git/HEAD': '' })
    expect((await tools.call('delete', { path: '/s' })).text).toBe('Deleted the folder /s: 2 files and 2 folders.')
    expect(await tools.call('delete', { path: '/' })).toMatchObject({ ok: false })
    expect(await tools.call('delete', { path: '/repo' })).toMatchObject({
      ok: false,
      text: expect.stringContaining('git'),
    })
    expect(await tools.call('move', { from: '/s', to: '/t' })).toMatchObject({ ok: false })
    await tools.call('write_file', { file_path: '/t/x', content: '' })
    expect(await tools.call('move', { from: '/t', to: '/t/u' })).toMatchObject({ ok: false })
    expect(await tools.call('move', { from: '/t', to: '/u' })).toMatchObject({ ok: true })
  })
})

describe('files that may hold secrets', () => {
  it('are searched only when a call names them', async () => {
    const tools = await openFileTools({ '/.env': 'KEY=hit\n', '/config/.env.local': 'hit\n', '/a.ts': 'hit\n' })
    const shown = async (args: object) => (await tools.call('grep', { pattern: 'hit', ...args })).text
    expect(await shown({ output_mode: 'content' })).toBe(
      '/a.ts:1:hit\n[2 files that may not be read without asking left out: name one as path to search it.]',
    )
    expect(await shown({ path: '/config' })).toContain('[1 file that may not be read without asking left out')
    expect(await shown({ path: '/.env', output_mode: 'content' })).toBe('/.env:1:KEY=hit')
  })

  it('are known by the content that a search found, which is not read again', async () => {
    const world = openWorld({ '/a.ts': 'hit\n', '/b.ts': 'hit\n' })
    const search = createMemorySearch(world.base)
    const key = bytes('-----BEGIN PRIVATE KEY-----\nhit\n')
    const tools = await openFileToolsOver(world, {
      ...search,
      async grep(query, scope, signal) {
        const found = await search.grep(query, scope, signal)
        const withContent = (file: GrepFile) => ({ ...file, content: file.path === '/a.ts' ? key : bytes('hit\n') })
        return { ...found, files: found.files.map(withContent) }
      },
    })
    expect((await tools.call('grep', { pattern: 'hit', output_mode: 'content' })).text).toBe(
      '/b.ts:1:hit\n[1 file that may not be read without asking left out: name one as path to search it.]',
    )
  })

  it('do not count settings of git, whose lines are shown without credentials', async () => {
    const settings = `[remote "origin"]\n\turl = https://hit.example/a\n\ttoken = ghp_${'a1B2'.repeat(9)}\n`
    const world = openWorld({ '/lib.git/config': settings })
    const search = createMemorySearch(world.base)
    const tools = await openFileToolsOver(world, {
      ...search,
      async grep(query, scope, signal) {
        const found = await search.grep(query, scope, signal)
        return { ...found, files: found.files.map((file) => ({ ...file, content: bytes(settings) })) }
      },
    })
    expect((await tools.call('grep', { pattern: 'hit', output_mode: 'content' })).text).toBe(
      '/lib.git/config:2:\turl = https://hit.example/a',
    )
  })

  it.each(['untouched', 'changed'])('are not read through links of an %s project', async (state) => {
    const link = (target: string) => ({ kind: 'symlink' as const, target })
    const tools = await openFileTools({
      '/.env': 'KEY=hit\n',
      '/notes.txt': link('.env'),
      '/docs/chain': link('../notes.txt'),
      '/alias': link('docs'),
      '/plain': link('real'),
      '/real': 'x\n',
    })
    if (state === 'changed') await tools.call('write_file', { file_path: '/other', content: 'x' })
    const before = tools.tree
    for (const [path, target] of [
      ['/notes.txt', '/.env'],
      ['/docs/chain', '/.env'],
      ['/alias/chain', '/.env'],
    ]) {
      const edit = { old_string: 'KEX=hi', new_string: 'x' }
      const calls = [
        ['read_file', {}] as const,
        ['read_file', { byte_limit: 5 }] as const,
        ['edit_file', edit] as const,
        ['multi_edit', { edits: [edit] }] as const,
      ]
      for (const [name, args] of calls)
        expect(await tools.call(name, { file_path: path, ...args }), `${name} ${path}`).toMatchObject({
          ok: false,
          text: `${path} leads to ${target}, which is protected by a rule or may hold secrets. Use ${target} itself, so that the user is asked.`,
        })
      expect(await tools.call('grep', { pattern: 'hit', path })).toMatchObject({ ok: false })
    }
    expect(tools.tree).toBe(before)
    expect((await tools.call('read_file', { file_path: '/.env' })).text).toContain('KEY=hit')
    expect((await tools.call('read_file', { file_path: '/plain' })).ok).toBe(true)
    const searched = await tools.call('grep', { pattern: 'hit', output_mode: 'content' })
    expect(searched.text).not.toContain(':1:')
  })
})

describe('files that a rule protects', () => {
  const files = {
    '/src/a.ts': 'hit\n',
    '/private/b.ts': 'hit\n',
    '/.env': 'KEY=hit\n',
    '/link': { kind: 'symlink', target: 'private/b.ts' } as const,
  }

  it.each([{ deny: ['Read(private/**)'] }, { ask: ['read_file(private/**)'] }])(
    'with %j, are not found by their content',
    async (rules) => {
      const tools = await openFileTools(files, rules)
      expect((await tools.call('grep', { pattern: 'hit' })).text).toBe(
        '/src/a.ts\n[2 files that may not be read without asking left out: name one as path to search it.]',
      )
      expect(await tools.call('read_file', { file_path: '/link' })).toMatchObject({ ok: false })
    },
  )

  it('are not reachable by moving or deleting their folder, or by writing through a link', async () => {
    const reading = await openFileTools(files, { deny: ['Read(private/b.ts)'] })
    expect(await reading.call('move', { from: '/private', to: '/public' })).toMatchObject({
      ok: false,
      text: 'A rule protects /private/b.ts. Leave it where it is, or ask the user.',
    })
    const editing = await openFileTools(files, { deny: ['Edit(private/b.ts)'] })
    expect(await editing.call('delete', { path: '/private' })).toMatchObject({ ok: false })
    expect(await editing.call('write_file', { file_path: '/link', content: 'x' })).toMatchObject({ ok: false })
    expect(await editing.call('delete', { path: '/src' })).toMatchObject({ ok: true })
  })
})

describe('ls, glob and grep', () => {
  it('look where a link leads, at the end of a path or on its way, and reveal nothing protected', async () => {
    const link = (target: string) => ({ kind: 'symlink' as const, target })
    const files = { '/real/sub/a': 'hit\n', '/private/b': 'hit\n', '/way': link('real'), '/door': link('private') }
    const tools = await openFileTools({ ...files, '/one': link('way/sub/a') }, { deny: ['Read(private/**)'] })
    const grep = async (path: string) => (await tools.call('grep', { pattern: 'hit', path })).text
    for (const path of ['/way', '/way/sub', '/way/sub/a', '/one']) expect(await grep(path), path).toBe('/real/sub/a')
    expect((await tools.call('glob', { pattern: '**', path: '/way' })).text).toBe('/real/sub/a')
    expect((await tools.call('glob', { pattern: '*', path: '/way/sub' })).text).toBe('/real/sub/a')
    for (const path of ['/door', '/door/b'])
      expect(await tools.call('grep', { pattern: 'hit', path }), path).toMatchObject({ ok: false })
  })

  it('list folders, sizes and times, escaped and sorted', async () => {
    const tools = await openFileTools({ '/b.ts': 'abc', '/a/x': '', '/line\nbreak': '' })
    await tools.call('write_file', { file_path: '/b.ts', content: 'abcd' })
    const lines = (await tools.call('ls', { path: '/' })).text.split('\n')
    expect(lines[0]).toMatch(/^a\/\t-\t1970-01-01T/)
    expect(lines[1]).toMatch(/^b\.ts\t4\t/)
    expect(lines).toContainEqual(expect.stringMatching(/^"line\\nbreak"\t0\t/))
    expect(lines).toContainEqual('memories/\t-\t-')
    expect(await tools.call('ls', { path: '/b.ts' })).toMatchObject({ ok: false })
  })

  it('page through files and matches, and include the overlay', async () => {
    const tools = await openFileTools({ '/s/a.ts': 'hit', '/s/b.ts': 'hit', '/c.ts': 'hit', '/gone.ts': 'hit' })
    await tools.call('delete', { path: '/gone.ts' })
    await tools.call('write_file', { file_path: '/s/new.ts', content: 'x\nhit' })
    expect((await tools.call('glob', { pattern: '**/*.ts' })).text).toBe('/c.ts\n/s/a.ts\n/s/b.ts\n/s/new.ts')
    expect((await tools.call('glob', { pattern: '*.ts', path: '/s', limit: 2 })).text).toBe(
      '/s/a.ts\n/s/b.ts\n[1 more of 3. Go on with offset=2.]',
    )
    expect((await tools.call('glob', { pattern: '/s/*.ts', path: '/', offset: 2 })).text).toBe('/s/new.ts')
    expect((await tools.call('grep', { pattern: 'hit', path: '/s' })).text).toBe('/s/a.ts\n/s/b.ts\n/s/new.ts')
    expect((await tools.call('grep', { pattern: 'hit', path: '/s/new.ts', output_mode: 'content' })).text).toBe(
      '/s/new.ts:2:hit',
    )
    expect((await tools.call('grep', { pattern: 'none' })).text).toContain('No matches')
  })
})

describe('places beside the project', () => {
  it('are reached by prefix, and not found from the root', async () => {
    const tools = await openFileTools({ '/a': 'needle' })
    await tools.call('write_file', { file_path: '/memories/notes/style.md', content: 'needle' })
    expect(tools.memories.get('notes/style.md')).toMatchObject({
      text: 'needle',
      versions: { value: { agent: 'main', callId: 'call', number: 1 } },
      used: null,
    })
    expect(tools.tree.root).toBeNull()
    expect((await tools.call('grep', { pattern: 'needle' })).text).toBe('/a')
    expect((await tools.call('grep', { pattern: 'needle', path: '/memories' })).text).toBe('/memories/notes/style.md')
    expect((await tools.call('glob', { pattern: '**/*', path: '/memories' })).text).toBe('/memories/notes/style.md')
    expect((await tools.call('ls', { path: '/memories' })).text).toBe('notes/\t-\t-')
    expect(
      await tools.call('edit_file', { file_path: '/memories/notes/style.md', old_string: 'needle', new_string: 'n' }),
    ).toMatchObject({ ok: true })
    expect(tools.memories.get('notes/style.md')).toMatchObject({
      versions: { length: 2 },
      used: { at: 1_700_000_000_000 },
    })
  })

  it('move files between stores as copy and delete', async () => {
    const tools = await openFileTools({ '/docs/a': '1', '/docs/b/c': '2' })
    tools.scratch.write(tools.threadId, '/inputs/data.json', bytes('{}'))
    expect(await tools.call('move', { from: '/inputs/data.json', to: '/data.json' })).toMatchObject({ ok: true })
    expect(await tools.call('move', { from: '/docs', to: '/memories/docs' })).toMatchObject({ ok: true })
    expect(tools.scratch.list(tools.threadId)).toEqual([])
    expect([...tools.memories.keys()]).toEqual(['docs/a', 'docs/b/c'])
    expect((await tools.call('glob', { pattern: '**/*' })).text).toBe('/data.json')
  })

  it('keep nothing of a failed call, and no secrets', async () => {
    const tools = await openFileTools({ '/a/x': '1', '/a/y': 'api_key = "0123456789abcdef"' })
    expect(await tools.call('move', { from: '/a', to: '/memories/a' })).toMatchObject({
      ok: false,
      text: expect.stringContaining('secret'),
    })
    expect(tools.memories.size).toBe(0)
    expect((await tools.call('glob', { pattern: '**/*' })).text).toBe('/a/x\n/a/y')
    expect(await tools.call('delete', { path: '/memories' })).toMatchObject({ ok: false })
  })

  it.each(['/memories/config', '/inputs/config'])(
    'refuse to take a file to %s that needs approval to be read',
    async (to) => {
      const tools = await openFileTools({ '/config/a': '1', '/config/.env': 'NAME=value' })
      expect(await tools.call('move', { from: '/config', to })).toMatchObject({
        ok: false,
        text: expect.stringContaining('/config/.env is protected'),
      })
      expect([...tools.memories.keys(), ...tools.scratch.list(tools.threadId)]).toEqual([])
    },
  )

  it('store no new version of an unchanged memory', async () => {
    const tools = await openFileTools({})
    for (let time = 0; time < 2; time += 1)
      await tools.call('write_file', { file_path: '/memories/style.md', content: 'tabs' })
    expect(tools.memories.get('style.md')?.versions.length).toBe(1)
    await tools.call('delete', { path: '/memories/style.md' })
    expect(tools.memories.get('style.md')).toMatchObject({
      text: null,
      versions: { length: 2, value: { length: null } },
    })
    expect((await tools.call('ls', { path: '/memories' })).text).not.toContain('style')
  })

  it('refuse access to memories that a person switched off, and name them', async () => {
    const tools = await openFileTools({ '/a': 'x' }, {}, false)
    const path = '/memories/style.md'
    const calls = [
      ['read_file', { file_path: path }],
      ['write_file', { file_path: path, content: 'x' }],
      ['edit_file', { file_path: path, old_string: 'a', new_string: 'b' }],
      ['delete', { path }],
      ['move', { from: '/a', to: path }],
      ['move', { from: path, to: '/b' }],
      ['ls', { path: '/memories' }],
      ['grep', { pattern: 'x', path: '/memories' }],
      ['glob', { pattern: '*', path: '/memories' }],
    ] as const
    for (const [name, args] of calls)
      expect(await tools.call(name, args), name).toMatchObject({
        ok: false,
        text: expect.stringContaining('switched memory off for this thread: nothing below /memories/'),
      })
    expect((await tools.call('ls')).text).not.toContain('memories')
    expect(tools.memories.size).toBe(0)
  })

  it('give way to the project: a taken prefix gets a number', async () => {
    const tools = await openFileTools({ '/inputs/mine': 'x', '/memories': 'file' })
    expect(tools.prefixes['/inputs/']).toBe('/inputs-1/')
    expect(tools.prefixes['/memories/']).toBe('/memories-1/')
    expect((await tools.call('read_file', { file_path: '/inputs/mine' })).text).toBe('1\tx')
  })
})
