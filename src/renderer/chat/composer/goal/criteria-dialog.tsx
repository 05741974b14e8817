import { type ReactNode, useState } from 'react'
import type { Goal } from '#shared/model/check.ts'
import { checkDetails } from '../../../strings/later/check-details.ts'
import { strings } from '../../../strings/strings.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { Field, TextArea } from '../../../ui/controls/field.tsx'

const labels = checkDetails.criteria

interface CriteriaDialogProps {
  readonly goal: Goal
  readonly onChoose: (goal: Goal) => void
  readonly onClose: () => void
}

/** What a change must fulfil, in a person's words, besides the checks. Empty takes the criteria away. */
export function CriteriaDialog({ goal, onChoose, onClose }: CriteriaDialogProps): ReactNode {
  const [text, setText] = useState(goal.criteria ?? '')
  function save(): void {
    onChoose({ ...goal, criteria: text.trim() || null })
    onClose()
  }
  return (
    <Dialog
      title={labels.title}
      description={labels.about}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button tone="primary" onClick={save}>
            {labels.save}
          </Button>
        </>
      }
    >
      <Field label={labels.field}>
        {(id) => (
          <TextArea
            id={id}
            rows={6}
            value={text}
            maxLength={10_000}
            placeholder={labels.example}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
    </Dialog>
  )
}
