import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApplyStep } from '#core/ports/disk-apply.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createDiskApply } from './disk-apply.ts'
import { recoverApply } from './restore-apply.ts'

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex') as BlobHash
const hashing = { hash, gitObjectId: () => '' }
const file = (text: string, executable = false): TreeNode => ({
  kind: 'file',
  blob: hash(Buffer.from(text)),
  size: Buffer.byteLength(text),
  executable,
})
const step = (path: string, before: TreeNode | null, after: TreeNode | null): ApplyStep => ({
  path: path as VirtualPath,
  before,
  after,
})

let above: string
let rootFolder: string
let recordFolder: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-apply-'))
  rootFolder = join(above, 'root')
  recordFolder = join(above, 'records')
  mkdirSync(rootFolder)
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

const put = (path: string, text: string, mode = 0o644) => {
  mkdirSync(dirname(join(rootFolder, path)), { recursive: true })
  writeFileSync(join(rootFolder, path), text, { mode })
}
const create = () => createDiskApply({ rootFolder, recordFolder, hashing })
const contents = (texts: Record<string, string>) => (of: ApplyStep) => Buffer.from(texts[of.path] ?? '')

/** Every path with its kind, content or target; what a tree is, for comparing. */
function snapshot(folder = rootFolder, prefix = ''): Record<string, string> {
  const all: Record<string, string> = {}
  for (const name of readdirSync(folder).sort()) {
    const location = join(folder, name)
    const stats = lstatSync(location)
    const path = `${prefix}/${name}`
    if (stats.isSymbolicLink()) all[path] = `-> ${readlinkSync(location)}`
    else if (stats.isDirectory()) Object.assign(all, { [path]: 'folder' }, snapshot(location, path))
    else all[path] = `${(stats.mode & 0o777).toString(8)} ${readFileSync(location, 'utf8')}`
  }
  return all
}

describe('disk apply', () => {
  it('creates with parents, modifies, deletes with emptied folders, links, and changes modes', async () => {
    put('a', 'one')
    chmodSync(join(rootFolder, 'a'), 0o640)
    put('gone/deep/b', 'two')
    put('stays/c', 'three')
    put('stays/d', 'four')
    symlinkSync('a', join(rootFolder, 'link'))
    await create().apply(
      [
        step('/a', file('one'), file('ONE', true)),
        step('/gone/deep/b', file('two'), null),
        step('/stays/c', file('three'), null),
        step('/new/deep/e', null, file('five')),
        step('/empty', null, { kind: 'directory' }),
        step('/link', { kind: 'symlink', target: 'a' }, { kind: 'symlink', target: 'stays/d' }),
      ],
      contents({ '/a': 'ONE', '/new/deep/e': 'five' }),
    )
    expect(snapshot()).toEqual({
      '/a': '750 ONE',
      '/empty': 'folder',
      '/link': '-> stays/d',
      '/new': 'folder',
      '/new/deep': 'folder',
      '/new/deep/e': '644 five',
      '/stays': 'folder',
      '/stays/d': '644 four',
    })
    expect(readdirSync(recordFolder)).toEqual([])
  })

  it('turns files into folders and folders into files', async () => {
    put('x', 'file')
    put('y/inner', 'inner')
    await create().apply(
      [
        step('/x', file('file'), { kind: 'directory' }),
        step('/x/child', null, file('child')),
        step('/y', { kind: 'directory' }, file('now a file')),
        step('/y/inner', file('inner'), null),
      ],
      contents({ '/x/child': 'child', '/y': 'now a file' }),
    )
    expect(snapshot()).toEqual({ '/x': 'folder', '/x/child': '644 child', '/y': '644 now a file' })
  })

  it.each<[string, () => void, ApplyStep, string]>([
    ['changed content', () => put('a', 'EDIT'), step('/a', file('text'), file('x')), 'changed'],
    ['a deleted file', () => undefined, step('/a', file('text'), file('x')), 'changed'],
    ['a file that appeared', () => put('a', 'mine'), step('/a', null, file('x')), 'changed'],
    ['a changed mode', () => put('a', 'text', 0o755), step('/a', file('text'), null), 'changed'],
    ['a folder in the way', () => put('a/b', ''), step('/a', file('text'), file('x')), 'refused'],
    [
      'a link in the way',
      () => symlinkSync('/etc/hostname', join(rootFolder, 'a')),
      step('/a', null, file('x')),
      'refused',
    ],
    [
      'a dangling link in the way',
      () => symlinkSync('/nowhere', join(rootFolder, 'a')),
      step('/a', null, file('x')),
      'refused',
    ],
    [
      'a folder above that is a link',
      () => symlinkSync(above, join(rootFolder, 'l')),
      step('/l/new', null, file('x')),
      'refused',
    ],
    [
      'a link further above, with folders behind it',
      () => {
        mkdirSync(join(above, 'behind/deep'), { recursive: true })
        symlinkSync(above, join(rootFolder, 'l'))
      },
      step('/l/behind/deep/new', null, file('x')),
      'refused',
    ],
    [
      'a link above a link',
      () => symlinkSync(above, join(rootFolder, 'l')),
      step('/l/a/b/new', null, file('x')),
      'refused',
    ],
    ['git metadata', () => undefined, step('/.git/hooks/pre-commit', null, file('x')), 'refused'],
    ['git metadata by another spelling', () => undefined, step('/sub/.GIT. /config', null, file('x')), 'refused'],
    [
      'a folder with something unknown in it',
      () => put('d/mine', ''),
      step('/d', { kind: 'directory' }, null),
      'changed',
    ],
  ])('leaves everything alone for %s', async (_, prepare, one, code) => {
    prepare()
    const before = snapshot()
    const outside = readdirSync(above)
    expect((await create().check([one]))[0]).toMatchObject({ state: code })
    const good = step('/other/new', null, file('y'))
    await expect(create().apply([good, one], contents({}))).rejects.toMatchObject({ code })
    expect(snapshot()).toEqual(before)
    expect(readdirSync(above)).toEqual(outside)
  })

  it('puts everything back when a write fails in the middle', async () => {
    put('a', 'one')
    put('gone/b', 'two')
    const before = snapshot()
    const steps = [
      step('/a', file('one'), file('ONE')),
      step('/gone/b', file('two'), null),
      step('/z/new', null, file('z')),
    ]
    let calls = 0
    const failing = createDiskApply({
      rootFolder,
      recordFolder,
      hashing,
      onProgress: () => {
        calls += 1
        if (calls === 2) throw new Error('disk full')
      },
    })
    await expect(failing.apply(steps, contents({ '/a': 'ONE', '/z/new': 'z' }))).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('disk full'),
    })
    expect(snapshot()).toEqual(before)
    expect(readdirSync(recordFolder)).toEqual([])
  })

  it('writes into more new folders than it keeps open at a time', async () => {
    const steps = Array.from({ length: 600 }, (_, index) => step(`/new/${index}/file`, null, file(`${index}`)))
    await create().apply(steps, ({ path }) => Buffer.from(path.split('/')[2] ?? ''))
    for (const index of [0, 255, 256, 257, 599])
      expect(readFileSync(join(rootFolder, `new/${index}/file`), 'utf8')).toBe(`${index}`)
    expect(readdirSync(rootFolder)).toEqual(['new'])
  })

  it('notices an edit made between the check and the write', async () => {
    put('a', 'one')
    const content = (): Uint8Array => {
      put('a', 'person')
      return Buffer.from('ONE')
    }
    await expect(create().apply([step('/a', file('one'), file('ONE'))], content)).rejects.toMatchObject({
      code: 'changed',
    })
    expect(snapshot()).toEqual({ '/a': '644 person' })
  })
})

describe('recovery after kill -9', () => {
  const texts = [
    { path: '/a', before: 'one', after: 'ONE' },
    { path: '/gone/deep/b', before: 'two', after: null },
    { path: '/new/deep/c', before: null, after: 'three' },
    { path: '/stays/d', before: 'four', after: 'FOUR' },
  ]
  const points = [1, 2, 3]
    .map((n) => ['stage', n] as const)
    .concat([1, 2, 3, 4].map((n) => ['commit', n] as const) as never)

  it.each(points)('is all old or all new when killed at %s %i', async (phase, at) => {
    for (const { path, before } of texts) if (before !== null) put(path, before)
    const old = snapshot()
    const child = spawnSync(
      process.execPath,
      [
        join(import.meta.dirname, 'killed-apply.fixture.ts'),
        rootFolder,
        recordFolder,
        JSON.stringify(texts),
        phase,
        String(at),
      ],
      { encoding: 'utf8' },
    )
    expect(child.signal, child.stderr).toBe('SIGKILL')
    const [recovered] = await recoverApply({ rootFolder, recordFolder, hashing })
    const expected = recovered?.outcome === 'completed' ? allNew : old
    expect(snapshot()).toEqual(expected)
    expect(recovered?.left).toEqual([])
    expect(readdirSync(recordFolder)).toEqual([])
    expect(await recoverApply({ rootFolder, recordFolder, hashing })).toEqual([])
  })

  const allNew = {
    '/a': '644 ONE',
    '/new': 'folder',
    '/new/deep': 'folder',
    '/new/deep/c': '644 three',
    '/stays': 'folder',
    '/stays/d': '644 FOUR',
  }

  it('does not overwrite what a person wrote after the crash, and names it', async () => {
    for (const { path, before } of texts) if (before !== null) put(path, before)
    const fixture = join(import.meta.dirname, 'killed-apply.fixture.ts')
    spawnSync(process.execPath, [fixture, rootFolder, recordFolder, JSON.stringify(texts), 'commit', '2'])
    put('a', 'by a person')
    const [recovered] = await recoverApply({ rootFolder, recordFolder, hashing })
    expect(recovered).toMatchObject({ outcome: 'rolled_back', left: ['/a'] })
    expect(readFileSync(join(rootFolder, 'a'), 'utf8')).toBe('by a person')
    expect(readFileSync(join(rootFolder, 'gone/deep/b'), 'utf8')).toBe('two')
    expect(existsSync(join(rootFolder, 'new'))).toBe(false)
    expect(statSync(join(rootFolder, 'stays/d')).size).toBe(4)
  })
})
