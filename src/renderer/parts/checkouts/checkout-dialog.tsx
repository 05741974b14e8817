import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { useApp, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { checkoutStrings as labels } from '../../strings/later/checkouts.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { Field, TextInput } from '../../ui/controls/field.tsx'
import { toastNote } from '../../ui/controls/toast.ts'
import { RefusalNotice } from '../refusal-notice.tsx'

interface CheckoutDialogProps {
  readonly branchId: BranchId
  /** A word for the new folder's name. */
  readonly name: string
  readonly onClose: () => void
}

/** Asks where the files of a branch are to go, on the machine of the host. */
export function CheckoutDialog({ branchId, name, onClose }: CheckoutDialogProps): ReactNode {
  const { checkouts } = useClient()
  const projectId = useProjectId()
  const beside = useApp((state) => state.projectInfo?.path ?? '')
  const [folder, setFolder] = useState(`${beside}-${nameOf(name)}`)
  const [gitBranch, setGitBranch] = useState('')
  const command = useCommand()
  const form = useId()
  async function make(event: FormEvent): Promise<void> {
    event.preventDefault()
    const wanted = { projectId, branchId, folder: folder.trim(), gitBranch: gitBranch.trim() || null }
    const done = await command.run(async () => {
      const { leftOut, folder: made } = await checkouts.make(wanted)
      toastNote(labels.made(made, leftOut.length))
    })
    if (done) onClose()
  }
  return (
    <Dialog
      title={labels.title}
      description={labels.description}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button tone="primary" type="submit" form={form} disabled={command.busy || folder.trim() === ''}>
            {labels.make}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void make(event)} className="flex flex-col gap-3">
        {command.refusal && <RefusalNotice refusal={command.refusal} />}
        <Field label={labels.folder} hint={labels.folderHint}>
          {(id) => <TextInput id={id} value={folder} onChange={({ target }) => setFolder(target.value)} />}
        </Field>
        <Field label={labels.gitBranch} hint={labels.gitBranchHint}>
          {(id) => <TextInput id={id} value={gitBranch} onChange={({ target }) => setGitBranch(target.value)} />}
        </Field>
      </form>
    </Dialog>
  )
}

/** A name of a folder, from that of a branch. */
function nameOf(branch: string): string {
  const name = branch
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return name === '' ? 'branch' : name.slice(0, 40)
}
