import {
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApplyStep } from '#core/ports/disk-apply.ts'
import { hashing, large, putFolder, snapshotOf, step } from './apply-world.testkit.ts'
import { createDiskApply } from './disk-apply.ts'
import { keptFolderOf } from './large-files.ts'
import { recoverApply } from './restore-apply.ts'

let above: string
let rootFolder: string
let recordFolder: string
let keptFolder: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-large-'))
  rootFolder = join(above, 'root')
  recordFolder = join(above, 'data/records')
  keptFolder = keptFolderOf(recordFolder)
  mkdirSync(rootFolder)
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

const at = (path: string) => join(rootFolder, path)
const kept = () => readdirSync(keptFolder)
const nobody = (): never => {
  throw new Error('Nobody has the content.')
}
const apply = (...steps: readonly ApplyStep[]) =>
  createDiskApply({ rootFolder, recordFolder, hashing }).apply(steps, nobody)
const undo = (...steps: readonly ApplyStep[]) =>
  apply(...steps.map(({ path, before, after }) => step(path, after, before)))
const deletion = step('/big', large('one', '/big'), null)
const refused = {
  code: 'changed',
  message:
    '/big: Its 3 bytes were kept when it was deleted, but another program has changed the kept file since. Nothing was written.',
}

describe('the undo of a deleted large file', () => {
  it('brings its own content back when someone wrote to it through another hard link', async () => {
    putFolder(rootFolder, { '/big': '640 one' })
    linkSync(at('big'), join(above, 'outside'))
    await apply(deletion)
    writeFileSync(join(above, 'outside'), 'two')
    await undo(deletion)
    expect([snapshotOf(rootFolder), kept()]).toEqual([{ '/big': '640 one' }, []])
    expect(readFileSync(join(above, 'outside'), 'utf8')).toBe('two')
  })

  it('is refused when a program that had it open went on writing', async () => {
    putFolder(rootFolder, { '/big': '644 one' })
    const descriptor = openSync(at('big'), 'r+')
    await apply(deletion)
    writeSync(descriptor, 'two', 0)
    closeSync(descriptor)
    await expect(undo(deletion)).rejects.toMatchObject(refused)
    expect([snapshotOf(rootFolder), kept(), readdirSync(recordFolder)]).toEqual([{}, [expect.any(String)], []])
  })

  it('is refused when the kept file is shorter', async () => {
    putFolder(rootFolder, { '/big': '644 one' })
    await apply(deletion)
    truncateSync(join(keptFolder, String(kept()[0])), 1)
    await expect(undo(deletion)).rejects.toMatchObject(refused)
    expect(snapshotOf(rootFolder)).toEqual({})
  })

  it('works after another apply copied the same content from a file that is still there', async () => {
    putFolder(rootFolder, { '/d/big': '644 one', '/twin': '644 one' })
    const first = step('/twin', large('one', '/twin'), null)
    await apply(first)
    await apply(step('/d/copy', null, large('one', '/d/big')))
    expect(kept()).toHaveLength(1)
    await undo(first)
    expect(snapshotOf(rootFolder)).toEqual({
      '/d': 'folder',
      '/d/big': '644 one',
      '/d/copy': '644 one',
      '/twin': '644 one',
    })
    expect(kept()).toEqual([])
  })

  it('works after another apply needed the same content, which nothing else had', async () => {
    putFolder(rootFolder, { '/big': '644 one' })
    await apply(deletion)
    await apply(step('/copy', null, large('one', '/big')))
    await undo(deletion)
    expect([snapshotOf(rootFolder), kept()]).toEqual([{ '/big': '644 one', '/copy': '644 one' }, []])
  })

  it('keeps the files of each path apart', async () => {
    putFolder(rootFolder, { '/big': '644 one', '/twin': '600 one' })
    const twin = step('/twin', large('one', '/twin'), null)
    await apply(deletion)
    await apply(twin)
    await undo(deletion)
    await undo(twin)
    expect([snapshotOf(rootFolder), kept()]).toEqual([{ '/big': '644 one', '/twin': '600 one' }, []])
  })
})

/** A deletion whose copy to another disk was killed in the middle. `half` is the name of what was copied so far. */
function plantHalfCopy(half: (to: string) => string): void {
  const { blob, size } = large('one', '/big')
  const to = `${blob}.0123456789abcdef.id`
  const before = { kind: 'file', blob, offset: 0, size, mode: 0o644, large: true }
  const record = {
    ...{ version: 1, root: rootFolder, made: [], emptied: [], temporary: [] },
    steps: [
      { path: '/big', before, after: null },
      { path: '/other', before: { kind: 'symlink', target: 'x' }, after: null },
    ],
    large: [{ blob, size, from: '/big', temporary: null, to }],
  }
  mkdirSync(join(recordFolder, 'one'), { recursive: true })
  mkdirSync(keptFolder)
  writeFileSync(join(recordFolder, 'one/record.json'), JSON.stringify(record))
  writeFileSync(join(recordFolder, 'one/originals.bin'), '')
  writeFileSync(join(keptFolder, half(to)), 'o')
}

describe('a copy to the kept files that was killed in the middle', () => {
  it.each([
    ['and the original is as it was', 'one', []],
    ['and a person edited the original', 'edited', ['/big']],
  ])('is removed: %s', async (_, text, left) => {
    putFolder(rootFolder, { '/big': `644 ${text}` })
    plantHalfCopy((to) => `${to}.part`)
    expect(await recoverApply({ rootFolder, recordFolder, hashing })).toMatchObject([{ left }])
    expect(readFileSync(at('big'), 'utf8')).toBe(text)
    expect(kept()).toEqual([])
  })

  it('is never taken for the whole file', async () => {
    putFolder(rootFolder, { '/big': '644 edited' })
    plantHalfCopy((to) => to)
    await recoverApply({ rootFolder, recordFolder, hashing })
    rmSync(at('big'))
    await expect(undo(deletion)).rejects.toMatchObject({ code: 'changed' })
    expect(kept().filter((name) => name.startsWith(large('one', '/big').blob))).toEqual([])
  })
})
