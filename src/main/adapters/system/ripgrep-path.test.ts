import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { outsideArchive, ripgrepPath } from './ripgrep-path.ts'

it('finds the ripgrep of this system', () => {
  const path = ripgrepPath()
  expect(path !== null && existsSync(path)).toBe(true)
})

it.each([
  ['/opt/Coppice/resources/app.asar/node_modules/x/rg', '/opt/Coppice/resources/app.asar.unpacked/node_modules/x/rg'],
  [
    'C:\\Coppice\\resources\\app.asar\\node_modules\\rg.exe',
    'C:\\Coppice\\resources\\app.asar.unpacked\\node_modules\\rg.exe',
  ],
  [
    '/opt/Coppice/resources/app.asar.unpacked/node_modules/x/rg',
    '/opt/Coppice/resources/app.asar.unpacked/node_modules/x/rg',
  ],
])('names the file beside the archive for %s', (shown, real) => {
  expect(outsideArchive(shown)).toBe(real)
})
