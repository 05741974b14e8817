import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import { projectId } from './primitives.ts'
import type { WindowRequest } from './views/window.ts'

const nothing = type<void>()
const path = z.string().max(4096)

/** What a window and the desktop app say to each other. In a browser, each of these fails as `REFUSED`. */
export const windowDoor = {
  /** What the menu, a notification or another program asks of this window. Never ends on its own. */
  requests: oc.output(eventIterator(type<WindowRequest>())),
  /**
   * Says which project this window is about to show; null for none. When another window shows it, that window comes to
   * the front, and this one must stay as it is.
   */
  showProject: oc
    .input(z.object({ project: z.object({ projectId, path, name: z.string().max(1000) }).nullable() }))
    .output(type<{ readonly isElsewhere: boolean }>()),
  /** Opens another window, on Home. */
  open: oc.output(nothing),
  /**
   * Shows a notification. `canApprove` offers *Approve* beside *Open*, where the system has such buttons. `evenInFront`
   * shows it also while the window is in front, because it is about something else. The answer is a request with the same id.
   */
  notify: oc
    .input(
      z.object({
        id: z.string().min(1).max(200),
        title: z.string().max(200),
        body: z.string().max(500),
        canApprove: z.boolean().default(false),
        evenInFront: z.boolean().default(false),
      }),
    )
    .output(nothing),
  /** The finished share of the work, from 0 to 1, null for none, and how many calls wait for the person. */
  showWork: oc
    .input(z.object({ share: z.number().min(0).max(1).nullable(), waiting: z.int().min(0).max(1_000_000) }))
    .output(nothing),
  /** Shows the frame, the menus and the dialogs of the system in this theme. */
  setTheme: oc.input(z.object({ theme: z.enum(['system', 'light', 'dark']) })).output(nothing),
  /** Takes back that the app quits when no agent works any more. */
  stay: oc.output(nothing),
  /** Stops the agents and quits now. */
  leaveNow: oc.output(nothing),
}
