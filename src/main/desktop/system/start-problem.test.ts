import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { recordElectron } from '../recorded-electron.testkit.ts'
import { followBugs, problemBox, sayProblem } from './start-problem.ts'

const places = { dataFolder: '/data', logFile: '/data/logs/desktop.log' }

it('says why, where the log is, and opens the data folder on request', async () => {
  const { electron, of } = recordElectron({ answers: [0] })
  await sayProblem(electron, 'Coppice cannot start', new Error('The data folder /data is a file.'), places)
  expect(of('showMessageBox')[0]?.[0]).toMatchObject({
    type: 'error',
    message: 'Coppice cannot start',
    detail: expect.stringMatching(/The data folder \/data is a file\.[\s\S]*\/data\/logs\/desktop\.log/),
    buttons: ['Open data folder', 'Quit'],
  })
  expect(of('openPath')).toEqual([['/data']])
})

it('keeps a long error short', () => {
  expect(problemBox('x', new Error('y'.repeat(9_000)), '/log').detail?.length).toBeLessThan(1_200)
})

it('a bug that nobody caught is logged, said once, and ends the app', async () => {
  const { electron, of } = recordElectron({ answers: [1, 1] })
  const process = new EventEmitter()
  const logged: string[] = []
  followBugs(electron, places, (problem) => logged.push(problem), process)
  process.emit('uncaughtException', new Error('one'))
  process.emit('uncaughtException', new Error('two'))
  await expect.poll(() => of('exit')).toEqual([[1]])
  expect([of('showMessageBox').length, logged.length, of('openPath')]).toEqual([1, 2, []])
})

it('a promise that failed unnoticed is logged and does not end the app', () => {
  const { electron, of } = recordElectron()
  const process = new EventEmitter()
  const logged: string[] = []
  followBugs(electron, places, (problem) => logged.push(problem), process)
  process.emit('unhandledRejection', new Error('one'))
  expect([logged.length, of('exit')]).toEqual([1, []])
})
