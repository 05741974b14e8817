import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { parseDesktopArguments, wordsOf } from './arguments.ts'

it('reads the folder from where the app was started, and passes over words of Chromium', () => {
  const words = ['--original-process-start-time=13', 'app', '--no-sandbox', '--data-dir', '/data', '--disable-gpu']
  expect(parseDesktopArguments(words, '/home/me')).toEqual({
    folder: resolve('/home/me/app'),
    dataFolder: '/data',
    settingsFile: null,
    isGpuOff: true,
  })
  expect(parseDesktopArguments([], '/home/me').folder).toBeNull()
})

it('leaves out the program, and in development the app', () => {
  expect(wordsOf(['coppice', '/a'], true)).toEqual(['/a'])
  expect(wordsOf(['electron', '.', '/a'], false)).toEqual(['/a'])
})
