import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { createLog } from './log-file.ts'

const at = () => new Date(0)
const newFile = () => join(mkdtempSync(join(tmpdir(), 'coppice-log-')), 'logs', 'desktop.log')
beforeEach(() => void vi.spyOn(process.stderr, 'write').mockReturnValue(true))

it('writes each problem with its time, for its person alone', () => {
  const file = newFile()
  createLog(file, at)('It broke', 'because')
  expect(readFileSync(file, 'utf8')).toBe('1970-01-01T00:00:00.000Z It broke: because\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('begins anew when it is large, and keeps the one before', () => {
  const file = newFile()
  const log = createLog(file, at)
  log('first', '')
  writeFileSync(file, 'x'.repeat(1024 * 1024 + 1))
  log('second', '')
  expect([readFileSync(file, 'utf8').length < 100, statSync(`${file}.1`).size]).toEqual([true, 1024 * 1024 + 1])
})

it('never makes a problem worse when it cannot be written', () => {
  const file = newFile()
  mkdirSync(file, { recursive: true })
  expect(() => createLog(file, at)('a', 'b')).not.toThrow()
})
