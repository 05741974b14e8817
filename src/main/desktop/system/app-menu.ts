import type { MenuItemConstructorOptions } from 'electron'
import { listedCommands, type WindowCommand } from '#shared/contract/window-commands.ts'
import type { Electron } from '../electron.ts'

type CommandOfMenu = (typeof listedCommands)[number]
type MenuName = NonNullable<CommandOfMenu['menu']>

/** The native menu: every command of the window with its keys, and the system's own entries. */
export function setAppMenu({ Menu }: Electron, platform: NodeJS.Platform, run: (command: WindowCommand) => void): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate([...menuTemplate(platform, run)]))
}

export function menuTemplate(
  platform: NodeJS.Platform,
  run: (command: WindowCommand) => void,
): readonly MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin'
  const inMac: readonly WindowCommand[] = isMac ? ['about', 'settings', 'checkUpdates'] : []
  const itemOf = (command: CommandOfMenu): MenuItemConstructorOptions => menuItem(command, run)
  const named = (...ids: readonly WindowCommand[]) => listedCommands.filter(({ id }) => ids.includes(id)).map(itemOf)
  const of = (menu: MenuName) =>
    listedCommands.filter((command) => command.menu === menu && !inMac.includes(command.id)).map(itemOf)
  const ends: MenuItemConstructorOptions[] = isMac ? [{ role: 'close' }] : [{ role: 'close' }, { role: 'quit' }]
  return [
    ...(isMac ? [appMenu(named('about'), named('checkUpdates', 'settings'))] : []),
    { label: '&File', submenu: [...of('file'), separator, ...ends] },
    { role: 'editMenu' },
    { label: '&View', submenu: [...of('view'), separator, ...looks] },
    { label: '&Go', submenu: of('go') },
    { label: '&Thread', submenu: of('thread') },
    { role: 'windowMenu' },
    { label: '&Help', role: 'help', submenu: of('help') },
  ]
}

const separator: MenuItemConstructorOptions = { type: 'separator' }

const looks: readonly MenuItemConstructorOptions[] = [
  { role: 'reload' },
  { role: 'resetZoom' },
  { role: 'zoomIn' },
  { role: 'zoomOut' },
  { role: 'togglefullscreen' },
  { role: 'toggleDevTools' },
]

function appMenu(
  about: readonly MenuItemConstructorOptions[],
  others: readonly MenuItemConstructorOptions[],
): MenuItemConstructorOptions {
  return {
    label: 'Coppice',
    submenu: [
      ...about,
      separator,
      ...others,
      separator,
      { role: 'services' },
      separator,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      { role: 'quit' },
    ],
  }
}

/** The page handles the keys of its own commands, so the menu only shows them. */
function menuItem(
  { id, label, keys, isDesktop }: CommandOfMenu,
  run: (command: WindowCommand) => void,
): MenuItemConstructorOptions {
  const accelerator = acceleratorOf(keys)
  return {
    id,
    label,
    click: () => run(id),
    ...(accelerator !== null && { accelerator, registerAccelerator: isDesktop === true }),
  }
}

/** The keys in Electron's notation. Null for keys that mean something else while a person types. */
export function acceleratorOf(keys: string): string | null {
  if (keys === '' || keys === '?' || keys.startsWith('Esc')) return null
  return keys.replace('Mod', 'CommandOrControl').replace('Ctrl', 'Control')
}
