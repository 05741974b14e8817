import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRegistry } from './registry.ts'

// Mutation: read the file without bounds, and a device fills the memory until the system ends the app.
it.skipIf(process.platform === 'win32').each<[string, (file: string) => void]>([
  ['a device without an end', (file) => symlinkSync('/dev/zero', file)],
  ['a pipe', (file) => void execFileSync('mkfifo', [file])],
  ['a folder', (file) => mkdirSync(file)],
  ['a text', (file) => writeFileSync(file, '{')],
  ['a list', (file) => writeFileSync(file, '[1]')],
])('trusts nothing when its file is %s, and is written anew', (_what, put) => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-registry-'))
  const file = join(folder, 'projects.json')
  put(file)
  const registry = createRegistry(file, () => 0)
  expect(registry.isTrusted('/p')).toBe(false)
  rmSync(file, { recursive: true })
  registry.setTrusted('/p', true)
  expect(createRegistry(file, () => 0).isTrusted('/p')).toBe(true)
  rmSync(folder, { recursive: true })
})
