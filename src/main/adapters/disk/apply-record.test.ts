import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findRecords } from './apply-record.ts'
import { file, hashing, large, putFolder, step } from './apply-world.testkit.ts'
import { createDiskApply } from './disk-apply.ts'

const valid = { version: 1, root: '/project', steps: [], made: [], emptied: [], temporary: [] }

async function found(record: string) {
  const recordFolder = mkdtempSync(join(tmpdir(), 'coppice-record-'))
  mkdirSync(join(recordFolder, 'one'))
  writeFileSync(join(recordFolder, 'one/record.json'), record)
  writeFileSync(join(recordFolder, 'one/originals.bin'), 'what was replaced')
  const damaged: string[] = []
  const records = await findRecords(recordFolder, (folder) => damaged.push(folder))
  return { recordFolder, records, damaged }
}

it('finds a record of this version', async () => {
  const { records, damaged } = await found(JSON.stringify(valid))
  expect([records.map(({ record }) => record), damaged]).toEqual([[valid], []])
})

it.each([
  ['shorter', (folder: string) => truncateSync(join(folder, 'originals.bin'), 1)],
  ['overwritten', (folder: string) => writeFileSync(join(folder, 'originals.bin'), 'xxx')],
  ['gone', (folder: string) => rmSync(join(folder, 'originals.bin'))],
])('never writes other bytes than the old ones: when they are %s, it names the path', async (_, damage) => {
  const place = mkdtempSync(join(tmpdir(), 'coppice-record-'))
  const [rootFolder, recordFolder] = [join(place, 'root'), join(place, 'records')]
  putFolder(rootFolder, { '/a': '644 one', '/b': '644 two' })
  const onProgress = (done: number) => {
    if (done < 2) return
    damage(join(recordFolder, String(readdirSync(recordFolder)[0])))
    throw new Error('It stops here')
  }
  const steps = [step('/a', file('one'), file('ONE')), step('/b', file('two'), null)]
  const applying = createDiskApply({ rootFolder, recordFolder, hashing }).apply(steps, () => Buffer.from('ONE'), {
    onProgress,
  })
  await expect(applying).rejects.toMatchObject({ left: expect.arrayContaining(['/b']) })
  expect(['one', 'ONE']).toContain(readFileSync(join(rootFolder, 'a'), 'utf8'))
  expect(existsSync(join(rootFolder, 'b'))).toBe(false)
  await createDiskApply({ rootFolder, recordFolder, hashing }).apply([], () => Buffer.from(''))
})

it('gives a record with large files a version that earlier apps set aside', async () => {
  const place = mkdtempSync(join(tmpdir(), 'coppice-record-'))
  const [rootFolder, recordFolder] = [join(place, 'root'), join(place, 'records')]
  putFolder(rootFolder, { '/a': '644 one', '/b': '644 two' })
  const versions: unknown[] = []
  const onProgress = () => {
    const [name] = readdirSync(recordFolder)
    versions.push(JSON.parse(readFileSync(join(recordFolder, String(name), 'record.json'), 'utf8')).version)
  }
  const disk = createDiskApply({ rootFolder, recordFolder, hashing })
  for (const one of [step('/a', large('one', '/a'), null), step('/b', file('two'), null)])
    await disk.apply([one], () => Buffer.from(''), { onProgress })
  expect(versions).toEqual([2, 1])
})

it.each([
  ['is cut', JSON.stringify(valid).slice(0, -5)],
  ['is of a newer version', JSON.stringify({ ...valid, version: 3 })],
  ['has a step without a path', JSON.stringify({ ...valid, steps: [{ before: null, after: null }] })],
  ['is not an object', '"record"'],
])('sets a record aside that %s, keeps its originals and names its place', async (_, record) => {
  const { recordFolder, records, damaged } = await found(record)
  const place = join(recordFolder, 'one.damaged')
  expect([records, damaged]).toEqual([[], [place]])
  expect(readFileSync(join(place, 'originals.bin'), 'utf8')).toBe('what was replaced')
  expect(existsSync(join(recordFolder, 'one'))).toBe(false)
  expect(await findRecords(recordFolder, (folder) => damaged.push(folder))).toEqual([])
  expect(damaged).toEqual([place])
})
