import { Eye, SquareSlash } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { slashNameIn } from '#shared/model/messages/message-notes.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../../../parts/refusal-notice.tsx'
import { useProjectId } from '../../../state/hooks/hooks.tsx'
import { useQuery } from '../../../state/hooks/use-query.ts'
import { slashStrings } from '../../../strings/later/slash.ts'
import { strings } from '../../../strings/strings.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { Notice } from '../../../ui/controls/notice.tsx'
import { VisibleText } from '../../../ui/controls/visible-text.tsx'
import { reachable } from '../../../ui/react/elements.tsx'
import { useSlashEntries } from './slash-entries.ts'

const labels = slashStrings

interface SlashNoteProps {
  readonly text: string
  readonly thread: ThreadState | null
}

/** Says what the word at the beginning of a message asks for and where that comes from, before it is sent. */
export function SlashNote({ text, thread }: SlashNoteProps): ReactNode {
  const word = slashNameIn(text)
  const entries = useSlashEntries(word !== null)
  const [previewed, setPreviewed] = useState(false)
  const entry = entries.find((one) => one.word === word)
  if (!entry) return null
  return (
    <div className="flex items-center gap-1.5 border-line border-b px-3 py-0.5 text-muted text-xs">
      <SquareSlash size={13} aria-hidden className="shrink-0" />
      <span className="min-w-0 truncate">
        <VisibleText text={labels.aboutOf(entry)} />
      </span>
      <Button
        tone="quiet"
        className="ml-auto shrink-0"
        icon={<Eye size={13} aria-hidden />}
        onClick={() => setPreviewed(true)}
      >
        {labels.preview}
      </Button>
      {previewed && <SlashPreview text={text} thread={thread} onClose={() => setPreviewed(false)} />}
    </div>
  )
}

function SlashPreview({ text, thread, onClose }: SlashNoteProps & { readonly onClose: () => void }): ReactNode {
  const projectId = useProjectId()
  const [read, reload] = useQuery('extensions.previewSlash', { projectId, threadId: thread?.id ?? null, text })
  const { value } = read
  return (
    <Dialog
      title={labels.previewOf(slashNameIn(text) ?? '')}
      description={value ? labels.aboutOf(value) : ''}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={<Button onClick={onClose}>{strings.common.close}</Button>}
    >
      {read.state === 'failed' && <RefusalNotice refusal={read.refusal} onRetry={reload} />}
      {read.state === 'loading' && <p className="text-muted">{strings.common.loading}</p>}
      {value?.warnings.map((warning) => (
        <Notice key={warning} tone="warning" title={warning} />
      ))}
      {value && (
        <>
          <p className="text-muted">{value.kind === 'skill' ? labels.readsSkill : labels.readsText}</p>
          <pre
            {...reachable}
            className="max-h-[50vh] overflow-auto whitespace-pre-wrap rounded-md border border-line bg-raised px-3 py-2 font-mono text-xs [overflow-wrap:anywhere]"
          >
            <VisibleText text={value.text} />
          </pre>
        </>
      )}
    </Dialog>
  )
}
