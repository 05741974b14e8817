import type { WindowCommand } from '../window-commands.ts'

/** What the desktop app asks of one of its windows. */
export type WindowRequest =
  | { readonly type: 'command'; readonly command: WindowCommand }
  /** Open this folder as if the person had chosen it in the window. Absolute path. */
  | { readonly type: 'open'; readonly path: string }
  /** A person answered a notification of this window. */
  | { readonly type: 'answered'; readonly id: string; readonly answer: 'open' | 'approve' }
  /** The app quits by itself when no agent works any more. Null when it does not. */
  | { readonly type: 'leaving'; readonly working: number | null }
