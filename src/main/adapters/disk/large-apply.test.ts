import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApplyStep } from '#core/ports/disk-apply.ts'
import { file, hashing, large, largeChange, putFolder, type Shown, snapshotOf, step } from './apply-world.testkit.ts'
import { createDiskApply } from './disk-apply.ts'
import { keptFolderOf } from './large-files.ts'

let above: string
let rootFolder: string
let recordFolder: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-large-'))
  rootFolder = join(above, 'root')
  recordFolder = join(above, 'records')
  mkdirSync(rootFolder)
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

const create = () => createDiskApply({ rootFolder, recordFolder, hashing })
const inverse = (steps: readonly ApplyStep[]) => steps.map(({ path, before, after }) => step(path, after, before))
const kept = () => {
  try {
    return readdirSync(keptFolderOf(recordFolder))
  } catch {
    return []
  }
}
/** Large files have no other content than the one on disk, so nobody may ask for it. */
const contentsOf = (texts: Readonly<Record<string, string>>) => (one: ApplyStep) => {
  const text = texts[one.path]
  if (text === undefined) throw new Error(`Nobody has the content of ${one.path}.`)
  return Buffer.from(text)
}

describe('an apply of large files', () => {
  it('moves, deletes, replaces and swaps them, and its undo restores every byte and mode', async () => {
    putFolder(rootFolder, largeChange.before)
    const old = snapshotOf(rootFolder)
    const inodeOf = (path: string) => statSync(join(rootFolder, path)).ino
    const moved = inodeOf('/moved')
    await create().apply(largeChange.steps, contentsOf(largeChange.contents))
    putFolder(join(above, 'new'), largeChange.after)
    expect(snapshotOf(rootFolder)).toEqual(snapshotOf(join(above, 'new')))
    expect(inodeOf('/new/deep/moved')).toBe(moved)
    expect(kept()).toHaveLength(3)
    await create().apply(inverse(largeChange.steps), contentsOf({ '/small': 'small' }))
    expect(snapshotOf(rootFolder)).toEqual(old)
    expect(inodeOf('/moved')).toBe(moved)
    expect(kept()).toEqual([])
    expect(readdirSync(recordFolder)).toEqual([])
  })

  it('refuses one that changed on disk, and changes nothing', async () => {
    putFolder(rootFolder, { '/big': '644 one', '/other': '644 other' })
    const steps = [step('/big', large('two', '/big'), null), step('/other', large('other', '/other'), null)]
    await expect(create().apply(steps, contentsOf({}))).rejects.toMatchObject({
      code: 'changed',
      message: '/big: Its content changed on disk. Nothing was written.',
    })
    expect(snapshotOf(rootFolder)).toEqual({ '/big': '644 one', '/other': '644 other' })
  })

  it('copies one that is also needed where it was, and refuses one that is nowhere any more', async () => {
    putFolder(rootFolder, { '/big': '640 one' })
    await create().apply([step('/copy', null, large('one', '/big'))], contentsOf({}))
    expect(snapshotOf(rootFolder)).toEqual({ '/big': '640 one', '/copy': '640 one' })
    writeFileSync(join(rootFolder, 'big'), 'two')
    for (const [text, message] of [
      ['one', /\/again: The file on disk at \/big has other content now\..*was/],
      ['three', /\/again: The file on disk at \/big has other.* Its 5 bytes are too many to be stored. Nothing was/],
    ] as const)
      await expect(create().apply([step('/again', null, large(text, '/big'))], contentsOf({}))).rejects.toThrow(message)
    expect(snapshotOf(rootFolder)).toEqual({ '/big': '640 two', '/copy': '640 one' })
    expect(readdirSync(recordFolder)).toEqual([])
  })

  it('keeps nothing where nothing can be undone', async () => {
    putFolder(rootFolder, { '/big': '644 one' })
    const disk = createDiskApply({ rootFolder, recordFolder, hashing, keepsDeleted: false })
    await disk.apply([step('/big', large('one', '/big'), null)], contentsOf({}))
    expect([snapshotOf(rootFolder), kept()]).toEqual([{}, []])
  })

  it('puts everything back when it is cancelled after a piece of work', async () => {
    for (let piece = 1; ; piece += 1) {
      rmSync(rootFolder, { recursive: true })
      putFolder(rootFolder, largeChange.before)
      const old = snapshotOf(rootFolder)
      const abort = new AbortController()
      const watch = { signal: abort.signal, onProgress: (done: number) => done === piece && abort.abort() }
      const ended = await create()
        .apply(largeChange.steps, contentsOf(largeChange.contents), watch)
        .catch((error: unknown) => error)
      if (ended === undefined) return expect(piece).toBeGreaterThan(15)
      expect(ended).toMatchObject({ code: 'cancelled' })
      expect([snapshotOf(rootFolder), kept()]).toEqual([old, []])
    }
  })

  const elsewhere = [tmpdir(), '/dev/shm', '/var/tmp'].find((place) => otherDisk(place))
  it.runIf(elsewhere)('keeps a deleted one on another disk, and brings it back from there', async () => {
    recordFolder = join(mkdtempSync(join(String(elsewhere), 'coppice-other-')), 'records')
    try {
      putFolder(rootFolder, largeChange.before)
      const old = snapshotOf(rootFolder)
      await create().apply(largeChange.steps, contentsOf(largeChange.contents))
      expect(kept()).toHaveLength(3)
      await create().apply(inverse(largeChange.steps), contentsOf({ '/small': 'small' }))
      expect([snapshotOf(rootFolder), kept()]).toEqual([old, []])
    } finally {
      rmSync(join(recordFolder, '..'), { recursive: true, force: true })
    }
  })

  it.each<[string, readonly ApplyStep[], Shown]>([
    [
      'deleted',
      [
        step('/a', large('one', '/a'), null),
        step('/b', large('one', '/b'), null),
        step('/c', large('one', '/c'), null),
      ],
      {},
    ],
    [
      'moved, replaced and deleted',
      [
        step('/a', large('one', '/a'), null),
        step('/b', large('one', '/b'), file('small')),
        step('/c', large('one', '/c'), null),
        step('/d/e', null, large('one', '/a')),
      ],
      { '/b': '644 small', '/d': 'folder', '/d/e': '644 one' },
    ],
    [
      'small ones',
      [step('/a', file('one'), file('small')), step('/b', file('one'), null), step('/c', file('one'), file('small'))],
      { '/a': '644 small', '/c': '644 small' },
    ],
  ])('changes several hard links to one file, and undoes it: %s', async (_, steps, wanted) => {
    putFolder(rootFolder, { '/a': '644 one' })
    for (const name of ['b', 'c']) linkSync(join(rootFolder, 'a'), join(rootFolder, name))
    const old = snapshotOf(rootFolder)
    await create().apply(steps, () => Buffer.from('small'))
    expect(snapshotOf(rootFolder)).toEqual(wanted)
    await create().apply(inverse(steps), () => Buffer.from('one'))
    expect([snapshotOf(rootFolder), kept()]).toEqual([old, []])
  })

  it('still sees a write through one hard link while it works on another', async () => {
    putFolder(rootFolder, { '/a': '644 one' })
    linkSync(join(rootFolder, 'a'), join(rootFolder, 'b'))
    const steps = [step('/a', file('one'), null), step('/b', file('one'), null)]
    const onProgress = (done: number) => done === 1 && writeFileSync(join(rootFolder, 'a'), 'two')
    await expect(create().apply(steps, contentsOf({}), { onProgress })).rejects.toMatchObject({ code: 'changed' })
    expect(snapshotOf(rootFolder)['/a']).toBe('644 two')
  })

  it('stops the reading of a file of 100 GB when it is cancelled', async () => {
    putFolder(rootFolder, { '/big': '644 ' })
    truncateSync(join(rootFolder, 'big'), 100e9)
    const abort = new AbortController()
    const deleted = step('/big', { ...large('', '/big'), size: 100e9 }, null)
    const applying = create().apply([deleted], contentsOf({}), { signal: abort.signal })
    abort.abort()
    await expect(applying).rejects.toMatchObject({ code: 'cancelled', message: 'Cancelled: nothing was written.' })
    expect(statSync(join(rootFolder, 'big')).size).toBe(100e9)
  })

  it('keeps its own permissions when only the executable bit changes', async () => {
    putFolder(rootFolder, { '/big': '644 one' })
    chmodSync(join(rootFolder, 'big'), 0o460)
    await create().apply([step('/big', large('one', '/big'), large('one', '/big', true))], contentsOf({}))
    expect(snapshotOf(rootFolder)).toEqual({ '/big': '570 one' })
  })
})

function otherDisk(place: string): boolean {
  try {
    return statSync(place).dev !== statSync(tmpdir()).dev
  } catch {
    return false
  }
}
