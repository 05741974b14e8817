import { GitFork, History } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { type CheckpointRow, checkpointRows } from '#shared/model/derived/checkpoints.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { agentIn } from '#shared/model/models/agent-model.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { activeThread } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { CheckpointList } from './checkpoint-list.tsx'
import { RewindPreviewView } from './rewind-preview.tsx'
import { type RewindScope, useRewindActions } from './use-rewind-actions.ts'

const labels = strings.rewind
const scopes: readonly RewindScope[] = ['both', 'files', 'conversation']

/** Rewinds the open thread: chooses a checkpoint, previews what would change, and goes back. */
export function RewindDialog({ onClose }: { onClose: () => void }): ReactNode {
  const thread = useApp(activeThread)
  const project = useApp((state) => state.project)
  const past = thread ? project.past.threads.get(thread.id) : undefined
  const rows = useMemo(() => (past ? checkpointRows(past) : []), [past])
  if (thread && rows.length > 0) return <Chooser thread={thread} rows={rows} onClose={onClose} />
  return (
    <Dialog title={labels.title} closeLabel={strings.common.close} onClose={onClose}>
      <Empty icon={<History size={24} aria-hidden />} title={labels.none} detail={labels.noneDetail} />
    </Dialog>
  )
}

interface ChooserProps {
  readonly thread: ThreadState
  readonly rows: readonly CheckpointRow[]
  readonly onClose: () => void
}

function Chooser({ thread, rows, onClose }: ChooserProps): ReactNode {
  const asked = useApp((state) => state.ui.rewindTo)
  const [chosen, setChosen] = useState<Sequence | null>(asked)
  const [scope, setScope] = useState<RewindScope>('both')
  const actions = useRewindActions(thread)
  const to = chosen ?? suggestCheckpoint(rows)
  const agent = agentIn(thread.model)
  const close = (work: Promise<boolean>): void => void work.then((done) => done && onClose())
  const footer = (
    <>
      {!thread.parent && (
        <Button
          icon={<GitFork size={14} aria-hidden />}
          disabled={actions.command.busy}
          onClick={() => close(actions.fork(to))}
        >
          {labels.fork}
        </Button>
      )}
      <Button
        tone="primary"
        icon={<History size={14} aria-hidden />}
        disabled={actions.command.busy}
        title={agent === null ? undefined : labels.anewHint(agent)}
        onClick={() => close(actions.rewind(to, scope))}
      >
        {agent === null ? labels.rewind : labels.rewindAnew}
      </Button>
    </>
  )
  return (
    <Dialog
      wide
      title={labels.title}
      description={labels.description}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={footer}
    >
      {actions.command.refusal && <RefusalNotice refusal={actions.command.refusal} />}
      <div className="flex gap-4 max-md:flex-col">
        <CheckpointList rows={rows} chosen={to} onChoose={setChosen} />
        <div className="flex min-w-0 flex-1 flex-col gap-3">
          <ScopeChoice scope={scope} onChange={setScope} />
          <Preview thread={thread} to={to} scope={scope} />
        </div>
      </div>
    </Dialog>
  )
}

/** The checkpoint before the person's last message, which is most often the one wanted. */
function suggestCheckpoint(rows: readonly CheckpointRow[]): Sequence {
  return (rows.findLast(({ mark }) => mark.kind === 'message') ?? rows.at(-1))?.to ?? 0
}

function ScopeChoice({ scope, onChange }: { scope: RewindScope; onChange: (scope: RewindScope) => void }): ReactNode {
  return (
    <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
      <legend className="sr-only">{labels.scope}</legend>
      {scopes.map((one) => (
        <label key={one} className="flex min-h-7 cursor-pointer items-center gap-2">
          <input
            type="radio"
            name="rewind-scope"
            checked={one === scope}
            onChange={() => onChange(one)}
            className="size-4 accent-accent-solid"
          />
          {labels[one]}
        </label>
      ))}
    </fieldset>
  )
}

function Preview({ thread, to, scope }: { thread: ThreadState; to: Sequence; scope: RewindScope }): ReactNode {
  const projectId = useProjectId()
  const target = { threadId: thread.id, to }
  const [preview, reload] = useQuery('rewind.preview', { projectId, ...target }, thread.lastSequence)
  if (preview.state === 'failed') return <RefusalNotice refusal={preview.refusal} onRetry={reload} />
  if (!preview.value) return <Waiting label={strings.common.loading} />
  return <RewindPreviewView key={to} preview={preview.value} target={target} scope={scope} onChanged={reload} />
}
