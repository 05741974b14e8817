import { ArrowUpCircle, History, LogOut } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useApp, useClient, useCommand, useUpdateUi } from '../state/hooks/hooks.tsx'
import { showSettings } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'

const labels = strings.about

/** Says that the app quits by itself when the agents are done, and offers the ways out of it. */
export function LeavingLine(): ReactNode {
  const client = useClient()
  const leaving = useApp((state) => state.leaving)
  const command = useCommand()
  if (leaving === null) return null
  return (
    <Line icon={<LogOut size={15} aria-hidden className="text-warn" />} text={labels.leaving(leaving)}>
      <Button disabled={command.busy} onClick={() => void command.run(() => client.window.stay())}>
        {labels.stay}
      </Button>
      <Button tone="quiet" disabled={command.busy} onClick={() => void command.run(() => client.window.leaveNow())}>
        {labels.leaveNow}
      </Button>
    </Line>
  )
}

/** Offers a downloaded version. It stays away after *Later* until there is another one. */
export function UpdateLine(): ReactNode {
  const client = useClient()
  const updateUi = useUpdateUi()
  const command = useCommand()
  const state = useApp((app) => app.update?.state ?? null)
  const [later, setLater] = useState<string | null>(null)
  if (state?.kind !== 'ready' && state?.kind !== 'waiting') return null
  const { version } = state.found
  if (state.kind === 'ready' && later === version) return null
  const isWaiting = state.kind === 'waiting'
  const text = isWaiting ? labels.waiting(version, state.working) : labels.ready(version)
  return (
    <Line
      icon={<ArrowUpCircle size={15} aria-hidden className="text-accent" />}
      text={command.refusal ? command.refusal.message : text}
    >
      <Button tone="quiet" onClick={() => updateUi((ui) => showSettings(ui, 'about'))}>
        {labels.whatIsNew}
      </Button>
      {!isWaiting && (
        <Button tone="quiet" onClick={() => setLater(version)}>
          {labels.later}
        </Button>
      )}
      <Button
        tone={isWaiting ? 'plain' : 'primary'}
        disabled={command.busy}
        onClick={() => void command.run(() => (isWaiting ? client.updates.wait() : client.updates.install()))}
      >
        {isWaiting ? labels.doNotWait : labels.install}
      </Button>
    </Line>
  )
}

/** Says how far a project is whose long history is read before it opens. */
export function OpeningLine(): ReactNode {
  const opening = useApp((state) => state.opening)
  if (opening === null) return null
  const { name, done, total } = opening
  return (
    <Line icon={<History size={15} aria-hidden className="text-accent" />} text={strings.shell.lookingInto(name)}>
      <span className="flex items-center gap-2 text-muted tabular-nums">
        {strings.shell.lookedInto(done, total)}
        <progress
          aria-label={strings.shell.lookedIntoLabel}
          value={done}
          max={total}
          className="h-1 w-40 accent-accent"
        />
      </span>
    </Line>
  )
}

interface LineProps {
  readonly icon: ReactNode
  readonly text: string
  readonly children: ReactNode
}

/** One calm line above everything else. */
function Line({ icon, text, children }: LineProps): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b bg-panel px-3 py-1">
      {icon}
      <p role="status" className="min-w-40 flex-1">
        {text}
      </p>
      <span className="ml-auto flex flex-wrap gap-1">{children}</span>
    </div>
  )
}
