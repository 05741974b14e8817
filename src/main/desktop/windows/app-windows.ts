import { realpathSync } from 'node:fs'
import type { BrowserWindow } from 'electron'
import type { FrontendWindow, ShownProject, WindowNotification } from '#host/app/frontend-window.ts'
import type { WindowRequest } from '#shared/contract/views/window.ts'
import { showAgain } from './main-window.ts'
import { createRequestQueue } from './window-requests.ts'

/** One window of the app. */
export interface AppWindow {
  readonly browserWindow: BrowserWindow
  readonly door: FrontendWindow
  send(request: WindowRequest): void
}

/** The windows of the app. Each project is shown by at most one of them. */
export interface AppWindows {
  all(): readonly AppWindow[]
  /** The window that a person looks at or looked at last; undefined when none is open. */
  front(): AppWindow | undefined
  /** Opens a window, on Home or with a folder. */
  open(folder?: string | null): AppWindow
  /** Shows a folder: in the window that has it, else in a window on Home, else in a new one. */
  openFolder(path: string): void
  /** Brings the app to the front, with a window if there is none. */
  show(): void
}

/** What the app does for its windows. */
export interface WindowServices {
  /** Makes the system's window. `others` are open. */
  readonly make: (others: number) => BrowserWindow
  readonly pickFolder: (window: BrowserWindow) => Promise<string | null>
  readonly notify: (window: AppWindow, notification: WindowNotification) => void
  /** `share` and `waiting` of one window; null when it was closed. */
  readonly showWork: (
    window: BrowserWindow,
    work: { readonly share: number | null; readonly waiting: number } | null,
  ) => void
  readonly setTheme: FrontendWindow['setTheme']
  readonly stay: () => void
  readonly leaveNow: () => void
  /** A window shows another project. */
  readonly onProject: (project: ShownProject) => void
}

interface OpenWindow extends AppWindow {
  project: ShownProject | null
  /** A folder that it was asked to open and does not show yet. */
  expected: string | null
}

export function createAppWindows(services: WindowServices): AppWindows {
  /** The one that was looked at last comes last. */
  let windows: readonly OpenWindow[] = []
  const withProject = (projectId: string): OpenWindow | undefined =>
    windows.find(({ project }) => project?.projectId === projectId)

  function open(folder: string | null = null): AppWindow {
    const browserWindow = services.make(windows.length)
    const queue = createRequestQueue()
    const opened: OpenWindow = {
      browserWindow,
      project: null,
      expected: folder,
      send: queue.send,
      door: {
        initialFolder: folder,
        pickFolder: () => services.pickFolder(browserWindow),
        requests: queue.read,
        showProject: (project) => showProject(opened, project),
        openAnother: () => void open(),
        notify: (notification) => services.notify(opened, notification),
        showWork: (share, waiting) => services.showWork(browserWindow, { share, waiting }),
        setTheme: services.setTheme,
        stay: services.stay,
        leaveNow: services.leaveNow,
      },
    }
    windows = [...windows, opened]
    browserWindow.on('focus', () => {
      windows = [...windows.filter((one) => one !== opened), opened]
    })
    browserWindow.on('closed', () => {
      windows = windows.filter((one) => one !== opened)
      services.showWork(browserWindow, null)
    })
    return opened
  }

  function showProject(shower: OpenWindow, project: ShownProject | null): boolean {
    shower.expected = null
    const other = project && withProject(project.projectId)
    if (other && other !== shower) {
      showAgain(other.browserWindow)
      return true
    }
    shower.project = project
    if (project) services.onProject(project)
    return false
  }

  function openFolder(path: string): void {
    const real = realPath(path)
    const shows = windows.find(({ project, expected }) => real === (project ? project.path : expected))
    if (shows) {
      showAgain(shows.browserWindow)
      return
    }
    const onHome = windows.findLast(({ project, expected }) => project === null && expected === null)
    if (!onHome) return void open(real)
    onHome.expected = real
    onHome.send({ type: 'open', path: real })
    showAgain(onHome.browserWindow)
  }

  return {
    all: () => windows,
    front: () => windows.at(-1),
    open,
    openFolder,
    show() {
      const front = windows.at(-1) ?? open()
      showAgain(front.browserWindow)
    },
  }
}

/** Projects are known by their real path. A path that leads nowhere stays, and the window says what is wrong. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
