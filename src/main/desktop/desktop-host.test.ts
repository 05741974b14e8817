import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { desktopHostOptions } from './desktop-host.ts'
import { recordElectron } from './recorded-electron.testkit.ts'

const root = join(import.meta.dirname, '../../..')

async function optionsOf(isPackaged: boolean) {
  const recorded = recordElectron({ isPackaged })
  const dataFolder = mkdtempSync(join(tmpdir(), 'coppice-desktop-'))
  const log = () => undefined
  const start = {
    appRoot: root,
    resources: '/installed',
    dataFolder,
    settingsFile: null,
    logFile: join(dataFolder, 'log'),
    log,
  }
  return { ...recorded, options: await desktopHostOptions(recorded.electron, start, { owner: 'deb' }) }
}

it('children of the app run on a Node of their own, so that Electron need not run as Node', async () => {
  const [inDevelopment, packaged] = [await optionsOf(false), await optionsOf(true)]
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  expect(inDevelopment.options.nodePath).toBe(join(root, 'node_modules/node/bin', name))
  expect(packaged.options.nodePath).toBe(join('/installed', name))
  expect(packaged.options.runnerChildPath).toContain(join('/installed', 'app.asar.unpacked'))
})

it('a folder that the system cannot show is said, and not passed over', async () => {
  const { options, electron } = await optionsOf(false)
  await options.showFolder?.('/data')
  electron.shell.openPath = vi.fn(async () => 'No program shows folders.')
  await expect(options.showFolder?.('/data')).rejects.toThrow('No program shows folders.')
})

it('Electron is pinned exactly, and the wiring was checked against the types of that version', () => {
  const named = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.electron
  const installed = JSON.parse(readFileSync(join(root, 'node_modules/electron/package.json'), 'utf8')).version
  expect(named).toMatch(/^\d+\.\d+\.\d+$/)
  expect(installed).toBe(named)
})
