import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { type BadInput, checkBadInput, openHostileProject, put } from './hostile-project.testkit.ts'

const long = 'n'.repeat(300)
const deep = '/x'.repeat(2_000)
const longName =
  /error: (A name in the path is over 255 bytes, too long for a disk: n{40}…|The path is too long for this disk: \/n{59}…)$/
const longPath = /error: (The path is over 3072 bytes, too long for a disk|The path is too long for this disk): \/x/
/** The message depends on whether the disk can hold a path of this length. */
const absent = /error: (There is no (file|folder) \/x|The path is too long for this disk: \/x)/
const leaves = /error: The path ".*" leaves the project root\. Use a path below "\/"\.$/
const windows =
  /error: The path ".*" is a Windows path\. Paths here are virtual and start with "\/", the project root\.$/
const git =
  /error: .* is inside git's own folder \(".*"\), which is never written\. Work on the project's files instead\.$/
const write = (file_path: string) => ['write_file', { file_path, content: 'new' }] as const
const read = (file_path: string) => ['read_file', { file_path }] as const

/** Hostile paths as a model may type them. */
const typed: readonly BadInput[] = [
  {
    what: 'traversal',
    asked: [
      [...read('../outside/secret'), false, leaves],
      [...read('/a/../../outside/secret'), false, leaves],
      [...read('a/..//../x'), false, leaves],
      [...write('..'), false, leaves],
      ['ls', { path: '/..' }, false, leaves],
      ['glob', { pattern: '*', path: '../..' }, false, leaves],
      ['glob', { pattern: '../**' }, true, 'No files match ../** below /.'],
      ['grep', { pattern: 'x', path: '../outside' }, false, leaves],
      ['move', { from: '/kept', to: '/../kept' }, false, leaves],
      ['delete', { path: 'x/../..' }, false, leaves],
    ],
  },
  {
    what: 'names that only look like traversal',
    asked: [
      [...write('/a..b.ts'), true, 'Created /a..b.ts (3 bytes).'],
      [...write('/...'), true, 'Created /... (3 bytes).'],
      [...read('/%2e%2e/outside/secret'), false, 'There is no file /%2e%2e/outside/secret. Use ls or glob to find it.'],
    ],
  },
  {
    what: 'absolute and home paths of the machine',
    asked: [
      [...read('/etc/passwd'), false, 'There is no file /etc/passwd. Use ls or glob to find it.'],
      [...read('~/x'), false, 'There is no file /~/x. Use ls or glob to find it.'],
      [...write('~/x'), true, 'Created /~/x (3 bytes).'],
      [...read('//server/share'), false, 'There is no file /server/share. Use ls or glob to find it.'],
    ],
  },
  {
    what: 'Windows drives and shares',
    asked: [
      [...read('C:\\Windows\\x'), false, windows],
      [...write('c:/x'), false, windows],
      [...read('\\\\server\\share\\x'), false, windows],
      [...read('\\\\?\\C:\\x'), false, windows],
    ],
  },
  {
    what: 'NUL, a lone surrogate, nothing',
    asked: [
      [...read('/a\0b'), false, /error: The path "\/a\\u0000b" contains a NUL character\.$/],
      [...write('/\ud800'), false, /error: The path "\/\\ud800" is not well-formed Unicode\.$/],
      [...read(''), false, /error: The path is empty\./],
      ['delete', { path: '/' }, false, 'The project root cannot be deleted.'],
      ['move', { from: '/', to: '/x' }, false, 'The project root cannot be moved.'],
    ],
  },
  {
    what: 'names of 300 bytes, even when only the overlay would hold them',
    asked: [
      [...read(`/${long}`), false, /error: The path is too long for this disk: \/n{59}…$/],
      [...write(`/${long}`), false, longName],
      [...write('/new/x'), true, 'Created /new/x (3 bytes).'],
      [...write(`/new/${long}`), false, longName],
      [...write(`/new/${'é'.repeat(150)}`), false, /error: A name in the path is over 255 bytes/],
      ['move', { from: '/new/x', to: `/new/${long}/x` }, false, longName],
      ['grep', { pattern: 'new' }, true, '/new/x'],
    ],
  },
  {
    what: 'a depth of 2,000',
    asked: [
      [...read(deep), false, absent],
      [...write(deep), false, longPath],
      ['ls', { path: deep }, false, absent],
      ['move', { from: '/kept', to: deep }, false, longPath],
      [...write(deep.slice(0, 3_000)), true, /ok: Created \/x/],
      ['glob', { pattern: '**/x', limit: 1 }, true, /ok: (\/x){1500}$/],
    ],
  },
]

const outwards = (link: string) =>
  new RegExp(`error: The link ${link} leaves the project folder and is not followed\\.$`)

/** Hostile links. Each `/link…` leads outside in some way. */
const links: readonly BadInput[] = [
  {
    what: 'a link to a file outside',
    make: (root, outside) => symlinkSync(join(outside, 'secret'), join(root, 'link')),
    asked: [
      [...read('/link'), false, outwards('/link')],
      [...write('/link'), false, outwards('/link')],
      ['edit_file', { file_path: '/link', old_string: 'a', new_string: 'b' }, false, outwards('/link')],
      [
        'grep',
        { pattern: '.', path: '/link' },
        false,
        /error: The link \/link leaves the project folder and is not followed\.$/,
      ],
      ['glob', { pattern: '**' }, true, '/kept'],
      ['move', { from: '/link', to: '/moved' }, true, 'Moved /link to /moved.'],
      ['delete', { path: '/moved' }, true, 'Deleted /moved.'],
    ],
  },
  {
    what: 'a link to a folder outside',
    make: (root) => symlinkSync('../outside', join(root, 'link')),
    asked: [
      [...read('/link/secret'), false, outwards('/link')],
      [...write('/link/new'), false, outwards('/link')],
      ['ls', { path: '/link' }, false, outwards('/link')],
      ['grep', { pattern: 'a', path: '/link/secret' }, false, outwards('/link')],
      ['move', { from: '/kept', to: '/link/kept' }, false, outwards('/link')],
      ['delete', { path: '/link/secret' }, false, outwards('/link')],
      ['grep', { pattern: 'c' }, true, 'No matches for "c" below /.'],
    ],
  },
  {
    what: 'a dangling link to the outside',
    make: (root, outside) => symlinkSync(join(outside, 'none/x'), join(root, 'link')),
    asked: [
      [...read('/link'), false, outwards('/link')],
      [...write('/link'), false, outwards('/link')],
      [...write('/link/below'), false, outwards('/link')],
    ],
  },
  {
    what: 'a chain of links that ends outside',
    make(root) {
      mkdirSync(join(root, 'd'))
      symlinkSync('d/second', join(root, 'link'))
      symlinkSync('../third', join(root, 'd/second'))
      symlinkSync('d/../../outside/secret', join(root, 'third'))
    },
    asked: [
      [...read('/link'), false, outwards('/third')],
      [...write('/d/second'), false, outwards('/third')],
    ],
  },
  {
    what: 'loops',
    make(root) {
      symlinkSync('b', join(root, 'a'))
      symlinkSync('a', join(root, 'b'))
      symlinkSync('.', join(root, 'self'))
    },
    asked: [
      [...read('/a'), false, '/a goes through a loop of links.'],
      [...write('/b/x'), false, '/b/x goes through a loop of links.'],
      [...read('/self/self/self/kept'), true, '1\tkept'],
      [...read(`${'/self'.repeat(41)}/kept`), false, /goes through a loop of links\.$/],
      ['glob', { pattern: '**/kept' }, true, '/kept'],
      ['delete', { path: '/self' }, true, 'Deleted /self.'],
    ],
  },
]

/** Hostile entries of the folder. */
const entries: readonly BadInput[] = [
  {
    what: 'git’s own folder, in every spelling',
    make(root) {
      put(root, '/.git/config', '[inside "git"]\n')
      symlinkSync('.git', join(root, 'link'))
    },
    asked: [
      ...[
        '/.git/config',
        '/.GIT/config',
        '/.git./x',
        '/git~1/x',
        '/.g\u200cit/x',
        '/.git::$INDEX_ALLOCATION',
        '/a/.git',
      ].map((path) => [...write(path), false, git] as const),
      [...write('/link/config'), false, git],
      ['delete', { path: '/.git' }, false, git],
      ['move', { from: '/.git', to: '/x' }, false, git],
      [...read('/.git/config'), true, '1\t[inside "git"]'],
      ['grep', { pattern: 'inside .git' }, true, 'No matches for "inside .git" below /.'],
      ['glob', { pattern: '**', include_ignored: true }, true, '/.git/config\n/kept'],
    ],
  },
  {
    what: 'a FIFO',
    make: (root) => void execFileSync('mkfifo', [join(root, 'fifo')]),
    asked: [
      [...read('/fifo'), false, '/fifo is not a regular file.'],
      [...write('/fifo'), false, '/fifo is not a regular file (a FIFO, socket or device) and cannot be changed.'],
      ['edit_file', { file_path: '/fifo', old_string: 'a', new_string: 'b' }, false, '/fifo is not a regular file.'],
      ['delete', { path: '/fifo' }, false, /cannot be changed\.$/],
      ['move', { from: '/fifo', to: '/x' }, false, /cannot be changed\.$/],
      ['grep', { pattern: '.', path: '/fifo' }, true, 'No matches for "." below /fifo.'],
      ['grep', { pattern: 'kept' }, true, '/kept'],
      ['ls', {}, true, /fifo \(not a regular file\)\t-\t/],
    ],
  },
  {
    what: 'a sparse file larger than can be read at once',
    make(root) {
      put(root, '/sparse', '')
      truncateSync(join(root, 'sparse'), 300_000_000)
    },
    asked: [
      [...read('/sparse'), true, '/sparse is a binary file (unknown type, 300000000 bytes). Its bytes are not shown.'],
      ['read_file', { file_path: '/sparse', byte_offset: 400_000_000 }, false, /is past its end\.$/],
      ['edit_file', { file_path: '/sparse', old_string: 'a', new_string: 'b' }, false, /too many to edit at once/],
      ['move', { from: '/sparse', to: '/moved' }, true, /ok: Moved \/sparse to \/moved/],
      ['delete', { path: '/moved' }, true, /ok: Deleted \/moved/],
      [...write('/sparse'), true, /ok: (Created|Wrote) /],
    ],
  },
]

describe('bad input: typed paths', () => it.each(typed)('$what', checkBadInput))
describe('bad input: links', () => it.each(links)('$what', checkBadInput))
describe('bad input: entries of the folder', () => it.each(entries)('$what', checkBadInput))

it('a FIFO is refused without waiting for it', async () => {
  await using project = await openHostileProject((root) => {
    execFileSync('mkfifo', [join(root, 'fifo')])
    symlinkSync('fifo', join(root, 'link'))
  })
  for (const path of ['/fifo', '/link', '/fifo', '/link', '/fifo', '/link'])
    await project.ask('read_file', { file_path: path }, false, /is not a regular file\.$/)
})
