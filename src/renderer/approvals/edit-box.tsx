import { type ReactNode, useEffect, useRef } from 'react'
import { keysHere } from '../state/platform.ts'
import { strings } from '../state/strings.ts'
import { DiffView } from '../ui/diff-view.tsx'
import { TextArea } from '../ui/field.tsx'
import { diffTexts } from '../ui/line-diff.ts'
import { splitVisible } from '../ui/visible-text.ts'
import { VisibleText } from '../ui/visible-text-view.tsx'
import type { Draft } from './approval-logic.ts'

const labels = strings.approvals

export interface EditBoxProps {
  readonly draft: Draft
  /** What was asked for, to compare with. */
  readonly original: string
  readonly invalid: boolean
  readonly onChange: (text: string) => void
}

/** The arguments to change: a command as text, everything else as JSON. */
export function EditBox({ draft, original, invalid, onChange }: EditBoxProps): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  /** A text box cannot show characters that have no shape; below it they are written out. */
  const hidden = splitVisible(draft.text).some(({ escaped }) => escaped)
  const lines = draft.text.split('\n').length
  return (
    <div className="flex flex-col gap-1">
      <TextArea
        ref={field}
        aria-label={
          draft.argument === 'command' ? labels.editCommand : draft.argument ? draft.argument : labels.editArguments
        }
        aria-invalid={invalid}
        value={draft.text}
        rows={Math.min(Math.max(lines + 1, 3), 16)}
        onChange={(event) => onChange(event.target.value)}
        className="font-mono text-xs [direction:ltr] [unicode-bidi:bidi-override]"
      />
      {hidden && (
        <pre className="whitespace-pre-wrap rounded-md border border-line bg-panel px-2 py-1 font-mono text-xs [overflow-wrap:anywhere]">
          <VisibleText text={draft.text} />
        </pre>
      )}
      {draft.text !== original && (
        <div className="max-h-48 overflow-auto rounded-md border border-line">
          <DiffView
            label={labels.editDiff}
            hunks={diffTexts(original, draft.text)}
            showAllLabel={strings.common.showAll}
          />
        </div>
      )}
      <p role={invalid ? 'alert' : undefined} className={invalid ? 'text-bad' : 'text-muted text-xs'}>
        {invalid ? labels.notJson : labels.editHint(keysHere('Mod+Enter'))}
      </p>
    </div>
  )
}
