import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFileSecrets } from './file-secrets.ts'

it('keeps a key in a file that only its owner can read, and forgets it', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'coppice-secrets-')), 'key')
  const secrets = createFileSecrets(file)
  expect(await secrets.read()).toBeNull()
  await secrets.write('sk-test')
  expect(await secrets.read()).toBe('sk-test')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await secrets.clear()
  expect(await secrets.read()).toBeNull()
})
