import { type ReactNode, useId, useState } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { activeRoot } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { MemoryBrowser } from './memory-browser.tsx'
import { MemoryTransferDialog, type TransferKind } from './memory-transfer.tsx'
import { UserMemories } from './user-memories.tsx'

const labels = strings.memory
const offLabels = strings.memory.off

/** The memories of the project, and below them those for all projects. */
export function MemoryOverview(): ReactNode {
  const [transfer, setTransfer] = useState<TransferKind | null>(null)
  const memories = useApp((state) => state.project.memories)
  const written = memories.values().reduce((sum, { versions }) => sum + versions.length, 0)
  return (
    <>
      <p className="text-muted">{labels.lead}</p>
      <ThreadSwitch />
      <MemoryBrowser scope="project" memories={memories} written={written} onTransfer={setTransfer} />
      <UserMemories />
      {transfer && <MemoryTransferDialog kind={transfer} onClose={() => setTransfer(null)} />}
    </>
  )
}

/** Switches the memory on or off for the open thread. */
function ThreadSwitch(): ReactNode {
  const thread = useApp(activeRoot)
  return thread && <Switch key={thread.id} thread={thread} />
}

function Switch({ thread }: { thread: ThreadState }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const switching = useCommand()
  const hintId = useId()
  /** The state the person asked for, until the thread has it. */
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
        <span className="[overflow-wrap:anywhere]">{offLabels.label(thread.title)}</span>
      </label>
      <p id={hintId} className="pl-6 text-muted text-xs">
        {offLabels.hint}
      </p>
      {switching.refusal && <RefusalNotice refusal={switching.refusal} />}
    </div>
  )
}
