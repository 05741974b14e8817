import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { emptySetupRecord, type SetupRecord } from '#core/ports/stores/setup-records.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { createSetupRecords } from './setup-records.ts'

function open() {
  const above = mkdtempSync(join(tmpdir(), 'coppice-setup-'))
  onTestFinished(() => rmSync(above, { recursive: true }))
  return { folder: join(above, 'setup'), records: createSetupRecords(join(above, 'setup')) }
}

const record: SetupRecord = {
  base: {
    key: 'key',
    layers: ['layer' as LayerId],
    state: { kind: 'ready', command: 'make', at: 1, durationMs: 2, bytes: 3, dropped: ['/a'], droppedCount: 1 },
  },
  earlier: [['older' as LayerId]],
  failure: {
    key: 'other',
    state: { kind: 'failed', command: 'make', at: 4, isCancelled: true, reason: 'It was cancelled.', lines: ['no'] },
  },
}

it('keeps the record and the output of a project, for its owner alone', () => {
  const { folder, records } = open()
  expect([records.read(), records.readOutput()]).toEqual([emptySetupRecord, ''])
  records.write(record)
  records.writeOutput('made\n')
  const again = createSetupRecords(folder)
  expect([again.read(), again.readOutput()]).toEqual([record, 'made\n'])
  expect(statSync(join(folder, 'setup.json')).mode & 0o077).toBe(0)
})

it('counts a damaged record as none, and ignores one that a kill left half written', () => {
  const { folder, records } = open()
  records.write(record)
  writeFileSync(join(folder, 'setup.json.new'), '{"base":')
  expect(records.read()).toEqual(record)
  writeFileSync(join(folder, 'setup.json'), '{"base": {"key": 1}}')
  expect(records.read()).toEqual(emptySetupRecord)
})
