import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findPackageOwner } from './package-owner.ts'

const resources = (kind?: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-owner-'))
  writeFileSync(join(folder, 'app-update.yml'), '')
  if (kind) writeFileSync(join(folder, 'package-type'), kind)
  return folder
}
const installed = { isPackaged: true, platform: 'linux', appImage: undefined, resources: resources() } as const

it('an app replaces itself unless a package manager owns its files', () => {
  expect(findPackageOwner({ ...installed, platform: 'darwin' })).toBeNull()
  expect(findPackageOwner({ ...installed, platform: 'win32' })).toBeNull()
  expect(findPackageOwner({ ...installed, appImage: '/home/me/Coppice.AppImage' })).toBeNull()
  expect(findPackageOwner({ ...installed, resources: resources('deb\n') })).toBe('deb')
  expect(findPackageOwner({ ...installed, resources: resources('rpm') })).toBe('rpm')
  expect(findPackageOwner(installed)).toBe('deb')
  expect(findPackageOwner({ ...installed, isPackaged: false })).toBe('source')
})

it('a package that somebody made for themselves knows no releases', () => {
  const own = { ...installed, platform: 'darwin', resources: mkdtempSync(join(tmpdir(), 'coppice-owner-')) } as const
  expect(findPackageOwner(own)).toBe('source')
})
