import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useApp, useAppList } from '../state/hooks.tsx'
import { activeRoot, openInterrupts } from '../state/selectors.ts'
import { strings } from '../state/strings.ts'

const labels = strings.shell

/** What screen readers hear without asking: one polite status, one urgent call for a decision. */
export function Announcer(): ReactNode {
  const root = useApp(activeRoot)
  const interrupts = useAppList(openInterrupts)
  const [urgent, setUrgent] = useState('')
  const heard = useRef(new Set<string>())
  useEffect(() => {
    const fresh = interrupts.filter((interrupt) => !heard.current.has(interrupt.id))
    for (const interrupt of fresh) heard.current.add(interrupt.id)
    const last = fresh.at(-1)
    if (last) setUrgent(labels.announceNeedsYou(last.action_requests[0]?.name ?? '', last.agent))
  }, [interrupts])
  return (
    <div className="sr-only">
      <p role="status">{root ? labels.announceStatus(root.title, strings.common.status[root.status]) : ''}</p>
      <p aria-live="assertive">{urgent}</p>
    </div>
  )
}
