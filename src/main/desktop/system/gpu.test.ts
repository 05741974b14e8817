import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { recordElectron } from '../recorded-electron.testkit.ts'
import { chooseGpu, followProcesses } from './gpu.ts'

const newFile = () => join(mkdtempSync(join(tmpdir(), 'coppice-gpu-')), 'gpu-failed')
const isOffWith = (choice: Partial<Parameters<typeof chooseGpu>[1]>) => {
  const { electron, of } = recordElectron()
  chooseGpu(electron, { isOff: false, setting: 'auto', file: newFile(), version: '1.0.0', ...choice })
  return of('disableHardwareAcceleration').length === 1
}

it('the graphics card is off by the flag and by the setting, and else on', () => {
  expect([isOffWith({}), isOffWith({ isOff: true }), isOffWith({ setting: 'off' })]).toEqual([false, true, true])
})

it('a card that failed several times is off from the next start on, until a new version tries it again', () => {
  const { electron, surface } = recordElectron()
  const file = newFile()
  const logged: string[] = []
  followProcesses(electron, { file, version: '1.0.0' }, (problem) => logged.push(problem))
  const end = (type: string, reason: string) =>
    surface.app.emit('child-process-gone', {}, { type, reason, exitCode: 1 })
  end('GPU', 'crashed')
  end('GPU', 'crashed')
  end('Utility', 'crashed')
  expect(isOffWith({ file })).toBe(false)
  end('GPU', 'crashed')
  expect(readFileSync(file, 'utf8')).toBe('1.0.0\n')
  expect([isOffWith({ file }), isOffWith({ file, version: '1.1.0' })]).toEqual([true, false])
  expect(logged).toHaveLength(5)
})

it('a process that ended as it should is not logged', () => {
  const { electron, surface } = recordElectron()
  const logged: string[] = []
  followProcesses(electron, { file: newFile(), version: '1' }, (problem) => logged.push(problem))
  surface.app.emit('child-process-gone', {}, { type: 'GPU', reason: 'clean-exit', exitCode: 0 })
  expect(logged).toEqual([])
})

it('an unreadable mark does not keep the app from starting with the card', () => {
  const file = newFile()
  writeFileSync(file, '\0')
  expect(isOffWith({ file })).toBe(false)
})

it('a mark that can be neither read nor written is passed over', () => {
  const file = newFile()
  mkdirSync(file)
  expect(isOffWith({ file })).toBe(false)
  const { electron, surface } = recordElectron()
  const logged: string[] = []
  followProcesses(electron, { file, version: '1' }, (problem) => logged.push(problem))
  for (let times = 0; times < 3; times += 1)
    surface.app.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed', exitCode: 1 })
  expect(logged.at(-1)).toBe('That the graphics card failed was not remembered')
})
