import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { examineDataFolder, networkNameOf } from './data-folder-check.ts'

it('accepts a folder that it can make and write', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'coppice-data-')), 'new')
  expect(await examineDataFolder(folder)).toEqual({ name: 'Data folder', state: 'ok', detail: folder })
})

it('names the folder that cannot be made, and says what to do', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'coppice-data-')), 'file')
  writeFileSync(file, '')
  const { state, detail } = await examineDataFolder(join(file, 'data'))
  expect([state, detail]).toEqual(['broken', expect.stringContaining('--data-dir')])
})

it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('says that a folder is not writable', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-data-'))
  chmodSync(folder, 0o500)
  expect((await examineDataFolder(folder)).state).toBe('broken')
})

it('knows network shares by the number of their file system', () => {
  expect([0x6969, 0xff534d42 | 0, 0xef53].map(networkNameOf)).toEqual(['NFS', 'CIFS', undefined])
})
