import type { Client } from '../state/connection/connection.ts'

/** What a person hears who looks elsewhere, and what happens when they answer. */
export interface Notice {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly onOpen: () => void
  /** True when this window shows what it is about, so that a person who looks at the window sees it. */
  readonly isShown: boolean
  /** Absent for what must be looked at. */
  readonly onApprove?: () => void
}

/** Notifications of the desktop app that a person may still answer. */
const open = new Map<string, Notice>()
const kept = 100

/** True when a person who looks at this window does not see by themselves what a notice says. */
export function isOutOfSight({ isShown }: Pick<Notice, 'isShown'>): boolean {
  return !isShown || !document.hasFocus()
}

/** Shows a notification of what is out of sight. `client` is that of the desktop app, null in a browser. */
export function showNotice(client: Client | null, notice: Notice): void {
  if (!isOutOfSight(notice)) return
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
  const { id, title, body, isShown, onApprove } = notice
  open.set(id, notice)
  for (const oldest of [...open.keys()].slice(0, Math.max(0, open.size - kept))) open.delete(oldest)
  const said = { id, title: title.slice(0, 200), body: body.slice(0, 500) }
  const told = { ...said, canApprove: onApprove !== undefined, evenInFront: !isShown }
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
