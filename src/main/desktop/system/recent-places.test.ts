import { expect, it } from 'vitest'
import { recordElectron } from '../recorded-electron.testkit.ts'
import { dockTemplate, jumpList, showRecentPlaces } from './recent-places.ts'

const recent = [
  { path: '/home/me/app', name: 'app' },
  { path: 'C:\\', name: 'C:\\' },
]

it('the dock lists the recent folders and a new window', () => {
  const opened: string[] = []
  const acts = { openFolder: (path: string) => opened.push(path), openWindow: () => opened.push('new') }
  for (const item of dockTemplate(recent, acts)) item.click?.({} as never, undefined, {} as never)
  expect(opened).toEqual(['new', '/home/me/app', 'C:\\'])
})

it('the jump list starts the app with the folder as one word, also one that ends with a backslash', () => {
  const [category] = jumpList(recent, 'C:\\coppice.exe')
  expect(category?.items?.map(({ program, args }) => [program, args])).toEqual([
    ['C:\\coppice.exe', '"/home/me/app"'],
    ['C:\\coppice.exe', '"C:\\\\"'],
  ])
  expect(jumpList([], 'x')).toEqual([])
})

it.each([
  ['darwin', 1, 0],
  ['win32', 0, 1],
  ['linux', 0, 0],
] as const)('%s has its own place for them', (platform, docks, lists) => {
  const { electron, of } = recordElectron()
  showRecentPlaces(electron, platform, recent, { openFolder: () => undefined, openWindow: () => undefined })
  expect([of('dock.setMenu').length, of('setJumpList').length]).toEqual([docks, lists])
})
