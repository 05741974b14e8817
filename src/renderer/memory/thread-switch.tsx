import { type ReactNode, useId, useState } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { useApp, useClient, useCommand, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { activeRoot } from '../state/selectors.ts'
import { strings } from '../state/strings.ts'

const labels = strings.memory.off

/** Whether the thread that is open may know what is listed here. */
export function ThreadSwitch(): ReactNode {
  const thread = useApp(activeRoot)
  return thread && <Switch key={thread.id} thread={thread} />
}

function Switch({ thread }: { thread: ThreadState }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const switching = useCommand()
  const hintId = useId()
  /** What was asked for, until the thread is so. */
  const [asked, setAsked] = useState(thread.memory)
  const [known, setKnown] = useState(thread.memory)
  if (known !== thread.memory) {
    setKnown(thread.memory)
    setAsked(thread.memory)
  }
  async function change(memory: boolean): Promise<void> {
    setAsked(memory)
    const done = await switching.run(() => client.threads.configure({ projectId, threadId: thread.id, memory }))
    if (!done) setAsked(!memory)
  }
  return (
    <div>
      <label className="flex min-h-7 cursor-pointer items-start gap-2">
        <input
          type="checkbox"
          checked={asked}
          aria-describedby={hintId}
          onChange={(event) => void change(event.target.checked)}
          className="mt-0.5 size-4 shrink-0 accent-accent-solid"
        />
        <span className="[overflow-wrap:anywhere]">{labels.label(thread.title)}</span>
      </label>
      <p id={hintId} className="pl-6 text-muted text-xs">
        {labels.hint}
      </p>
      {switching.refusal && <RefusalNotice refusal={switching.refusal} />}
    </div>
  )
}
