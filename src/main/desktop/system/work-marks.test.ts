import { expect, it } from 'vitest'
import { recordElectron } from '../recorded-electron.testkit.ts'
import { createWorkMarks, dot } from './work-marks.ts'

it('each window has its own progress, and the badge counts what waits in all of them', () => {
  const { electron, of } = recordElectron()
  const show = createWorkMarks(electron, 'darwin')
  const [one, other] = [new electron.BrowserWindow({}), new electron.BrowserWindow({})]
  show(one, { share: 0.5, waiting: 2 })
  show(other, { share: null, waiting: 1 })
  show(one, null)
  expect(of('setProgressBar')).toEqual([[0.5], [-1]])
  expect(of('setBadgeCount')).toEqual([[2], [3], [1]])
  expect(of('setOverlayIcon')).toEqual([])
})

it('Windows shows a mark on the button of the window, and takes it away', () => {
  const { electron, of } = recordElectron()
  const show = createWorkMarks(electron, 'win32')
  const window = new electron.BrowserWindow({})
  show(window, { share: null, waiting: 2 })
  show(window, { share: null, waiting: 0 })
  expect(of('setOverlayIcon')).toEqual([
    ['mark', '2 waiting for you'],
    [null, ''],
  ])
})

it('the mark is round: opaque in the middle and clear at the corners', () => {
  const pixels = dot(16)
  const opacityAt = (x: number, y: number) => pixels[(y * 16 + x) * 4 + 3]
  expect([pixels.length, opacityAt(8, 8), opacityAt(0, 0), opacityAt(15, 15)]).toEqual([1024, 255, 0, 0])
})
