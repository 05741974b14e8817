import { type ReactNode, useState } from 'react'
import type { SetupState } from '#shared/model/setup.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { SetupOutput } from './setup-output.tsx'
import { useRunWords } from './use-run-words.ts'
import { useSetupActions } from './use-setup-actions.ts'

const labels = strings.setup

interface SetupProgressProps {
  readonly state: Extract<SetupState, { kind: 'running' | 'failed' }>
  readonly onHide?: () => void
  readonly reload: () => void
}

/** A setup that runs or failed: what it printed last, all of it on demand, and what a person can do. */
export function SetupProgress({ state, onHide, reload }: SetupProgressProps): ReactNode {
  const actions = useSetupActions(reload)
  const words = useRunWords()
  const [open, setOpen] = useState(false)
  const isRunning = state.kind === 'running'
  const title = isRunning ? '' : state.isCancelled ? labels.cancelled : labels.failed
  const detail = [isRunning || state.isCancelled ? '' : state.reason, ...state.lines.slice(isRunning ? -1 : -4)]
    .filter(Boolean)
    .join('\n')
  return (
    <div className="flex flex-col gap-2">
      <Notice
        tone={isRunning ? 'info' : 'warning'}
        title={isRunning ? labels.running(state.command, Date.now() - state.startedAt) : title}
        detail={detail}
        actions={
          <>
            <Button tone="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
              {labels.output}
            </Button>
            {isRunning ? (
              <Button disabled={actions.busy} onClick={actions.cancel}>
                {labels.cancel}
              </Button>
            ) : (
              <Button disabled={actions.busy} onClick={actions.start}>
                {words.tryAgain}
              </Button>
            )}
            {!isRunning && onHide && <Button onClick={onHide}>{labels.hide}</Button>}
          </>
        }
      />
      {actions.refusal && <RefusalNotice refusal={actions.refusal} />}
      {open && <SetupOutput version={isRunning ? state.lines.join('\n') : String(state.at)} />}
    </div>
  )
}
