import { type FormEvent, type ReactNode, useState } from 'react'
import type { ModelDraft } from '#shared/contract/models.ts'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import { efforts, thinkingKinds } from '#shared/model/models/model-facts.ts'
import { modelFormStrings } from '../../strings/later/model-settings.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Check } from '../fields.tsx'
import { focusProblem, Line, Pick } from './form-parts.tsx'
import { emptyModelDraft, type ModelForm, type ModelProblems, modelDraftOf, modelFormOf } from './model-draft.ts'

const labels = modelFormStrings

interface ModelEditorProps {
  readonly model: ModelChoice
  /** True when the settings say something of it, which can be taken away. */
  readonly isEdited: boolean
  readonly onSave: (draft: ModelDraft) => Promise<boolean>
  readonly onCancel: () => void
}

/** The form of what a person knows better of a model than the app does. */
export function ModelEditor({ model, isEdited, onSave, onCancel }: ModelEditorProps): ReactNode {
  const [known] = useState(() => modelFormOf(model))
  const [form, setForm] = useState<ModelForm>(known)
  const [problems, setProblems] = useState<ModelProblems>({})
  const change = (update: Partial<ModelForm>): void => setForm({ ...form, ...update })
  async function save(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const read = modelDraftOf(form, known)
    setProblems('problems' in read ? read.problems : {})
    if ('problems' in read) focusProblem(event.currentTarget)
    if ('draft' in read) await onSave(read.draft)
  }
  const line = (field: keyof ModelProblems, hint?: string): ReactNode => (
    <Line
      number
      label={labels[field]}
      hint={hint}
      value={form[field]}
      problem={problems[field]}
      onChange={(text) => change({ [field]: text })}
    />
  )
  return (
    <form
      noValidate
      aria-label={labels.title(model.name)}
      onSubmit={(event) => void save(event)}
      className="mt-2 flex flex-col gap-3 rounded-md border border-line bg-canvas p-3"
    >
      <Line label={labels.name} value={form.name} problem={undefined} onChange={(name) => change({ name })} />
      <div className="grid gap-3 sm:grid-cols-2">
        {line('context')}
        {line('maxOutput', labels.maxOutputHint)}
      </div>
      <fieldset className="flex flex-col gap-2">
        <legend className="font-medium">{labels.prices}</legend>
        <p className="text-muted text-xs">{labels.pricesHint}</p>
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          {line('input')}
          {line('output')}
          {line('cacheRead')}
          {line('cacheWrite')}
        </div>
      </fieldset>
      <fieldset className="flex flex-col gap-2">
        <legend className="font-medium">{labels.abilities}</legend>
        <div className="flex flex-wrap gap-x-4">
          <Check label={labels.tools} checked={form.tools} onChange={(tools) => change({ tools })} />
          <Check label={labels.images} checked={form.images} onChange={(images) => change({ images })} />
        </div>
        <Pick
          label={labels.thinking}
          value={form.thinking}
          options={thinkingKinds.map((kind) => [kind, labels.thinkingKinds[kind]] as const)}
          onChange={(thinking) => change({ thinking })}
        />
      </fieldset>
      <fieldset>
        <legend className="font-medium">{labels.efforts}</legend>
        <div className="flex flex-wrap gap-x-4">
          {efforts.map((each) => (
            <Check
              key={each}
              label={strings.chat.efforts[each]}
              checked={form.efforts.includes(each)}
              onChange={(checked) =>
                change({ efforts: efforts.filter((one) => (one === each ? checked : form.efforts.includes(one))) })
              }
            />
          ))}
        </div>
      </fieldset>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary">
          {labels.save}
        </Button>
        {isEdited && <Button onClick={() => void onSave(emptyModelDraft)}>{labels.reset}</Button>}
        <Button tone="quiet" onClick={onCancel}>
          {strings.common.cancel}
        </Button>
      </div>
    </form>
  )
}
