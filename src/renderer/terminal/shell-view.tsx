import { type ReactNode, useState } from 'react'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useCommand } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { ScreenView } from './screen-view.tsx'
import type { Terminals, TerminalTab } from './terminals.ts'

const labels = strings.terminal

interface ShellViewProps {
  readonly tab: TerminalTab
  readonly branchName: string | null
  readonly terminals: Terminals
}

/** One shell of the person, with the question it waits on: whether to paste, or what to do after its end. */
export function ShellView({ tab, branchName, terminals }: ShellViewProps): ReactNode {
  const [paste, setPaste] = useState<string | null>(null)
  const answerPaste = (run: boolean): void => {
    if (run && paste !== null) tab.screen.terminal.paste(paste)
    setPaste(null)
    tab.screen.terminal.focus()
  }
  return (
    <>
      {tab.shell.kind !== 'running' && <ShellEnd tab={tab} branchName={branchName} terminals={terminals} />}
      {paste !== null && (
        <div className="p-2">
          <Notice
            tone="warning"
            title={labels.pasteLines(paste.split('\n').length)}
            actions={
              <>
                <Button tone="primary" onClick={() => answerPaste(true)}>
                  {labels.paste}
                </Button>
                <Button onClick={() => answerPaste(false)}>{strings.common.cancel}</Button>
              </>
            }
          />
          <pre className="mt-1 max-h-24 overflow-auto whitespace-pre-wrap px-2 font-mono text-xs">
            <VisibleText text={paste} />
          </pre>
        </div>
      )}
      <ScreenView screen={tab.screen} onPaste={setPaste} />
    </>
  )
}

function ShellEnd({ tab, branchName, terminals }: ShellViewProps): ReactNode {
  const deciding = useCommand()
  const { shell, id } = tab
  if (shell.kind === 'running') return null
  const again = (
    <Button
      onClick={() => {
        terminals.open(tab.branchId)
        void terminals.close(id)
      }}
    >
      {labels.again}
    </Button>
  )
  return (
    <div className="flex max-h-1/2 shrink-0 flex-col gap-2 overflow-auto p-2">
      {deciding.refusal && <RefusalNotice refusal={deciding.refusal} />}
      {shell.kind === 'failed' && (
        <>
          <RefusalNotice refusal={shell.refusal} />
          <span>{again}</span>
        </>
      )}
      {shell.kind === 'ended' && shell.changed.length === 0 && (
        <Notice tone="info" title={labels.ended} actions={again} />
      )}
      {shell.kind === 'ended' && shell.changed.length > 0 && (
        <Notice
          tone="info"
          title={labels.changed(shell.changed.length, branchName ?? '')}
          detail={shell.changed.slice(0, 20).join('\n')}
          actions={
            <>
              <Button
                tone="primary"
                disabled={deciding.busy}
                onClick={() => void deciding.run(() => terminals.keep(id))}
              >
                {labels.keep}
              </Button>
              <Button
                tone="danger"
                disabled={deciding.busy}
                onClick={() => void deciding.run(() => terminals.drop(id))}
              >
                {labels.drop}
              </Button>
            </>
          }
        />
      )}
    </div>
  )
}
