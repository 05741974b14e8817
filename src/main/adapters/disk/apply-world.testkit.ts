import { createHash } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { ApplyStep } from '#core/ports/disk-apply.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import type { FileNode, SymlinkNode, TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** Shared by the tests of applying to a disk: short forms of nodes and steps, and folders as plain data. */
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash
export const hashing = { hash, gitObjectId: () => '' }

export const folder: TreeNode = { kind: 'directory' }

export function file(text: string, executable = false): FileNode {
  return { kind: 'file', blob: hash(Buffer.from(text)), size: Buffer.byteLength(text), executable }
}

/** A file whose content is only on disk. Tests may treat a file of any size as too large. */
export function large(text: string, path: string, executable = false): FileNode {
  return { ...file(text, executable), large: { path: path as VirtualPath, gitId: '' } }
}

export function link(target: string): SymlinkNode {
  return { kind: 'symlink', target }
}

export function step(path: string, before: TreeNode | null, after: TreeNode | null): ApplyStep {
  return { path: path as VirtualPath, before, after }
}

/** What is at each path: `folder`, `-> target`, or the mode in octal and the text. */
export type Shown = Readonly<Record<string, string>>

export function putFolder(place: string, shown: Shown): void {
  mkdirSync(place, { recursive: true })
  for (const [path, what] of Object.entries(shown)) {
    const location = join(place, path)
    mkdirSync(dirname(location), { recursive: true })
    if (what === 'folder') mkdirSync(location)
    else if (what.startsWith('-> ')) symlinkSync(what.slice(3), location)
    else {
      writeFileSync(location, what.slice(4))
      chmodSync(location, Number.parseInt(what.slice(0, 3), 8))
    }
  }
}

export function snapshotOf(place: string, prefix = ''): Shown {
  const all: Record<string, string> = {}
  for (const name of readdirSync(place).sort()) {
    const location = join(place, name)
    const stats = lstatSync(location)
    const path = `${prefix}/${name}`
    if (stats.isSymbolicLink()) all[path] = `-> ${readlinkSync(location)}`
    else if (stats.isDirectory()) Object.assign(all, { [path]: 'folder' }, snapshotOf(location, path))
    else all[path] = `${(stats.mode & 0o777).toString(8)} ${readFileSync(location, 'utf8')}`
  }
  return all
}

export interface TestedChange {
  readonly before: Shown
  readonly after: Shown
  readonly steps: readonly ApplyStep[]
  /** New contents by path. */
  readonly contents: Readonly<Record<string, string>>
}

const before = {
  '/edited': '640 one\n',
  '/mode': '644 run\n',
  '/gone/deep/b': '644 two\n',
  '/gone/deep/c': '755 three\n',
  '/stays/d': '644 four\n',
  '/link': '-> edited',
  '/unlinked': '-> stays',
  '/was-file': '644 file\n',
  '/was-folder/inner': '644 inner\n',
  '/was-link': '-> stays/d',
}
const after = {
  '/edited': '640 ONE\n',
  '/mode': '755 run\n',
  '/new/deep/e': '644 five\n',
  '/empty': 'folder',
  '/stays/d': '644 four\n',
  '/link': '-> stays/d',
  '/linked': '-> mode',
  '/was-file/child': '644 child\n',
  '/was-folder': '644 now a file\n',
  '/was-link': '644 no link\n',
}
const steps = [
  step('/edited', file('one\n'), file('ONE\n')),
  step('/mode', file('run\n'), file('run\n', true)),
  step('/gone/deep/b', file('two\n'), null),
  step('/gone/deep/c', file('three\n', true), null),
  step('/new/deep/e', null, file('five\n')),
  step('/empty', null, folder),
  step('/link', link('edited'), link('stays/d')),
  step('/linked', null, link('mode')),
  step('/unlinked', link('stays'), null),
  step('/was-file', file('file\n'), folder),
  step('/was-file/child', null, file('child\n')),
  step('/was-folder', folder, file('now a file\n')),
  step('/was-folder/inner', file('inner\n'), null),
  step('/was-link', link('stays/d'), file('no link\n')),
]
const contents = Object.fromEntries(
  Object.entries(after).map(([path, shown]) => [path, shown.slice(shown.indexOf(' ') + 1)]),
)

const ofLarge = {
  before: {
    '/moved': '640 one',
    '/gone/deep/b': '644 two',
    '/twin': '644 two',
    '/replaced': '644 three',
    '/mode': '644 four',
    '/swapped/a': '644 five',
    '/swapped/b': '755 six',
    '/small': '644 small',
    '/folder': '644 seven',
  },
  after: {
    '/new/deep/moved': '640 one',
    '/replaced': '644 small text',
    '/mode': '755 four',
    '/swapped/a': '755 six',
    '/swapped/b': '644 five',
    '/small': '644 seven',
    '/folder/inner': '644 inner',
  },
  steps: [
    step('/moved', large('one', '/moved'), null),
    step('/new/deep/moved', null, large('one', '/moved')),
    step('/gone/deep/b', large('two', '/gone/deep/b'), null),
    step('/twin', large('two', '/twin'), null),
    step('/replaced', large('three', '/replaced'), file('small text')),
    step('/mode', large('four', '/mode'), large('four', '/mode', true)),
    step('/swapped/a', large('five', '/swapped/a'), large('six', '/swapped/b', true)),
    step('/swapped/b', large('six', '/swapped/b', true), large('five', '/swapped/a')),
    step('/small', file('small'), large('seven', '/folder')),
    step('/folder', large('seven', '/folder'), folder),
    step('/folder/inner', null, file('inner')),
  ],
}

/** Large files in every role: moved, deleted, replaced, swapped, with another mode, with equal content. */
export const largeChange: TestedChange = {
  ...ofLarge,
  contents: { '/replaced': 'small text', '/folder/inner': 'inner' },
}

/** A change of every kind at once: what is there before and after, its steps, and the new contents by path. */
export const wideChange: TestedChange = { before, after, steps, contents }
