import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { sbomOf } from './sbom.ts'
import { mergeLists } from './update-lists.ts'

const { expectSandbox, findPackage } = await import(join(import.meta.dirname, 'install-app.mjs'))

describe('the list of updates of one system', () => {
  const list = (arch: string, version = '1.2.3') => `version: ${version}
files:
  - url: Coppice-${version}-mac-${arch}.zip
    sha512: ${arch}$&==
    size: 5
path: Coppice-${version}-mac-${arch}.zip
sha512: ${arch}$&==
releaseNotes: |
  - files: none
releaseDate: '2030-01-01'
`
  it('has the files of both processors and the rest of the first', () => {
    const merged = parse(mergeLists([list('arm64'), list('x64')]))
    expect(merged.files.map(({ url }: { url: string }) => url)).toEqual([
      'Coppice-1.2.3-mac-arm64.zip',
      'Coppice-1.2.3-mac-x64.zip',
    ])
    expect({ ...merged, files: [] }).toEqual({ ...parse(list('arm64')), files: [] })
    expect(merged.files[1].sha512).toBe('x64$&==')
  })

  it('is not made of different versions', () => {
    expect(() => mergeLists([list('arm64'), list('x64', '1.2.4')])).toThrow('different versions')
  })
})

it('what a release is made of names each package once', () => {
  const react = { name: 'react', version: '19.0.0' }
  const made = JSON.parse(
    sbomOf({ name: 'coppice', version: '1.2.3' }, [react, { name: '@a/b', version: '1.0.0' }, react]),
  )
  expect(made.components.map(({ purl }: { purl: string }) => purl)).toEqual([
    'pkg:npm/%40a/b@1.0.0',
    'pkg:npm/react@19.0.0',
  ])
  expect(made.metadata.component).toMatchObject({ type: 'application', name: 'coppice', version: '1.2.3' })
})

describe('an installed app', () => {
  it('passes only when its doctor says that the sandbox is on', () => {
    expect(() => expectSandbox('ok        Sandbox   on: bubblewrap works')).not.toThrow()
    expect(() => expectSandbox('optional  Sandbox   off: no namespaces')).toThrow('off: no namespaces')
    expect(() => expectSandbox('ok        Node')).toThrow('nothing of a sandbox')
  })

  it('comes from the only package of its kind', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-packages-'))
    expect(() => findPackage(folder, /\.deb$/)).toThrow('0 packages')
    writeFileSync(join(folder, 'Coppice-1.2.3-linux-amd64.deb'), '')
    expect(findPackage(folder, /\.deb$/)).toBe(join(folder, 'Coppice-1.2.3-linux-amd64.deb'))
    writeFileSync(join(folder, 'Coppice-1.2.2-linux-amd64.deb'), '')
    expect(() => findPackage(folder, /\.deb$/)).toThrow('2 packages')
  })
})
