import { type ReactNode, useState } from 'react'
import { commitUnits } from '#shared/model/delivery.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { redRequired } from '../../parts/checks/check-words.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useApp } from '../../state/hooks/hooks.tsx'
import { useLeavingChecks } from '../../state/hooks/use-checks.ts'
import { activeRoot } from '../../state/store/selectors.ts'
import { checkDetails } from '../../strings/later/check-details.ts'
import { deliveryStrings as labels } from '../../strings/later/delivery.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { Field, Select, TextInput } from '../../ui/controls/field.tsx'
import { toastNote } from '../../ui/controls/toast.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { LeavingChecks } from '../leaving-checks.tsx'
import { UnseenLines } from '../unseen-lines.tsx'
import { DeliveryPlanView } from './delivery-plan-view.tsx'
import { DeliveryReceiptView } from './delivery-receipt-view.tsx'
import { HooksView } from './hooks-view.tsx'
import { branchNameOf, type Deliver, useDelivery } from './use-delivery.ts'

interface DeliverDialogProps {
  readonly branchId: BranchId
  readonly onClose: () => void
}

/** Makes commits of the changes: what they will be, where they go, and afterwards the push and the way back. */
export function DeliverDialog({ branchId, onClose }: DeliverDialogProps): ReactNode {
  const title = useApp((state) => activeRoot(state)?.title ?? '')
  const deliver = useDelivery(branchId, branchNameOf(title))
  const { receipts, making, plans, refusal } = deliver
  const checks = useLeavingChecks(branchId, null)
  const red = checks ? redRequired(checks) : []
  return (
    <Dialog
      wide
      title={labels.title}
      description={labels.description}
      closeLabel={strings.common.close}
      onClose={onClose}
      footer={<Footer key={red.join()} deliver={deliver} red={red} onClose={onClose} />}
    >
      <div className="flex flex-col gap-3">
        {making.refusal && <RefusalNotice refusal={making.refusal} />}
        {receipts.length > 0 ? (
          <DeliveryReceiptView deliver={deliver} title={title} />
        ) : (
          <>
            <Form deliver={deliver} />
            <HooksView deliver={deliver} />
            <LeavingChecks checks={checks} isWhole />
            <UnseenLines branchId={branchId} paths={null} />
            {refusal && <RefusalNotice refusal={refusal} onRetry={deliver.reload} />}
            {!refusal && !plans && deliver.choice.to.trim() !== '' && <Waiting label={labels.planning} />}
            {!refusal && plans && <DeliveryPlanView deliver={deliver} plans={plans} />}
          </>
        )}
      </div>
    </Dialog>
  )
}

function Form({ deliver: { choice, choose, plans, hooks } }: { readonly deliver: Deliver }): ReactNode {
  const standing = (plans?.plans ?? []).flatMap(({ files }) => files.filter(({ uncommitted }) => uncommitted !== null))
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_14rem]">
        <Field label={labels.branch} hint={labels.branchHint}>
          {(id) => (
            <TextInput id={id} value={choice.to} onChange={({ target }) => choose({ to: target.value, keep: [] })} />
          )}
        </Field>
        <Field label={labels.per}>
          {(id) => (
            <Select
              id={id}
              value={choice.per}
              onChange={({ target }) => choose({ per: commitUnits.find((unit) => unit === target.value) ?? 'all' })}
            >
              {commitUnits.map((unit) => (
                <option key={unit} value={unit}>
                  {labels.units[unit]}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      {(standing.length > 0 || choice.uncommitted === 'include') && (
        <Box
          checked={choice.uncommitted === 'include'}
          onChange={(includes) => choose({ uncommitted: includes ? 'include' : 'leave' })}
          label={labels.uncommitted}
          hint={labels.uncommittedHint(standing.length)}
        />
      )}
      <Box checked={hooks.isOn} onChange={hooks.setOn} label={labels.runHooks} hint={labels.runHooksHint} />
    </>
  )
}

interface BoxProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly label: string
  readonly hint: string
}

function Box({ checked, onChange, label, hint }: BoxProps): ReactNode {
  return (
    <label className="flex items-start gap-2">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        className="mt-0.5 size-4 accent-accent-solid"
      />
      <span>
        {label}
        <span className="block text-muted text-xs">{hint}</span>
      </span>
    </label>
  )
}

interface FooterProps {
  readonly deliver: Deliver
  /** Names of required checks that are red. Then delivering takes a second press. */
  readonly red: readonly string[]
  readonly onClose: () => void
}

function Footer({ deliver, red, onClose }: FooterProps): ReactNode {
  const [isWarned, setWarned] = useState(false)
  const { receipts, making, plans, messages } = deliver
  async function undo(): Promise<void> {
    if (!(await deliver.undo())) return
    toastNote(labels.undone)
    onClose()
  }
  if (receipts.length > 0)
    return (
      <>
        <Button tone="danger" disabled={making.busy} onClick={() => void undo()}>
          {labels.undo}
        </Button>
        <Button tone="primary" onClick={onClose}>
          {strings.common.close}
        </Button>
      </>
    )
  const files = (plans?.plans ?? []).flatMap((plan) => plan.files)
  const unready =
    making.busy ||
    deliver.hooks.running.busy ||
    messages.length === 0 ||
    files.some(({ state }) => state === 'conflict')
  return (
    <>
      {isWarned && (
        <p role="alert" className="mr-auto min-w-40 flex-1 text-warn">
          <VisibleText text={`${checkDetails.leaving.red(red)}. ${checkDetails.leaving.redDetail}`} />
        </p>
      )}
      <Button onClick={onClose}>{strings.common.cancel}</Button>
      <Button
        tone="primary"
        disabled={unready}
        onClick={() => (red.length > 0 && !isWarned ? setWarned(true) : void deliver.make())}
      >
        {isWarned ? checkDetails.leaving.confirm : labels.deliver(messages.length)}
      </Button>
    </>
  )
}
