import { type ReactNode, useEffect, useRef } from 'react'
import type { Draft } from '#shared/tools/approval-choices.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextArea } from '../ui/controls/field.tsx'
import { splitVisible, VisibleText } from '../ui/controls/visible-text.tsx'
import { DiffView } from '../ui/diff/diff-view.tsx'
import { diffTexts } from '../ui/diff/line-diff.ts'

const labels = strings.approvals

interface EditBoxProps {
  readonly draft: Draft
  /** The text as the agent asked for it. */
  readonly original: string
  readonly invalid: boolean
  /** Whether the box takes the focus when it appears. */
  readonly focused: boolean
  /** What happens to the text in the box, as a sentence. */
  readonly hint: string
  readonly onChange: (text: string) => void
}

/** Edits the arguments of a call: a command as text, everything else as JSON. */
export function EditBox({ draft, original, invalid, focused, hint, onChange }: EditBoxProps): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focused) field.current?.focus()
  }, [focused])
  /** A text box cannot show invisible characters, so they are written out below it. */
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
      {draft.text !== original && (
        <Button tone="quiet" className="self-start" onClick={() => onChange(original)}>
          {labels.editUndo}
        </Button>
      )}
      <p role={invalid ? 'alert' : undefined} className={invalid ? 'text-bad' : 'text-muted text-xs'}>
        {invalid ? labels.notJson : hint}
      </p>
    </div>
  )
}
