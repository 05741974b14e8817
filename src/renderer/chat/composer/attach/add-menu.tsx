import { Braces, Plus, X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import type { JsonObject } from '#shared/base/json.ts'
import { strings } from '../../../strings/strings.ts'
import { Button, IconButton } from '../../../ui/controls/button.tsx'
import { Menu } from '../../../ui/controls/menu.tsx'
import { VisibleText } from '../../../ui/controls/visible-text.tsx'
import type { GoalChoice } from '../goal/use-goal.ts'

const labels = strings.answers
/** Most messages have no schema, so the dialog is fetched when it is needed. */
const SchemaDialog = lazy(async () => ({ default: (await import('../schema-dialog.tsx')).SchemaDialog }))

interface AddMenuProps {
  readonly schema: JsonObject | null
  readonly onFiles: (files: FileList) => void
  readonly onSchema: (schema: JsonObject | null) => void
  readonly goal: GoalChoice
}

/** What else goes with a message: files, and the schema of the answer. */
export function AddMenu({ schema, onFiles, onSchema, goal }: AddMenuProps): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState(false)
  return (
    <>
      <Menu
        trigger={
          <IconButton label={strings.attachments.add}>
            <Plus size={16} aria-hidden />
          </IconButton>
        }
        choices={[
          {
            id: 'files',
            label: strings.attachments.attach,
            hint: strings.attachments.attachHint,
            onSelect: () => input.current?.click(),
          },
          {
            id: 'schema',
            label: labels.menu,
            hint: labels.menuHint,
            checked: schema !== null,
            onSelect: () => setOpen(true),
          },
          {
            id: 'goal',
            label: strings.checks.goal.menu,
            hint: goal.problem ?? strings.checks.goal.menuHint,
            checked: goal.goal !== null,
            disabled: goal.problem !== null && goal.goal === null,
            onSelect: goal.toggle,
          },
        ]}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          if (event.target.files) onFiles(event.target.files)
          // The same file can be chosen again.
          event.target.value = ''
        }}
      />
      {schema && <SchemaChip schema={schema} onEdit={() => setOpen(true)} onRemove={() => onSchema(null)} />}
      {open && (
        <Suspense>
          <SchemaDialog
            schema={schema}
            onClose={() => setOpen(false)}
            onChoose={(chosen) => {
              onSchema(chosen)
              setOpen(false)
            }}
          />
        </Suspense>
      )}
    </>
  )
}

interface SchemaChipProps {
  readonly schema: JsonObject
  readonly onEdit: () => void
  readonly onRemove: () => void
}

function SchemaChip({ schema, onEdit, onRemove }: SchemaChipProps): ReactNode {
  const name = typeof schema.title === 'string' && schema.title !== '' ? schema.title : labels.unnamed
  return (
    <span className="flex shrink-0 items-center rounded-md border border-line bg-panel">
      <Button
        tone="quiet"
        className="h-6! min-w-0 shrink! px-1.5!"
        aria-label={labels.edit(name)}
        title={labels.chip(name)}
        icon={<Braces size={13} aria-hidden />}
        onClick={onEdit}
      >
        <span className="max-w-32 truncate max-[30rem]:max-w-16">
          <VisibleText text={name} />
        </span>
      </Button>
      <IconButton label={labels.drop} onClick={onRemove} className="size-6!">
        <X size={12} aria-hidden />
      </IconButton>
    </span>
  )
}
