import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { at } from '#overlay/testkit'
import { type BadInput, checkBadInput, openHostileProject, put } from './hostile-project.testkit.ts'

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))
const read = (file_path: string) => ['read_file', { file_path }] as const
const edit = (file_path: string, old_string: string, new_string: string) =>
  ['edit_file', { file_path, old_string, new_string }] as const

/** File names in strange encodings. */
const names: readonly BadInput[] = [
  {
    what: 'names that are not UTF-8 are counted, and their folders are not moved',
    make(root) {
      put(root, '/d/plain', 'needle')
      for (const folder of ['', '/d'])
        writeFileSync(Buffer.concat([Buffer.from(`${root}${folder}/bad-`), Buffer.from([0xff, 0xfe])]), 'needle')
    },
    asked: [
      ['ls', { path: '/d' }, true, /ok: plain\t6\t[^\n]*\n\[1 entry could not be read\.\]$/],
      ['glob', { pattern: '**' }, true, '/d/plain\n/kept'],
      ['grep', { pattern: 'needle' }, true, '/d/plain'],
      ['move', { from: '/d', to: '/e' }, false, '1 entries of /d cannot be read, so it cannot be moved.'],
      ['delete', { path: '/d' }, true, 'Deleted the folder /d: 1 file and 1 folder.'],
      ['ls', { path: '/d' }, false, 'There is no folder /d.'],
    ],
  },
  {
    what: 'names that only look alike are different files',
    make(root) {
      for (const name of ['caf\u00e9', 'cafe\u0301', 'readme', 'README', 'a\u200bb', 'ab']) put(root, `/${name}`, name)
    },
    asked: [
      [...read('/caf\u00e9'), true, '1\tcaf\u00e9'],
      [...read('/cafe\u0301'), true, '1\tcafe\u0301'],
      ['delete', { path: '/README' }, true, 'Deleted /README.'],
      [...read('/readme'), true, '1\treadme'],
      ['move', { from: '/readme', to: '/README' }, true, 'Moved /readme to /README.'],
      ['glob', { pattern: '*' }, true, '/README\n/ab\n"/a\\u200bb"\n/cafe\u0301\n/caf\u00e9\n/kept'],
    ],
  },
  {
    what: 'invisible characters in a name are written out',
    make(root) {
      for (const name of [
        '\u202etxt.exe',
        'line\nbreak',
        'tab\tx',
        '\u2066b\u2069',
        '\ufeffbom',
        '\u001b[31m',
        'p\u2028s',
      ])
        put(root, `/odd/${name}`, 'needle')
    },
    asked: [
      [
        'glob',
        { pattern: '*', path: '/odd' },
        true,
        '"/odd/\\u001b[31m"\n"/odd/line\\nbreak"\n"/odd/p\\u2028s"\n"/odd/tab\\tx"\n"/odd/\\u202etxt.exe"\n"/odd/\\u2066b\\u2069"\n"/odd/\\ufeffbom"',
      ],
      ['grep', { pattern: 'needle', path: '/odd/\u202etxt.exe' }, true, '"/odd/\\u202etxt.exe"'],
      ['ls', { path: '/odd' }, true, /ok: "\\u001b\[31m"\t6\t/],
      [...read('/odd/\u202etxt.exe'), true, '1\tneedle'],
    ],
  },
  {
    what: 'names that Windows reserves are ordinary',
    asked: [
      ...['/CON', '/nul.txt', '/a:b', '/end.', '/end ', '/q?*|<>"'].map(
        (file_path) => ['write_file', { file_path, content: 'x' }, true, `Created ${file_path} (1 bytes).`] as const,
      ),
      ['glob', { pattern: '*' }, true, '/CON\n/a:b\n"/end "\n/end.\n/kept\n/nul.txt\n"/q?*|<>\\""'],
      ['grep', { pattern: 'x', output_mode: 'count' }, true, /"\/q\?\*\|<>\\"": 1$/],
    ],
  },
]

/** File contents in strange encodings. */
const contents: readonly BadInput[] = [
  {
    what: 'invalid UTF-8 is shown as replacement characters, and edits keep its bytes',
    make: (root) => put(root, '/f', bytes([0xc3, 0x28], 'one\n', [0xff], 'two\n')),
    asked: [
      [...read('/f'), true, '1\t\ufffd(one\n2\t\ufffdtwo'],
      [...edit('/f', 'one', '1'), true, 'Edited /f: 1 replacement (line 1), 9 bytes now.'],
      ['grep', { pattern: 'two', output_mode: 'content' }, true, '/f:2:\ufffdtwo'],
      [...edit('/f', '\ufffdtwo', '2'), false, /was not found|does not occur|no match/i],
    ],
  },
  {
    what: 'UTF-16 with a byte order mark is text, and stays UTF-16',
    make(root) {
      put(root, '/le', bytes([0xff, 0xfe], Buffer.from('needle\r\n', 'utf16le').toJSON().data))
      put(root, '/be', bytes([0xfe, 0xff], Buffer.from('needle', 'utf16le').swap16().toJSON().data))
    },
    asked: [
      ['grep', { pattern: 'needle' }, true, '/be\n/le'],
      [...read('/le'), true, /\t?needle\n\[The file is UTF-16.*\n\[Lines end in CRLF/],
      [...read('/be'), true, /\tneedle\n\[The file is UTF-16/],
      [...edit('/le', 'needle', 'x'), true, /Edited \/le: 1 replacement \(line 1\), 8 bytes now/],
    ],
  },
  {
    what: 'a byte order mark',
    make: (root) => put(root, '/f', bytes([0xef, 0xbb, 0xbf], 'one\n')),
    asked: [
      [...read('/f'), true, '1\tone'],
      [...edit('/f', 'one', 'two'), true, 'Edited /f: 1 replacement (line 1), 7 bytes now.'],
    ],
  },
  {
    what: 'line ends: CRLF, mixed, a lone CR, none at the end',
    make(root) {
      put(root, '/crlf', 'a\r\nb\r\n')
      put(root, '/mixed', 'a\nb\r\nc')
      put(root, '/cr', 'a\rb\rc')
      put(root, '/empty', '')
    },
    asked: [
      [...read('/crlf'), true, '1\ta\n2\tb\n[Lines end in CRLF. The line ends are kept when you edit.]'],
      [...edit('/crlf', 'a\nb', 'x\ny'), true, 'Edited /crlf: 1 replacement (line 1), 6 bytes now.'],
      [...edit('/mixed', 'c', 'd'), true, 'Edited /mixed: 1 replacement (line 3), 6 bytes now.'],
      [...read('/cr'), true, '1\ta\rb\rc'],
      [...edit('/cr', 'b', 'x'), true, 'Edited /cr: 1 replacement (line 1), 5 bytes now.'],
      [...read('/empty'), true, '/empty is empty (0 bytes).'],
    ],
  },
]

describe('bad input: encodings of names', () => it.each(names)('$what', checkBadInput))
describe('bad input: encodings of contents', () => it.each(contents)('$what', checkBadInput))

it('an edit keeps every byte around it', async () => {
  const around = [
    ['/invalid', bytes([0xc3, 0x28, 0xff], 'one', [0xfe])],
    ['/bom', bytes([0xef, 0xbb, 0xbf], 'x\r\none\ry')],
    ['/end', bytes('one')],
  ] as const
  await using project = await openHostileProject((root) => {
    for (const [path, content] of around) put(root, path, content)
    symlinkSync('end', join(root, 'link'))
  })
  for (const [path, content] of around) {
    await project.ask('edit_file', { file_path: path, old_string: 'one', new_string: 'eins' }, true, /ok: Edited/)
    const edited = await project.view().read(at(path))
    expect(Buffer.from(edited).toString('latin1')).toBe(Buffer.from(content).toString('latin1').replace('one', 'eins'))
  }
})
