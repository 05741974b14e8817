import type { Client } from '../state/connection/connection.ts'

/** What a person hears who looks elsewhere, and what happens when they answer. */
export interface Notice {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly onOpen: () => void
  /** Absent for what must be looked at. */
  readonly onApprove?: () => void
}

/** Notifications of the desktop app that a person may still answer. */
const open = new Map<string, Notice>()
const kept = 100

/** Shows a notification while the window has no focus. `client` is that of the desktop app, null in a browser. */
export function showNotice(client: Client | null, notice: Notice): void {
  if (document.hasFocus()) return
  if (client) showInApp(client, notice)
  else showInBrowser(notice)
}

/** A person answered a notification of the desktop app. */
export function answerNotification(id: string, answer: 'open' | 'approve'): void {
  const notice = open.get(id)
  open.delete(id)
  if (answer === 'approve') notice?.onApprove?.()
  else notice?.onOpen()
}

function showInApp(client: Client, notice: Notice): void {
  const { id, title, body, onApprove } = notice
  open.set(id, notice)
  for (const oldest of [...open.keys()].slice(0, Math.max(0, open.size - kept))) open.delete(oldest)
  const told = { id, title: title.slice(0, 200), body: body.slice(0, 500), canApprove: onApprove !== undefined }
  void client.window.notify(told).catch(() => undefined)
}

/** Shows a notification if the browser allows it. It takes no focus until it is clicked. */
function showInBrowser({ id, title, body, onOpen }: Notice): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  const notification = new Notification(title, { body, tag: id })
  notification.addEventListener('click', () => {
    window.focus()
    onOpen()
    notification.close()
  })
}
