import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import type { Decision, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { noticeBodyOf, onePressOf } from '../approvals/one-press.ts'
import { refusalOf } from '../state/connection/refusal.ts'
import { useApp, useAppList, useAppSlowly, useClient, useSession } from '../state/hooks/hooks.tsx'
import { readNotifications } from '../state/preferences/notifications.ts'
import type { Session } from '../state/session/session.ts'
import { type AgentProgress, agentProgress } from '../state/store/agent-progress.ts'
import type { AppState } from '../state/store/app-state.ts'
import { activeRoot, openInterrupts, rootThreads, waitingCalls } from '../state/store/selectors.ts'
import { showApproval, showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { toastProblem } from '../ui/controls/toast.ts'
import { isOutOfSight, type Notice, showNotice } from './notifications.ts'
import { playSound, type Sound } from './sounds.ts'

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
  const isDesktop = useApp((state) => state.info?.shell === 'desktop')
  useWorkMarks(isDesktop, progress, waiting)
  useEffect(() => {
    document.title = projectName === '' ? 'Coppice' : labels.title(waiting, progress, projectName)
    // Only an installed app has a badge. The desktop app counts what waits in all its windows.
    if (!isDesktop && 'setAppBadge' in navigator) void navigator.setAppBadge(waiting).catch(() => undefined)
  }, [waiting, progress, projectName, isDesktop])
}

/** Empty for no progress. */
function progressText(progress: AgentProgress | null): string {
  return progress ? `${progress.done}/${progress.total}` : ''
}

/** Shows the progress and what waits in the task bar of the desktop app. */
function useWorkMarks(isDesktop: boolean, progress: string, waiting: number): void {
  const client = useClient()
  useEffect(() => {
    if (!isDesktop) return
    const [done = 0, total = 0] = progress.split('/').map(Number)
    void client.window.showWork({ share: total > 0 ? done / total : null, waiting }).catch(() => undefined)
  }, [client, isDesktop, progress, waiting])
}

/** Sends the decision that a card would send. When it comes too late, the window says so at the card. */
async function decide(
  { client, store }: Session,
  threadId: ThreadId,
  interruptId: Interrupt['id'],
  decision: Decision,
): Promise<void> {
  const { projectInfo } = store.getState()
  if (!projectInfo) return
  await client.approvals
    .decide({ projectId: projectInfo.id, threadId, interruptId, decisions: [decision] })
    .catch((error: unknown) => toastProblem(labels.notApproved, refusalOf(error).message))
}

function useNeedsYou(): void {
  const session = useSession()
  const { updateUi } = session
  const interrupts = useAppList(openInterrupts)
  const notify = useNotify()
  const known = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    const before = known.current
    known.current = new Set(interrupts.map(({ id }) => id))
    if (before === null) return
    for (const interrupt of interrupts.filter((one) => !before.has(one.id))) {
      const { id, agent, threadId, action_requests } = interrupt
      const [first] = action_requests
      const approve = onePressOf(interrupt)
      notify('needsYou', {
        id,
        isShown: isShown(session.store.getState(), threadId),
        title: labels.needsYou(agent),
        body: noticeBodyOf(interrupt),
        onOpen: () => first && updateUi((ui) => showApproval(ui, threadId, first.callId)),
        ...(approve && { onApprove: () => void decide(session, threadId, id, approve) }),
      })
    }
  }, [interrupts, notify, updateUi, session])
}

function useEnds(): void {
  const { updateUi, store } = useSession()
  const notify = useNotify()
  const threads = useAppList(rootThreads)
  const known = useRef<ReadonlyMap<string, ThreadState['status']>>(new Map())
  useEffect(() => {
    const before = known.current
    known.current = new Map(threads.map(({ id, status }) => [id, status]))
    for (const { id, title, status } of threads) {
      const was = before.get(id)
      if (was === undefined || ended.has(was) || !ended.has(status)) continue
      const body = labels.done(title, strings.common.status[status])
      const sound = status === 'failed' ? 'failed' : 'done'
      notify(sound, {
        id,
        isShown: isShown(store.getState(), id),
        title,
        body,
        onOpen: () => updateUi((ui) => showThread(ui, id)),
      })
    }
  }, [threads, notify, updateUi, store])
}

/** True when the window shows the thread or another one of its family. */
function isShown(state: AppState, threadId: ThreadId): boolean {
  const root = activeRoot(state)
  return root !== null && rootThreadOf(state.project, threadId) === root.id
}

/** Tells of what is out of sight, as the person wants it: by a notification of the app or the browser, and by a sound. */
function useNotify(): (sound: Sound, notice: Notice) => void {
  const client = useClient()
  const isDesktop = useApp((state) => state.info?.shell === 'desktop')
  return useCallback(
    (sound, notice) => {
      const choices = readNotifications(localStorage)
      if (choices.sounds && isOutOfSight(notice)) playSound(sound)
      if (sound === 'needsYou' ? choices.needsYou : choices.done) showNotice(isDesktop ? client : null, notice)
    },
    [client, isDesktop],
  )
}

function announcementOf({ action_requests: [first], agent }: Interrupt): string {
  const name = first?.name ?? ''
  return first?.effects ? strings.effects.announce(name, agent) : shellLabels.announceNeedsYou(name, agent)
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
    if (last) setUrgent(announcementOf(last))
  }, [interrupts])
  return (
    <div className="sr-only">
      <p role="status">{root ? shellLabels.announceStatus(root.title, strings.common.status[root.status]) : ''}</p>
      <p aria-live="assertive">{urgent}</p>
    </div>
  )
}
