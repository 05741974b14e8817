import type { NotificationConstructorOptions } from 'electron'
import type { WindowNotification } from '#host/app/frontend-window.ts'
import type { Electron } from '../electron.ts'
import type { AppWindow } from '../windows/app-windows.ts'
import { showAgain } from '../windows/main-window.ts'

type Answer = 'open' | 'approve'

/** The buttons of a notification, in their order. Linux has none: a click opens. */
function answersOf(
  { canApprove }: Pick<WindowNotification, 'canApprove'>,
  platform: NodeJS.Platform,
): readonly Answer[] {
  if (platform !== 'darwin' && platform !== 'win32') return []
  return canApprove ? ['approve', 'open'] : ['open']
}

const words: Readonly<Record<Answer, string>> = { approve: 'Approve', open: 'Open' }

/**
 * Shows a notification only when nobody looks, unless the window shows other things than the news. The page that asked for it hears
 * the answer and does what its own button would do.
 */
export function notify(
  { Notification }: Electron,
  platform: NodeJS.Platform,
  window: Pick<AppWindow, 'browserWindow' | 'send'>,
  told: WindowNotification,
): void {
  const { browserWindow, send } = window
  if ((browserWindow.isFocused() && !told.evenInFront) || !Notification.isSupported()) return
  const answers = answersOf(told, platform)
  const options: NotificationConstructorOptions = {
    title: told.title,
    body: told.body,
    ...(answers.length > 0 && { actions: answers.map((answer) => ({ type: 'button', text: words[answer] })) }),
  }
  const notification = new Notification(options)
  const answer = (given: Answer): void => {
    // An approval needs no window. It stays where it was.
    if (given === 'open') showAgain(browserWindow)
    send({ type: 'answered', id: told.id, answer: given })
  }
  notification.on('click', () => answer('open'))
  notification.on('action', ({ actionIndex }) => answer(answers[actionIndex] ?? 'open'))
  notification.show()
}
