import type { WindowRequest } from '#shared/contract/views/window.ts'
import type { ProjectId } from '#shared/model/ids.ts'

export interface ShownProject {
  readonly projectId: ProjectId
  /** Absolute; empty for a scratch project. */
  readonly path: string
  readonly name: string
}

export interface WindowNotification {
  /** Comes back with the answer. */
  readonly id: string
  readonly title: string
  readonly body: string
  /** Offers *Approve*, where the system has such buttons. */
  readonly canApprove: boolean
  /** Shown also while its window is in front, because that shows something else. */
  readonly evenInFront: boolean
}

/** One window of a frontend that has windows of its own: what it can do, and what is asked of it. */
export interface FrontendWindow {
  /** The folder that the window opens first; null for none. */
  readonly initialFolder: string | null
  /** The system's own folder dialog; null when it was cancelled. */
  pickFolder(): Promise<string | null>
  /** Ends with the signal. */
  requests(signal: AbortSignal): AsyncIterable<WindowRequest>
  /** True when another window shows the project. That window comes to the front. */
  showProject(project: ShownProject | null): boolean
  openAnother(): void
  notify(notification: WindowNotification): void
  /** `share` from 0 to 1, null for no progress; `waiting` calls wait for the person. */
  showWork(share: number | null, waiting: number): void
  setTheme(theme: 'system' | 'light' | 'dark'): void
  stay(): void
  leaveNow(): void
}

/** Who calls a command. A browser and the command line are no windows of the app. */
export interface Caller {
  readonly window?: FrontendWindow
}
