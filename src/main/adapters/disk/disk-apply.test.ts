import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApplyStep } from '#core/ports/disk-apply.ts'
import { file, hashing, putFolder, snapshotOf, step } from './apply-world.testkit.ts'
import { createDiskApply } from './disk-apply.ts'
import { recoverApply } from './restore-apply.ts'

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

const { getuid = () => 1, getgid = () => 1, getgroups = () => [] } = process
/** Somebody else to whom this process may give a file: anybody for root, else a group of its own. */
const isRoot = getuid() === 0
const otherGroup = isRoot ? 12_345 : getgroups().find((group) => group !== getgid())

// Mutation: leave `keepOwner` out of `writeTemporary`. With `fchmod` before it, the file that root writes has no setuid bit.
it.skipIf(otherGroup === undefined)('a file stays with the owner and the group that it has', async () => {
  const path = join(rootFolder, 'a')
  const seen = () => {
    const { uid, gid, mode } = statSync(path)
    return { uid, gid, mode: mode & 0o7777 }
  }
  put('a', 'one')
  chownSync(path, isRoot ? 4242 : getuid(), otherGroup ?? 0)
  chmodSync(path, 0o6750)
  const before = seen()
  await create().apply([step('/a', file('one', true), file('two', true))], contents({ '/a': 'two' }))
  expect([readFileSync(path, 'utf8'), seen()]).toEqual(['two', before])
})

// Mutation: leave `giveToOwner` out of either way to make something.
it.runIf(isRoot)('what root makes in a folder of somebody else belongs to them', async () => {
  chmodSync(rootFolder, 0o755)
  chownSync(rootFolder, 4242, 12_345)
  await create().apply(
    [step('/new/deep/a', null, file('one')), step('/b', null, file('two'))],
    contents({ '/new/deep/a': 'one', '/b': 'two' }),
  )
  for (const path of ['new', 'new/deep', 'new/deep/a', 'b'])
    expect(lstatSync(join(rootFolder, path)), path).toMatchObject({ uid: 4242, gid: 12_345 })
})

describe('disk apply', () => {
  it('applies and undoes a file that is read in the background, again and again', async () => {
    const [before, after] = ['a'.repeat(600 * 1024), 'b'.repeat(600 * 1024)]
    put('a', before)
    for (let round = 0; round < 20; round += 1) {
      await create().apply([step('/a', file(before), file(after))], contents({ '/a': after }))
      await create().apply([step('/a', file(after), file(before))], contents({ '/a': before }))
    }
    expect(readFileSync(join(rootFolder, 'a'), 'utf8') === before).toBe(true)
  })

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
    expect(snapshotOf(rootFolder)).toEqual({
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

  // Mutation: refuse a folder that is to be made where one is.
  it('puts files back beside what somebody keeps in their folder', async () => {
    put('gone/a', 'one')
    put('gone/of-the-person', 'mine')
    const steps = [step('/gone', null, { kind: 'directory' }), step('/gone/b', null, file('two'))]
    expect(await create().check(steps)).toMatchObject([{ state: 'ready' }, { state: 'ready' }])
    await create().apply(steps, contents({ '/gone/b': 'two' }))
    expect(readdirSync(join(rootFolder, 'gone')).sort()).toEqual(['a', 'b', 'of-the-person'])
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
    expect(snapshotOf(rootFolder)).toEqual({ '/x': 'folder', '/x/child': '644 child', '/y': '644 now a file' })
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
    const before = snapshotOf(rootFolder)
    const outside = readdirSync(above)
    expect((await create().check([one]))[0]).toMatchObject({ state: code })
    const good = step('/other/new', null, file('y'))
    await expect(create().apply([good, one], contents({}))).rejects.toMatchObject({ code })
    expect(snapshotOf(rootFolder)).toEqual(before)
    expect(readdirSync(above)).toEqual(outside)
  })

  it('puts everything back when a write fails in the middle', async () => {
    put('a', 'one')
    put('gone/b', 'two')
    const before = snapshotOf(rootFolder)
    const steps = [
      step('/a', file('one'), file('ONE')),
      step('/gone/b', file('two'), null),
      step('/z/new', null, file('z')),
    ]
    const onProgress = (done: number, total: number): void => {
      if (done === total - 1) throw new Error('disk full')
    }
    const failing = create().apply(steps, contents({ '/a': 'ONE', '/z/new': 'z' }), { onProgress })
    await expect(failing).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining('disk full') })
    expect(snapshotOf(rootFolder)).toEqual(before)
    expect(readdirSync(recordFolder)).toEqual([])
  })

  it.each([1, 2, 3, 4, 5])('puts everything back when it is cancelled after piece %i of 5', async (at) => {
    put('a', 'one')
    put('gone/b', 'two')
    const before = snapshotOf(rootFolder)
    const steps = [
      step('/a', file('one'), file('ONE')),
      step('/gone/b', file('two'), null),
      step('/z/new', null, file('z')),
    ]
    const controller = new AbortController()
    const seen: (readonly [number, number])[] = []
    const onProgress = (done: number, total: number): void => {
      seen.push([done, total])
      if (done === at) controller.abort()
    }
    const applying = create().apply(steps, contents({ '/a': 'ONE', '/z/new': 'z' }), {
      signal: controller.signal,
      onProgress,
    })
    await expect(applying).rejects.toMatchObject({ code: 'cancelled' })
    expect(seen).toContainEqual([at, 5])
    expect(seen).not.toContainEqual([at + 2, 5])
    expect(snapshotOf(rootFolder)).toEqual(before)
    expect(readdirSync(recordFolder)).toEqual([])
  })

  it.each([
    ['not removed yet', 'gone', 3],
    ['not written yet', 'b', 5],
    ['written already', 'a', 5],
  ])('keeps what a person saves while it writes, in a file %s', async (_, name, at) => {
    const steps = ['a', 'b', 'gone', 'hole'].map((each) => {
      put(each, 'old')
      return step(`/${each}`, file('old'), each.length > 1 ? null : file('new'))
    })
    const before = snapshotOf(rootFolder)
    const onProgress = (done: number, total: number): void => {
      if (done === at) put(name, 'by a person')
      if (done === total) throw new Error('disk full')
    }
    const applying = create().apply(steps, () => Buffer.from('new'), { onProgress })
    await expect(applying).rejects.toMatchObject({ left: [`/${name}`] })
    expect(snapshotOf(rootFolder)).toEqual({ ...before, [`/${name}`]: '644 by a person' })
    expect(readdirSync(recordFolder)).toEqual([])
  })

  it('restores a file with the longest name, and leaves a file alone that is named like a temporary one', async () => {
    const [long, beside] = ['n'.repeat(255), 'a.coppice-restore.tmp']
    for (const name of [long, 'a', beside]) put(name, 'old')
    const before = snapshotOf(rootFolder)
    const steps = [long, 'a'].map((name) => step(`/${name}`, file('old'), file('new')))
    const onProgress = (done: number, total: number): void => {
      if (done === total) throw new Error('disk full')
    }
    const failing = create().apply(steps, () => Buffer.from('new'), { onProgress })
    await expect(failing).rejects.toMatchObject({ code: 'failed', left: [] })
    expect(snapshotOf(rootFolder)).toEqual(before)
  })

  it('writes into more new folders than it keeps open at once', async () => {
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
    expect(snapshotOf(rootFolder)).toEqual({ '/a': '644 person' })
  })
})

describe('a root that is moved away, with another folder in its place', () => {
  const steps = [
    step('/a', file('one'), file('ONE')),
    step('/gone', file('two'), null),
    step('/new', null, file('new')),
  ]
  const bytes = contents({ '/a': 'ONE', '/new': 'new' })
  const swap = () => {
    renameSync(rootFolder, `${rootFolder}-away`)
    putFolder(rootFolder, { '/a': '644 one', '/gone': '644 two' })
  }
  const replaced = expect.stringContaining('was moved away or replaced')

  it('is noticed before anything is written', async () => {
    putFolder(rootFolder, { '/a': '644 one', '/gone': '644 two' })
    const disk = create()
    swap()
    const before = snapshotOf(rootFolder)
    await expect(disk.apply(steps, bytes)).rejects.toMatchObject({ code: 'failed', message: replaced })
    expect(snapshotOf(rootFolder)).toEqual(before)
  })

  it.each([1, 2, 3, 4, 5])('gets nothing of an apply when it is swapped after piece %i of 5', async (at) => {
    putFolder(rootFolder, { '/a': '644 one', '/gone': '644 two' })
    const before = snapshotOf(rootFolder)
    const disk = create()
    const onProgress = (done: number): void => {
      if (done === at) swap()
    }
    const ended = await disk.apply(steps, bytes, { onProgress }).then(
      () => null,
      (error: unknown) => error,
    )
    expect(snapshotOf(rootFolder)).toEqual(before)
    if (ended !== null) expect(ended).toMatchObject({ message: replaced })
    // Back in its place, it is put back as a whole by the next apply.
    rmSync(rootFolder, { recursive: true })
    renameSync(`${rootFolder}-away`, rootFolder)
    await create().apply([step('/other', null, file('x'))], () => Buffer.from('x'))
    const now = { ...snapshotOf(rootFolder) }
    expect(now).toEqual({ ...(ended === null ? { '/a': '644 ONE', '/new': '644 new' } : before), '/other': '644 x' })
  })

  it('gets nothing of an apply that a crash cut off', async () => {
    putFolder(rootFolder, { '/a': '644 one', '/gone': '644 two' })
    const onProgress = (done: number): void => {
      if (done === 4) swap()
    }
    await create()
      .apply(steps, bytes, { onProgress })
      .catch(() => undefined)
    rmSync(join(rootFolder, 'gone'))
    const before = snapshotOf(rootFolder)
    const aside: string[] = []
    await recoverApply({ rootFolder, recordFolder, hashing, onAside: (_, why) => aside.push(why) })
    expect(snapshotOf(rootFolder)).toEqual(before)
    expect(aside).toEqual(['belongs to another folder that was here before'])
  })
})

/** Runs the command with a disk of 100 kB, in a mount namespace that ends with it. */
const onSmallDisk = (place: string, command: string) =>
  spawnSync('unshare', ['-rm', 'sh', '-c', `mount -t tmpfs -o size=100k tmpfs '${place}' && ${command}`], {
    encoding: 'utf8',
  })

describe('on a full disk', () => {
  const canMount = onSmallDisk(tmpdir(), 'true').status === 0

  it.skipIf(!canMount).each([
    ['of the project', 'root'],
    ['of the record', 'records'],
  ])('puts everything back, reports it and leaves nothing behind: the disk %s', (_, small) => {
    mkdirSync(recordFolder)
    const fixture = join(import.meta.dirname, 'full-disk.testkit.ts')
    const padding = small === 'records' ? `head -c 95000 /dev/zero > '${join(recordFolder, 'other')}' && ` : ''
    const command = `${padding}'${process.execPath}' '${fixture}' '${rootFolder}' '${recordFolder}'`
    const { stdout, stderr } = onSmallDisk(join(above, small), command)
    expect(stderr).toBe('')
    const { refused, before, after, records } = JSON.parse(stdout)
    expect(refused).toMatchObject({ code: 'failed', message: expect.stringContaining('ENOSPC') })
    expect(refused.message).toMatch(/Everything was put back|Nothing was written/)
    expect(after).toEqual(before)
    expect(records).toEqual(small === 'records' ? ['other'] : [])
  })
})
