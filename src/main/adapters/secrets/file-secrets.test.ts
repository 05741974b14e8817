import { mkdtempSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { createFileSecrets } from './file-secrets.ts'

it('keeps a key in a file that only its owner can read, and forgets it', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'coppice-secrets-')), 'key')
  const secrets = createFileSecrets(file)
  expect(await secrets.read(null)).toBeNull()
  await secrets.write(null, 'sk-test')
  expect(await secrets.read(null)).toBe('sk-test')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await secrets.clear(null)
  expect(await secrets.read(null)).toBeNull()
})

it('keeps the keys of profiles apart, whatever their names are', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'coppice-secrets-')), 'key')
  const secrets = createFileSecrets(file)
  const names = [null, 'gate', 'Gate', '../gate', 'ga/te', '..', 'ga te']
  for (const name of names) await secrets.write(name, `key of ${name}`)
  expect(await Promise.all(names.map((name) => secrets.read(name)))).toEqual(names.map((name) => `key of ${name}`))
  await secrets.clear('gate')
  expect([await secrets.read('gate'), await secrets.read('Gate')]).toEqual([null, 'key of Gate'])
  expect(readdirSync(dirname(file))).toHaveLength(names.length - 1)
})
