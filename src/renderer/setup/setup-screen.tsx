import { type ReactNode, useState } from 'react'
import type { SetupView } from '#shared/contract/views/setup.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp } from '../state/hooks/hooks.tsx'
import { useSetup } from '../state/hooks/use-setup.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { offeredWith } from './offered-with.ts'
import { ScriptsShown } from './scripts-shown.tsx'
import { SetupForm } from './setup-form.tsx'
import { SetupOutput } from './setup-output.tsx'
import { SetupProgress } from './setup-progress.tsx'
import { useRunWords } from './use-run-words.ts'
import { useSetupActions } from './use-setup-actions.ts'

const labels = strings.setup

/** The setup of the open project in the settings: its state, its output, and the form to set it. */
export function SetupScreen(): ReactNode {
  const isOpen = useApp((state) => state.projectInfo !== null)
  const [view, reload] = useSetup()
  if (!isOpen) return <Empty title={labels.noProject} detail={labels.noProjectDetail} />
  if (view === null) return <p className="text-muted">{strings.common.loading}</p>
  return <SetupPanel view={view} reload={reload} />
}

interface SetupPanelProps {
  readonly view: SetupView
  readonly reload: () => void
}

function SetupPanel({ view, reload }: SetupPanelProps): ReactNode {
  const actions = useSetupActions(reload)
  const { state, definition, origin, proposals, never } = view
  const accepted = offeredWith(view)
  const start = definition ?? proposals[0] ?? { command: '', inputs: [], hosts: [] }
  return (
    <>
      <p className="text-muted">{labels.about}</p>
      {state.kind === 'running' || state.kind === 'failed' ? (
        <SetupProgress state={state} reload={reload} />
      ) : (
        <SetupStanding view={view} busy={actions.busy} onStart={actions.start} />
      )}
      {origin && (
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-40 flex-1 text-muted text-xs">{labels.origin[origin]}</p>
          {origin !== 'command_line' && (
            <Button disabled={actions.busy} onClick={actions.remove}>
              {labels.remove}
            </Button>
          )}
        </div>
      )}
      {never && (
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-40 flex-1">{labels.neverSet}</p>
          <Button disabled={actions.busy} onClick={actions.remove}>
            {labels.askAgain}
          </Button>
        </div>
      )}
      {actions.refusal && <RefusalNotice refusal={actions.refusal} />}
      {!never && <ScriptsShown scripts={view.scripts} />}
      <SetupForm
        key={JSON.stringify([start, accepted])}
        start={start}
        accepted={accepted}
        proposals={proposals}
        busy={actions.busy}
        onSave={actions.save}
      />
    </>
  )
}

interface SetupStandingProps {
  readonly view: SetupView
  readonly busy: boolean
  readonly onStart: () => void
}

/** A setup that does not run: what a command will find, and the output of the last run. */
function SetupStanding({ view: { state, proposals, never }, busy, onStart }: SetupStandingProps): ReactNode {
  const words = useRunWords()
  const [open, setOpen] = useState(false)
  if (state.kind === 'none')
    return proposals.length === 0 && !never ? <p className="text-muted">{labels.none}</p> : null
  const dropped =
    state.kind === 'ready' && state.droppedCount > 0 ? labels.dropped(state.droppedCount, state.dropped) : ''
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-40 flex-1 [overflow-wrap:anywhere]">
          {labels.environment}: <VisibleText text={labels.state(state, Date.now())} />
        </p>
        {state.kind === 'ready' && (
          <Button tone="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {labels.output}
          </Button>
        )}
        <Button disabled={busy} onClick={onStart}>
          {state.kind === 'ready' ? words.runAgain : words.setUp}
        </Button>
      </div>
      {dropped !== '' && (
        <p className="text-warn [overflow-wrap:anywhere]">
          <VisibleText text={dropped} />
        </p>
      )}
      {open && state.kind === 'ready' && <SetupOutput version={String(state.at)} />}
    </>
  )
}
