import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, it } from 'vitest'
import { listedCommands, type WindowCommand } from '#shared/contract/window-commands.ts'
import { acceleratorOf, menuTemplate } from './app-menu.ts'

const itemsIn = (items: readonly MenuItemConstructorOptions[]): readonly MenuItemConstructorOptions[] =>
  items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? itemsIn(item.submenu) : [])])

describe.each(['darwin', 'win32', 'linux'] as const)('the menu of %s', (platform) => {
  it('has every command of the palette once, with its keys, and sends it', () => {
    const sent: WindowCommand[] = []
    const items = itemsIn(menuTemplate(platform, (command) => sent.push(command)))
    for (const { id, label, keys, menu } of listedCommands) {
      const found = items.filter((item) => item.id === id)
      if (menu === null) {
        expect(found, id).toEqual([])
        continue
      }
      expect(
        found.map((item) => [item.label, item.accelerator ?? null]),
        id,
      ).toEqual([[label, acceleratorOf(keys)]])
      found[0]?.click?.({} as never, undefined, {} as never)
      expect(sent.at(-1)).toBe(id)
    }
  })

  it('has the entries that the system expects', () => {
    const roles = itemsIn(menuTemplate(platform, () => undefined)).flatMap(({ role }) => role ?? [])
    expect(roles).toEqual(
      expect.arrayContaining(['editMenu', 'windowMenu', 'help', 'close', 'quit', 'togglefullscreen']),
    )
    expect(roles.includes('hide')).toBe(platform === 'darwin')
  })
})

it('keys of the page are shown and left to the page, those of the app are taken', () => {
  const items = itemsIn(menuTemplate('linux', () => undefined))
  expect(items.find(({ id }) => id === 'palette')).toMatchObject({
    accelerator: 'CommandOrControl+K',
    registerAccelerator: false,
  })
  expect(items.find(({ id }) => id === 'newWindow')).toMatchObject({ registerAccelerator: true })
  expect(['?', 'Esc', 'Esc Esc', ''].map(acceleratorOf)).toEqual([null, null, null, null])
  expect(acceleratorOf('Ctrl+`')).toBe('Control+`')
})
