import { type ReactNode, useId, useState } from 'react'
import type { UserMemoriesView } from '#shared/contract/views/memories.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useClient, useCommand } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { Notice } from '../ui/controls/notice.tsx'
import { MemoryBrowser } from './memory-browser.tsx'
import { useUserMemories } from './memory-source.ts'

const labels = strings.memory.forAll

/** The memories that all projects share, with the switch that hides them from all agents. */
export function UserMemories(): ReactNode {
  const headingId = useId()
  const { loaded, reload, memories } = useUserMemories()
  const view = loaded.value
  const written = view?.memories.reduce((sum, { versions }) => sum + versions.length, 0) ?? 0
  return (
    <section aria-labelledby={headingId} className="mt-4 flex flex-col gap-4 border-line border-t pt-5">
      <div className="flex flex-col gap-2">
        <h3 id={headingId} className="font-semibold text-base">
          {labels.title}
        </h3>
        <p className="text-muted">{labels.lead}</p>
      </div>
      {view && <Switch view={view} onChanged={reload} />}
      {loaded.state === 'failed' && <RefusalNotice refusal={loaded.refusal} onRetry={reload} />}
      {loaded.state === 'loading' && !view && <Waiting label={strings.common.loading} />}
      {view && view.problem !== null && <Notice tone="warning" title={labels.unusable} detail={view.problem} />}
      {view && view.problem === null && memories && (
        <MemoryBrowser scope="user" memories={memories} written={written} />
      )}
    </section>
  )
}

function Switch({ view, onChanged }: { view: UserMemoriesView; onChanged: () => void }): ReactNode {
  const client = useClient()
  const switching = useCommand()
  const hintId = useId()
  const isOn = view.on || view.offByProject
  /** The state the person asked for, until the settings have it. */
  const [asked, setAsked] = useState(isOn)
  const [known, setKnown] = useState(isOn)
  if (known !== isOn) {
    setKnown(isOn)
    setAsked(isOn)
  }
  async function change(on: boolean): Promise<void> {
    setAsked(on)
    // A settings file that was given at the start wins over the one that is changed here.
    const done = await switching.run(async () => setAsked((await client.userMemory.switch({ on })).on))
    if (!done) setAsked(!on)
    onChanged()
  }
  return (
    <div>
      <label className="flex min-h-7 cursor-pointer items-start gap-2">
        <input
          type="checkbox"
          checked={asked}
          disabled={switching.busy}
          aria-describedby={hintId}
          onChange={(event) => void change(event.target.checked)}
          className="mt-0.5 size-4 shrink-0 accent-accent-solid"
        />
        <span>{labels.switch}</span>
      </label>
      <p id={hintId} className="pl-6 text-muted text-xs">
        {view.offByProject ? labels.offByProject : labels.switchHint}
      </p>
      {switching.refusal && <RefusalNotice refusal={switching.refusal} />}
    </div>
  )
}
