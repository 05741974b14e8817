import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createKeyStore } from './key-store.ts'
import { recordElectron } from './recorded-electron.testkit.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-desktop-'))

describe('the key store', () => {
  it('keeps a key encrypted, in a file of its owner', async () => {
    const file = join(folder(), 'b/key')
    const store = await createKeyStore(recordElectron().electron, file, 'darwin')
    expect([store.storage, await store.read(null)]).toEqual(['system', null])
    await store.write(null, 'sk-secret')
    expect(readFileSync(file, 'utf8')).toBe('sealed:sk-secret')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await store.read(null)).toBe('sk-secret')
    await store.clear(null)
    expect(await store.read(null)).toBeNull()
  })

  it('reports the plain-text backend as plain, so that a person is asked', async () => {
    const plain = recordElectron({ backend: 'basic_text' }).electron
    expect((await createKeyStore(plain, join(folder(), 'key'), 'linux')).storage).toBe('plain')
    const none = recordElectron({ encryption: false }).electron
    expect((await createKeyStore(none, join(folder(), 'key'), 'linux')).storage).toBe('none')
  })
})
