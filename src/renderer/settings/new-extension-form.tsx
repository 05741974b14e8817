import { Plus } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useClient, useCommand } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { Field, TextArea, TextInput } from '../ui/field.tsx'
import { toastNote } from '../ui/undo-toast.ts'

const labels = strings.extensions

export interface NewExtensionProps {
  readonly kind: 'agents' | 'skills'
  readonly onAdded: () => void
}

const empty = { name: '', description: '', text: '' }

/** Defines an agent or a skill of the user's own: in the settings, never in the project. */
export function NewExtensionForm({ kind, onAdded }: NewExtensionProps): ReactNode {
  const client = useClient()
  const adding = useCommand()
  const [open, setOpen] = useState(false)
  const [given, setGiven] = useState(empty)
  const { name, description, text } = given
  const ready =
    /^[A-Za-z0-9][\w.-]*$/.test(name.trim()) && description.trim() !== '' && (kind === 'agents' || text.trim())
  const title = labels.newTitle[kind]

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault()
    const named = { name: name.trim(), description: description.trim() }
    const done = await adding.run(() =>
      kind === 'agents'
        ? client.extensions.addAgent({ ...named, ...(text.trim() && { prompt: text.trim() }) })
        : client.extensions.addSkill({ ...named, body: text.trim() }),
    )
    if (!done) return
    setGiven(empty)
    setOpen(false)
    toastNote(labels.added(named.name))
    onAdded()
  }

  if (!open) {
    return (
      <Button className="self-start" icon={<Plus size={14} aria-hidden />} onClick={() => setOpen(true)}>
        {title}
      </Button>
    )
  }
  return (
    <form
      aria-label={title}
      onSubmit={(event) => void add(event)}
      className="flex flex-col gap-3 rounded-lg border border-line p-3"
    >
      <p className="text-muted">{labels.newAbout[kind]}</p>
      <Field label={labels.name} hint={labels.nameHint}>
        {(id) => (
          <TextInput id={id} value={name} onChange={({ target }) => setGiven({ ...given, name: target.value })} />
        )}
      </Field>
      <Field label={labels.description} hint={labels.descriptionHint[kind]}>
        {(id) => (
          <TextArea
            id={id}
            rows={2}
            value={description}
            onChange={({ target }) => setGiven({ ...given, description: target.value })}
          />
        )}
      </Field>
      <Field label={labels.text[kind]}>
        {(id) => (
          <TextArea
            id={id}
            rows={6}
            value={text}
            onChange={({ target }) => setGiven({ ...given, text: target.value })}
          />
        )}
      </Field>
      {adding.refusal && <RefusalNotice refusal={adding.refusal} />}
      <div className="flex gap-2">
        <Button type="submit" tone="primary" disabled={!ready || adding.busy}>
          {labels.create}
        </Button>
        <Button onClick={() => setOpen(false)}>{strings.common.cancel}</Button>
      </div>
    </form>
  )
}
