import { expect, it } from 'vitest'
import { recordElectron } from '../recorded-electron.testkit.ts'
import { revivePage } from './page-crashes.ts'

function openPage() {
  const { electron, of, windows } = recordElectron()
  const window = new electron.BrowserWindow({})
  const logged: string[] = []
  let now = 0
  revivePage(
    window,
    (problem, error) => logged.push(`${problem}: ${error}`),
    () => now,
  )
  const contents = windows[0]?.webContents
  const end = (reason = 'crashed') => contents?.emit('render-process-gone', {}, { reason, exitCode: 5 })
  return { of, end, contents, logged, later: (milliseconds: number) => (now += milliseconds) }
}

it('a page that ends is loaded again, and the log says why it ended', () => {
  const { end, contents, logged, of } = openPage()
  end('oom')
  expect([contents?.test.reloads, of('loadURL'), logged]).toEqual([1, [], ['The page of a window ended: oom, code 5']])
})

it('a page that ends again and again makes room for a page without scripts', () => {
  const { end, contents, of } = openPage()
  end()
  end()
  end()
  expect([contents?.test.reloads, of('loadURL')]).toEqual([2, [['app://coppice/stopped.html']]])
})

it('a page that ends now and then is always loaded again, and one that was closed never', () => {
  const { end, contents, later } = openPage()
  for (let at = 0; at < 5; at += 1) {
    end()
    later(60_000)
  }
  end('clean-exit')
  expect(contents?.test.reloads).toBe(5)
})
