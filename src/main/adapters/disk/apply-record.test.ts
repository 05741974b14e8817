import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findRecords } from './apply-record.ts'

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
  ['is cut', JSON.stringify(valid).slice(0, -5)],
  ['is of a newer version', JSON.stringify({ ...valid, version: 2 })],
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
