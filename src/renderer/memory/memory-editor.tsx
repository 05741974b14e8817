import type { FormEvent, ReactNode } from 'react'
import type { Sequence } from '#shared/model/ids.ts'
import { latestVersion, type Memory } from '#shared/model/memory.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useCommand, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useEdit } from '../state/hooks/use-edit.ts'
import { type MemoryScope, showMemory } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Field, TextArea, TextInput } from '../ui/controls/field.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { useMemorySource } from './memory-source.ts'

const labels = strings.memory

/** The typed text, and the version it is based on. */
interface Draft {
  readonly text: string
  readonly latest: Sequence | null
}

function draftOf(memory: Memory | null): Draft {
  return { text: memory?.text ?? '', latest: memory && latestVersion(memory).sequence }
}

/** An edit names the version that it is based on; it is empty for a new memory. */
function sequenceIn(before: string): Sequence | null {
  return before === '' ? null : (Number(before) as Sequence)
}

/** Edits a memory; saving makes a new version. If it was written meanwhile, the person chooses, and no text is lost. */
export function MemoryEditor({ memory, scope }: { memory: Memory | null; scope: MemoryScope }): ReactNode {
  const source = useMemorySource(scope)
  const updateUi = useUpdateUi()
  const saving = useCommand()
  const [newName, setNewName] = useEdit(`memory name ${scope}`)
  const name = memory?.name ?? newName?.typed ?? ''
  const [edit, setEdit] = useEdit(`memory ${scope} ${memory?.name ?? ''}`)
  const draft = edit ? { text: edit.typed, latest: sequenceIn(edit.before) } : draftOf(memory)
  const setTyped = (next: Draft | null): void =>
    setEdit(next && { typed: next.text, before: next.latest === null ? '' : String(next.latest) })
  const stored = draftOf(memory)
  const isOvertaken = draft.latest !== stored.latest
  const isSame = memory !== null && draft.text === stored.text
  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    const done = await saving.run(() => source.write({ name: name.trim(), ...draft }))
    if (!done) return
    toastNote(labels.saved((memory?.versions.length ?? 0) + 1))
    setTyped(null)
    setNewName(null)
    updateUi((ui) => (ui.memory === '' ? showMemory(ui, name.trim(), scope) : ui))
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={(event) => void save(event)}>
      {!memory && (
        <Field label={labels.name} hint={labels.scopes[scope].nameHint}>
          {(id) => (
            <TextInput
              id={id}
              value={name}
              className="font-mono"
              onChange={(event) => setNewName({ before: '', typed: event.target.value })}
            />
          )}
        </Field>
      )}
      {isOvertaken && (
        <Notice
          tone="warning"
          title={labels.changedMeanwhile}
          detail={labels.changedMeanwhileDetail}
          actions={
            <>
              <Button onClick={() => setTyped(null)}>{labels.takeStored}</Button>
              <Button onClick={() => setTyped({ ...draft, latest: stored.latest })}>{labels.keepMine}</Button>
            </>
          }
        />
      )}
      <Field label={labels.text}>
        {(id) => (
          <TextArea
            id={id}
            rows={Math.min(Math.max(draft.text.split('\n').length + 1, 6), 24)}
            value={draft.text}
            className="font-mono text-xs"
            onChange={({ target }) => setTyped(target.value === stored.text ? null : { ...draft, text: target.value })}
          />
        )}
      </Field>
      {saving.refusal && <RefusalNotice refusal={saving.refusal} />}
      {edit && (
        <div className="flex items-center gap-2">
          <span className="text-warn text-xs">{strings.settingsFile.unsaved}</span>
          <Button
            onClick={() => {
              setTyped(null)
              setNewName(null)
            }}
          >
            {strings.settingsFile.discard}
          </Button>
        </div>
      )}
      <Button
        type="submit"
        tone="primary"
        className="self-start"
        disabled={saving.busy || isSame || isOvertaken || name.trim() === ''}
      >
        {labels.save}
      </Button>
    </form>
  )
}
