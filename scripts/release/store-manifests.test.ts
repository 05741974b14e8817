import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { writeCask, writeWinget } from './store-manifests.ts'

const files = ['mac-arm64.dmg', 'mac-x64.dmg', 'win-x64.exe', 'win-arm64.exe'].map((end) => `Coppice-1.2.3-${end}`)
const digest = (index: number) => String(index).repeat(64)
const release = {
  version: '1.2.3',
  repository: 'someone/coppice',
  checksums: files.map((file, index) => `${digest(index)}  ${file}\n`).join(''),
}

it('writes a cask that names both images of macOS with their digests', () => {
  const cask = writeCask(release)
  expect(cask).toContain(`sha256 arm:   "${digest(0)}",\n         intel: "${digest(1)}"`)
  expect(cask).toContain('https://github.com/someone/coppice/releases/download/v#{version}/')
})

it('writes a winget manifest that names both installers with their digests', () => {
  const manifest = writeWinget(release)
  const installer = parse(manifest['someone.Coppice.installer.yaml'] ?? '')
  expect(installer.Installers.map((one: { InstallerSha256: string }) => one.InstallerSha256)).toEqual([
    digest(2),
    digest(3),
  ])
  expect(Object.values(manifest).map((text) => parse(text).PackageVersion)).toEqual(['1.2.3', '1.2.3', '1.2.3'])
})

it('refuses a release that lacks a file', () => {
  expect(() => writeCask({ ...release, checksums: '' })).toThrow('SHA256SUMS has no Coppice-1.2.3-mac-arm64.dmg')
})
