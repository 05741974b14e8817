import { describe, expect, it } from 'vitest'
import type { WindowRequest } from '#shared/contract/views/window.ts'
import { recordElectron } from '../recorded-electron.testkit.ts'
import { createLeaving, followClosing, followEnds, quitQuestion } from './leave.ts'

const finish = 0
const stop = 1
const cancel = 2

function openApp(working: number, answers: readonly number[] = [], platform: NodeJS.Platform = 'linux') {
  const recorded = recordElectron({ answers })
  const { electron, surface } = recorded
  const told: WindowRequest[] = []
  const steps: string[] = []
  const world = { working }
  const ticking = new Set<() => void>()
  const browserWindow = new electron.BrowserWindow({})
  const window = { browserWindow, send: (request: WindowRequest) => told.push(request), door: {} as never }
  const leaving = createLeaving(electron, {
    windows: { all: () => [window], front: () => window },
    working: () => world.working,
    store: async () => void steps.push('stored'),
    every(_milliseconds, act) {
      ticking.add(act)
      return { [Symbol.dispose]: () => void ticking.delete(act) }
    },
    log: (problem) => steps.push(problem),
  })
  followEnds(electron, platform, leaving)
  followClosing(browserWindow, platform, leaving, () => true)
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    ...recorded,
    told,
    steps,
    world,
    ticking,
    leaving,
    settle,
    /** True when the app may end. */
    async quit(): Promise<boolean> {
      let stopped = false
      surface.app.emit('before-quit', { preventDefault: () => (stopped = true) })
      await settle()
      return !stopped
    },
    async close(): Promise<boolean> {
      let stopped = false
      browserWindow.emit('close', { preventDefault: () => (stopped = true) } as never)
      await settle()
      return !stopped
    },
    tick() {
      for (const act of [...ticking]) act()
    },
  }
}

describe('quitting', () => {
  it('without agents at work stores everything, asks nothing and ends', async () => {
    const app = openApp(0)
    expect(await app.quit()).toBe(false)
    expect([app.steps, app.of('showMessageBox'), app.of('quit').length]).toEqual([['stored'], [], 1])
    expect(await app.quit()).toBe(true)
  })

  it('with agents at work asks, and goes on when the person cancels', async () => {
    const app = openApp(2, [cancel])
    await app.quit()
    expect([app.of('showMessageBox').length, app.of('quit'), app.steps]).toEqual([1, [], []])
    expect(app.leaving.isHere()).toBe(true)
  })

  it('with "Stop and quit" stores what they did and ends', async () => {
    const app = openApp(2, [stop])
    await app.quit()
    expect([app.steps, app.of('quit').length]).toEqual([['stored'], 1])
  })

  it('with "Let them finish" says so in the window and ends by itself', async () => {
    const app = openApp(2, [finish])
    await app.quit()
    app.world.working = 1
    app.tick()
    expect(app.told).toEqual([
      { type: 'leaving', working: 2 },
      { type: 'leaving', working: 1 },
    ])
    expect(app.of('quit')).toEqual([])
    app.world.working = 0
    app.tick()
    await app.settle()
    expect([app.steps, app.of('quit').length, app.ticking.size]).toEqual([['stored'], 1, 0])
  })

  it('can be taken back while the agents finish', async () => {
    const app = openApp(2, [finish])
    await app.quit()
    app.leaving.stay()
    app.world.working = 0
    app.tick()
    expect([app.told.at(-1), app.of('quit'), app.ticking.size]).toEqual([{ type: 'leaving', working: null }, [], 0])
  })

  it('asks once while the question is open', async () => {
    const app = openApp(1, [cancel])
    await Promise.all([app.quit(), app.quit()])
    expect(app.of('showMessageBox')).toHaveLength(1)
  })

  it('ends even when not everything could be stored', async () => {
    const { electron, of } = recordElectron()
    const logged: string[] = []
    const leaving = createLeaving(electron, {
      windows: { all: () => [], front: () => undefined },
      working: () => 0,
      store: () => Promise.reject(new Error('disk')),
      every: () => ({ [Symbol.dispose]: () => undefined }),
      log: (problem) => logged.push(problem),
    })
    await leaving.quit()
    expect([of('quit').length, logged]).toEqual([1, ['Not everything was stored before the end']])
  })
})

describe('the end of the system', () => {
  it('stores and ends without a question', async () => {
    const app = openApp(3)
    let stopped = false
    app.surface.powerMonitor.emit('shutdown', { preventDefault: () => (stopped = true) })
    expect(stopped).toBe(true)
    await app.settle()
    expect([app.of('showMessageBox'), app.steps, app.of('quit').length]).toEqual([[], ['stored'], 1])
  })

  it('on Windows comes to the window, and does the same', async () => {
    const app = openApp(3, [], 'win32')
    let stopped = false
    app.windows[0]?.emit('query-session-end', { preventDefault: () => (stopped = true) })
    app.windows[0]?.emit('session-end', {})
    expect(stopped).toBe(true)
    await app.settle()
    expect([app.of('showMessageBox'), app.steps]).toEqual([[], ['stored']])
  })
})

describe('closing the last window', () => {
  it('quits on Windows and Linux, and asks while the window is still there', async () => {
    const app = openApp(1, [cancel])
    expect(await app.close()).toBe(false)
    expect(app.of('showMessageBox')).toHaveLength(1)
  })

  it('leaves the app running on macOS, with its agents', async () => {
    const app = openApp(1, [], 'darwin')
    expect(await app.close()).toBe(true)
    app.surface.app.emit('window-all-closed')
    expect([app.of('showMessageBox'), app.of('quit'), app.steps]).toEqual([[], [], []])
  })
})

it('the question says how many agents work, and its way out changes nothing', () => {
  expect(quitQuestion(1).message).toBe('An agent is at work.')
  expect(quitQuestion(3)).toMatchObject({
    message: '3 agents are at work.',
    buttons: ['Let them finish', 'Stop and quit', 'Cancel'],
    cancelId: cancel,
    defaultId: finish,
  })
})
