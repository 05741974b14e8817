import type { JumpListCategory, MenuItemConstructorOptions } from 'electron'
import type { RecentProject } from '#shared/contract/views/projects.ts'
import type { Electron } from '../electron.ts'

type Recent = Pick<RecentProject, 'path' | 'name'>

interface Acts {
  readonly openFolder: (path: string) => void
  readonly openWindow: () => void
}

/** How many folders a menu of the system shows. */
const shown = 10

/** Lists the recent folders where the system has a place for them: the dock of macOS, the jump list of Windows. */
export function showRecentPlaces(
  { app, Menu }: Electron,
  platform: NodeJS.Platform,
  recent: readonly Recent[],
  acts: Acts,
): void {
  if (platform === 'darwin') app.dock?.setMenu(Menu.buildFromTemplate([...dockTemplate(recent, acts)]))
  if (platform === 'win32') app.setJumpList([...jumpList(recent, process.execPath)])
}

export function dockTemplate(
  recent: readonly Recent[],
  { openFolder, openWindow }: Acts,
): readonly MenuItemConstructorOptions[] {
  return [
    { label: 'New window', click: openWindow },
    { type: 'separator' },
    ...recent.slice(0, shown).map(({ path, name }) => ({ label: name, toolTip: path, click: () => openFolder(path) })),
  ]
}

/** Each entry starts the app a second time with the folder, and the first one opens it. */
export function jumpList(recent: readonly Recent[], program: string): readonly JumpListCategory[] {
  const items = recent.slice(0, shown).map(({ path, name }) => ({
    type: 'task' as const,
    title: name,
    description: path.slice(0, 260),
    program,
    args: quoted(path),
    iconPath: program,
    iconIndex: 0,
  }))
  return items.length === 0 ? [] : [{ type: 'custom', name: 'Recent folders', items }]
}

/** One word of a Windows command line. A backslash before the closing quote would quote it. */
function quoted(path: string): string {
  return `"${path.replace(/\\+$/, (slashes) => slashes + slashes)}"`
}
