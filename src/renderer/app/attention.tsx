import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { useApp, useAppList, useAppSlowly, useClient, useSession } from '../state/hooks/hooks.tsx'
import { readNotifications } from '../state/preferences/notifications.ts'
import { type AgentProgress, agentProgress } from '../state/store/agent-progress.ts'
import { activeRoot, openInterrupts, rootThreads, waitingCalls } from '../state/store/selectors.ts'
import { showApproval, showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'

const labels = strings.shell.attention
const shellLabels = strings.shell
const ended: ReadonlySet<ThreadState['status']> = new Set(['done', 'failed', 'stopped'])

/**
 * Tells a person who looks elsewhere that something waits for them, or how far the agents are. The title shows
 * numbers, and notifications appear if they are allowed.
 */
export function useAttention(): void {
  useTitle()
  useNeedsYou()
  useEnds()
}

function useTitle(): void {
  const waiting = useApp((state) => waitingCalls(state).length)
  const projectName = useApp((state) => state.projectInfo?.name ?? '')
  // As a text, because a new object would draw the whole app again.
  const progress = useAppSlowly((state) => progressText(agentProgress(state.project)))
  useProgressBar(progress)
  useEffect(() => {
    document.title = projectName === '' ? 'Coppice' : labels.title(waiting, progress, projectName)
    // Only an installed app, such as the desktop one, has a badge.
    if ('setAppBadge' in navigator) void navigator.setAppBadge(waiting).catch(() => undefined)
  }, [waiting, progress, projectName])
}

/** Empty for no progress. */
function progressText(progress: AgentProgress | null): string {
  return progress ? `${progress.done}/${progress.total}` : ''
}

/** Shows the progress in the task bar of the desktop app. */
function useProgressBar(progress: string): void {
  const client = useClient()
  const isDesktop = useApp((state) => state.info?.shell === 'desktop')
  useEffect(() => {
    if (!isDesktop) return
    const [done = 0, total = 0] = progress.split('/').map(Number)
    void client.app.showProgress({ share: total > 0 ? done / total : null }).catch(() => undefined)
  }, [client, isDesktop, progress])
}

function useNeedsYou(): void {
  const { updateUi } = useSession()
  const interrupts = useAppList(openInterrupts)
  const notify = useNotify()
  const known = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    const before = known.current
    known.current = new Set(interrupts.map(({ id }) => id))
    if (before === null || !readNotifications(localStorage).needsYou) return
    for (const { id, agent, threadId, action_requests } of interrupts.filter((one) => !before.has(one.id))) {
      const tools = action_requests.map(({ name }) => name).join(', ')
      notify(labels.needsYou(agent), tools, id, () => {
        const [first] = action_requests
        if (first) updateUi((ui) => showApproval(ui, threadId, first.callId))
      })
    }
  }, [interrupts, notify, updateUi])
}

function useEnds(): void {
  const { updateUi } = useSession()
  const notify = useNotify()
  const threads = useAppList(rootThreads)
  const known = useRef<ReadonlyMap<string, ThreadState['status']>>(new Map())
  useEffect(() => {
    const before = known.current
    known.current = new Map(threads.map(({ id, status }) => [id, status]))
    if (!readNotifications(localStorage).done) return
    for (const { id, title, status } of threads) {
      const was = before.get(id)
      if (was === undefined || ended.has(was) || !ended.has(status)) continue
      notify(title, labels.done(title, strings.common.status[status]), id, () => updateUi((ui) => showThread(ui, id)))
    }
  }, [threads, notify, updateUi])
}

type Notify = (title: string, body: string, tag: string, onClick: () => void) => void

/** Shows a notification. On the desktop the main process shows it, and a click brings the window to the front. */
function useNotify(): Notify {
  const client = useClient()
  const isDesktop = useApp((state) => state.info?.shell === 'desktop')
  return useCallback<Notify>(
    (title, body, tag, onClick) => {
      if (document.hasFocus()) return
      if (!isDesktop) notifyInBrowser(title, body, tag, onClick)
      else void client.app.notify({ title: title.slice(0, 200), body: body.slice(0, 500) }).catch(() => undefined)
    },
    [client, isDesktop],
  )
}

/** Shows a notification if the browser allows it. It takes no focus until it is clicked. */
const notifyInBrowser: Notify = (title, body, tag, onClick) => {
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  const notification = new Notification(title, { body, tag })
  notification.addEventListener('click', () => {
    window.focus()
    onClick()
    notification.close()
  })
}

/** Announces to screen readers: the thread's status politely, a call for a decision at once. */
export function Announcer(): ReactNode {
  const root = useApp(activeRoot)
  const interrupts = useAppList(openInterrupts)
  const [urgent, setUrgent] = useState('')
  const heard = useRef(new Set<string>())
  useEffect(() => {
    const fresh = interrupts.filter((interrupt) => !heard.current.has(interrupt.id))
    for (const interrupt of fresh) heard.current.add(interrupt.id)
    const last = fresh.at(-1)
    if (last) setUrgent(shellLabels.announceNeedsYou(last.action_requests[0]?.name ?? '', last.agent))
  }, [interrupts])
  return (
    <div className="sr-only">
      <p role="status">{root ? shellLabels.announceStatus(root.title, strings.common.status[root.status]) : ''}</p>
      <p aria-live="assertive">{urgent}</p>
    </div>
  )
}
