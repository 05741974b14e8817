import { describe, expect, it } from 'vitest'
import { openFileTools } from './files-world.testkit.ts'

const files = {
  '/src/a.ts': 'const one = 1\nconst two = 2\n',
  '/src/deep/b.ts': 'export const one = 1\n',
  '/src/c.js': 'nothing\n',
  '/.gitignore': 'dist/\n',
  '/dist/out.js': 'const one = 1\n',
  '/bin': 'one\0',
}

describe('glob', () => {
  it.each([
    [{ pattern: '**/*.ts' }, '/src/a.ts\n/src/deep/b.ts'],
    [{ pattern: '*.ts', path: '/src' }, '/src/a.ts'],
    [{ pattern: '/src/**' }, '/src/a.ts\n/src/c.js\n/src/deep/b.ts'],
    [{ pattern: 'src/[ac].{ts,js}' }, '/src/a.ts\n/src/c.js'],
    [{ pattern: '**/out.js' }, 'No files match **/out.js below /.'],
    [{ pattern: '**/out.js', include_ignored: true }, '/dist/out.js'],
    [{ pattern: '**', limit: 2 }, '/.gitignore\n/bin\n[3 more of 5. Go on with offset=2.]'],
    [{ pattern: '**', limit: 2, offset: 4 }, '/src/deep/b.ts'],
    [{ pattern: '*.md' }, 'No files match *.md below /.'],
  ])('of %j finds %j', async (args, expected) => {
    const tools = await openFileTools(files)
    expect(await tools.call('glob', args)).toMatchObject({ ok: true, text: expected })
  })

  it.each([
    [{ pattern: '**', offset: 9 }, 'Only 5 files match; offset 9 is past the end.'],
    [{ pattern: '[', path: '/' }, 'is not valid'],
    [{ pattern: '*', path: '/none' }, 'There is no folder /none.'],
    [{ pattern: '' }, ''],
    [{ pattern: '*', limit: 0 }, ''],
  ])('refuses %j', async (args, message) => {
    const tools = await openFileTools(files)
    expect(await tools.call('glob', args)).toMatchObject({ ok: false, text: expect.stringContaining(message) })
  })

  it('sees what the branch created, deleted and moved', async () => {
    const tools = await openFileTools(files)
    await tools.call('move', { from: '/src/deep', to: '/lib' })
    await tools.call('delete', { path: '/src/a.ts' })
    await tools.call('write_file', { file_path: '/new.ts', content: '' })
    expect((await tools.call('glob', { pattern: '**/*.ts' })).text).toBe('/lib/b.ts\n/new.ts')
  })
})

describe('an absolute pattern of glob', () => {
  it.each(['/memories/', '/batch_results/', '/large_tool_results/', '/inputs/'])(
    'reaches %s, as grep does',
    async (place) => {
      const tools = await openFileTools(files)
      await tools.call('write_file', { file_path: `${place}deep/a.md`, content: 'note\n' })
      await tools.call('write_file', { file_path: `${place}b.md`, content: 'note\n' })
      expect((await tools.call('glob', { pattern: `${place}**` })).text).toBe(`${place}b.md\n${place}deep/a.md`)
      expect((await tools.call('glob', { pattern: `${place}*.md` })).text).toBe(`${place}b.md`)
      expect((await tools.call('grep', { pattern: 'note', path: place })).text).toContain(`${place}b.md`)
    },
  )

  it('finds nothing in a place outside the given folder', async () => {
    const tools = await openFileTools(files)
    await tools.call('write_file', { file_path: '/memories/a.md', content: 'note' })
    expect((await tools.call('glob', { pattern: '/memories/*', path: '/src' })).text).toContain('No files match')
  })
})

describe('grep', () => {
  it.each([
    [{ pattern: 'one' }, '/src/a.ts\n/src/deep/b.ts\n[1 binary file skipped.]'],
    [{ pattern: 'const (one|two)', output_mode: 'count', glob: '*.ts' }, '/src/a.ts: 2\n/src/deep/b.ts: 1'],
    [{ pattern: 'two', output_mode: 'content', context: 1 }, '/src/a.ts-1-const one = 1\n/src/a.ts:2:const two = 2'],
    [{ pattern: 'ONE', case_insensitive: true, path: '/src/deep' }, '/src/deep/b.ts'],
    [{ pattern: 'one = 1', literal: true, path: '/src/a.ts', output_mode: 'content' }, '/src/a.ts:1:const one = 1'],
    [{ pattern: 'one = 1.const', multiline: true, path: '/src' }, '/src/a.ts'],
    [{ pattern: 'o', path: '/src', limit: 1 }, '/src/a.ts\n[2 more of 3. Go on with offset=1.]'],
  ])('of %j gives %j', async (args, expected) => {
    const tools = await openFileTools(files)
    expect(await tools.call('grep', args)).toMatchObject({ ok: true, text: expected })
  })

  it('shows the position of an error in a pattern, and says when no text matched', async () => {
    const tools = await openFileTools(files)
    expect(await tools.call('grep', { pattern: 'ab(' })).toMatchObject({
      ok: false,
      text: expect.stringContaining('character 3: unclosed group'),
    })
    expect((await tools.call('grep', { pattern: '^one\\x00' })).text).toContain('No matches in text files.')
  })

  it('cuts a long line and says how much is left', async () => {
    const tools = await openFileTools({ '/long': `needle${'x'.repeat(600)}` })
    expect((await tools.call('grep', { pattern: 'needle', output_mode: 'content' })).text).toBe(
      `/long:1:needle${'x'.repeat(494)}… [106 more characters]`,
    )
  })
})

describe('ls', () => {
  it('describes files, an empty folder and a path that is not a folder', async () => {
    const tools = await openFileTools({
      '/d/link': { kind: 'symlink', target: '../f' },
      '/d/pipe': { kind: 'special' },
      '/f': 'abc',
      '/empty': { kind: 'directory' },
    })
    const lines = (await tools.call('ls', { path: '/d' })).text
      .split('\n')
      .map((line) => line.split('\t').slice(0, 2).join(' '))
    expect(lines).toEqual(['link -> ../f -', 'pipe (not a regular file) -'])
    expect((await tools.call('ls', { path: '/empty' })).text).toBe('/empty is empty.')
    expect(await tools.call('ls', { path: '/f' })).toMatchObject({
      ok: false,
      text: '/f is not a folder. Use read_file for files.',
    })
    expect(await tools.call('ls', { path: '/none' })).toMatchObject({ ok: false, text: 'There is no folder /none.' })
  })

  it('shows a thousand entries and counts the rest', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_002 }, (_, index) => [`/many/f${String(index).padStart(4, '0')}`, '']),
    )
    const tools = await openFileTools(many)
    const lines = (await tools.call('ls', { path: '/many' })).text.split('\n')
    expect([lines.length, lines.at(-1)]).toEqual([
      1_001,
      '[2 more entries of 1002. Use glob with a pattern to narrow it down.]',
    ])
  })
})
