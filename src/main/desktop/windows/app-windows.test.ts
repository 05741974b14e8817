import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { WindowRequest } from '#shared/contract/views/window.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { recordElectron } from '../recorded-electron.testkit.ts'
import { type AppWindow, createAppWindows } from './app-windows.ts'

const folder = () => realpathSync(mkdtempSync(join(tmpdir(), 'coppice-windows-')))
const projectAt = (path: string) => ({ projectId: path as ProjectId, path, name: 'a' })

function openWindows() {
  const recorded = recordElectron()
  const seen: string[] = []
  const windows = createAppWindows({
    make: () => new recorded.electron.BrowserWindow({}),
    pickFolder: async () => '/picked',
    notify: () => undefined,
    showWork: (_window, work) => void seen.push(work ? `work ${work.waiting}` : 'closed'),
    setTheme: () => undefined,
    stay: () => undefined,
    leaveNow: () => undefined,
    onProject: ({ path }) => void seen.push(path),
  })
  return { ...recorded, windows, seen }
}

async function firstOf(window: AppWindow | undefined): Promise<WindowRequest | undefined> {
  for await (const request of window?.door.requests(AbortSignal.timeout(5_000)) ?? []) return request
}

describe('the windows of the app', () => {
  it('show a project in one of them: a second one gives way to the first', () => {
    const { windows, of } = openWindows()
    const [first, second] = [windows.open(), windows.open()]
    expect(first.door.showProject(projectAt('/a'))).toBe(false)
    expect(second.door.showProject(projectAt('/a'))).toBe(true)
    expect(of('focus')).toHaveLength(1)
    expect(second.door.showProject(projectAt('/b'))).toBe(false)
    first.door.showProject(null)
    expect(second.door.showProject(projectAt('/a'))).toBe(false)
  })

  it('open a folder in the one that has it, also through a link', () => {
    const {
      windows,
      of,
      windows: { all },
    } = openWindows()
    const path = folder()
    windows.open().door.showProject(projectAt(path))
    windows.openFolder(`${path}/.`)
    expect([all().length, of('focus').length]).toEqual([1, 1])
  })

  it('open a folder in one on Home, else in a new one', async () => {
    const { windows } = openWindows()
    const [busy, home] = [windows.open(), windows.open()]
    busy.door.showProject(projectAt('/busy'))
    const [one, other] = [folder(), folder()]
    windows.openFolder(one)
    expect(await firstOf(home)).toEqual({ type: 'open', path: one })
    windows.openFolder(other)
    expect(windows.all()).toHaveLength(3)
    expect(windows.front()?.door.initialFolder).toBe(other)
  })

  it('do not open a folder twice while it is on its way', () => {
    const { windows } = openWindows()
    const path = folder()
    windows.openFolder(path)
    windows.openFolder(path)
    expect(windows.all()).toHaveLength(1)
  })

  it('take a path that leads nowhere to a window, which says what is wrong', () => {
    const { windows } = openWindows()
    windows.openFolder('/there/is/nothing')
    expect(windows.front()?.door.initialFolder).toBe('/there/is/nothing')
  })

  it('know which one was looked at last, and forget those that were closed', () => {
    const {
      windows,
      windows: { all },
      seen,
    } = openWindows()
    const [first, second] = [windows.open(), windows.open()]
    first.browserWindow.emit('focus')
    expect(windows.front()).toBe(first)
    first.browserWindow.emit('closed')
    expect([windows.front() === second, all().length, seen]).toEqual([true, 1, ['closed']])
    second.browserWindow.emit('closed')
    windows.show()
    expect(all()).toHaveLength(1)
  })

  it('keep what is asked of a page until it reads, and give it to the page that loaded last', async () => {
    const { windows } = openWindows()
    const window = windows.open()
    const before = firstOf(window)
    const after = firstOf(window)
    window.send({ type: 'command', command: 'about' })
    expect([await before, await after]).toEqual([undefined, { type: 'command', command: 'about' }])
  })
})
