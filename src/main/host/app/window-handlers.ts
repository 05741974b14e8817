import { WireError } from '#shared/contract/wire-errors.ts'
import type { Caller, FrontendWindow } from './frontend-window.ts'
import type { Implementer } from './implementer.ts'

export function windowHandlers({ window: os }: Implementer) {
  return {
    requests: os.requests.handler(async function* ({ context, signal }) {
      yield* windowOf(context).requests(signal ?? new AbortController().signal)
    }),
    showProject: os.showProject.handler(async ({ input, context }) => ({
      isElsewhere: windowOf(context).showProject(input.project),
    })),
    open: os.open.handler(async ({ context }) => windowOf(context).openAnother()),
    notify: os.notify.handler(async ({ input, context }) => windowOf(context).notify(input)),
    showWork: os.showWork.handler(async ({ input, context }) => windowOf(context).showWork(input.share, input.waiting)),
    setTheme: os.setTheme.handler(async ({ input, context }) => windowOf(context).setTheme(input.theme)),
    stay: os.stay.handler(async ({ context }) => windowOf(context).stay()),
    leaveNow: os.leaveNow.handler(async ({ context }) => windowOf(context).leaveNow()),
  }
}

function windowOf({ window }: Caller): FrontendWindow {
  if (!window) throw new WireError('REFUSED', 'This works only in the desktop app.')
  return window
}
