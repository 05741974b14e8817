import { type ReactNode, useEffect, useRef } from 'react'
import type { ActionRequest } from '#shared/model/calls/interrupt.ts'
import { type Draft, draftOf, editsFiles, runsAgain, wasTried } from '#shared/tools/card.ts'
import { keysHere } from '../../state/preferences/keymap.ts'
import { cardStrings } from '../../strings/later/card.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextArea } from '../../ui/controls/field.tsx'
import { splitVisible } from '../../ui/controls/split-visible.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { DiffView } from '../../ui/diff/diff-view.tsx'
import { diffTexts } from '../../ui/diff/line-diff.ts'

const labels = cardStrings

interface EditBoxProps {
  readonly request: ActionRequest
  readonly draft: Draft
  readonly invalid: boolean
  /** Whether the box takes the focus when it appears. */
  readonly focused: boolean
  readonly onChange: (text: string) => void
}

/** Edits the arguments of a call: a command as text, everything else as JSON. */
export function EditBox({ request, draft, invalid, focused, onChange }: EditBoxProps): ReactNode {
  const original = draftOf(request).text
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
      {/* An edited change of files is compared as a file, below the box. */}
      {draft.text !== original && !editsFiles(request) && (
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
        {invalid ? labels.notJson : labels.editHint[hintFor(request)](keysHere('Mod+Enter'))}
      </p>
    </div>
  )
}

/** What happens to the text in the box. */
function hintFor(request: ActionRequest): keyof typeof labels.editHint {
  return runsAgain(request) ? 'again' : wasTried(request) ? 'keeps' : 'asks'
}
