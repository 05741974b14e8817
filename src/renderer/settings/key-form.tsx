import { type FormEvent, type ReactNode, useState } from 'react'
import type { ConnectionTest } from '#shared/contract/views/app.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useClient, useCommand, useSession } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Field, TextInput } from '../ui/controls/field.tsx'
import { Notice } from '../ui/controls/notice.tsx'

const labels = strings.settings

/** The key and address of the model, with a test that makes one tiny call. Calls `onReady` once both are saved. */
export function KeyForm({
  onReady,
  readyLabel = labels.useAndSend,
}: {
  onReady: () => void
  readyLabel?: string
}): ReactNode {
  const session = useSession()
  const client = useClient()
  const [settings] = useQuery('settings.get', undefined)
  const [key, setKey] = useState('')
  const [address, setAddress] = useState<string | null>(null)
  const [remember, setRemember] = useState(true)
  const [consent, setConsent] = useState(false)
  const [tested, setTested] = useState<ConnectionTest | null>(null)
  const working = useCommand()
  const baseUrl = address ?? settings.value?.baseUrl ?? ''
  const plain = settings.value?.keyStorage === 'plain'
  const keeps = settings.value?.keyStorage !== 'none'

  async function test(): Promise<void> {
    setTested(null)
    await working.run(async () =>
      setTested(await client.settings.test({ ...(key && { key }), ...(baseUrl && { baseUrl }) })),
    )
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    const done = await working.run(async () => {
      if (address !== null) await client.settings.update({ baseUrl: address.trim() || null })
      if (key.trim() !== '') await client.settings.setKey({ key, remember: remember && keeps, consent })
      await session.refreshInfo()
    })
    if (!done) return
    setKey('')
    onReady()
  }

  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={labels.key}>
          {(id) => (
            <TextInput
              id={id}
              type="password"
              autoComplete="off"
              placeholder={labels.keyPlaceholder}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <Field label={labels.baseUrl} hint={labels.baseUrlHint}>
          {(id) => (
            <TextInput
              id={id}
              type="url"
              placeholder="https://api.anthropic.com"
              value={baseUrl}
              onChange={(event) => setAddress(event.target.value)}
            />
          )}
        </Field>
      </div>
      {keeps && <Check label={labels.remember} checked={remember} onChange={setRemember} />}
      {plain && remember && (
        <Check label={`${labels.consent}. ${labels.consentWhy}`} checked={consent} onChange={setConsent} />
      )}
      {tested && (
        <Notice
          tone={tested.ok ? 'info' : 'error'}
          title={tested.message}
          detail={tested.models.map(({ name }) => name).join(', ')}
        />
      )}
      {working.refusal && <RefusalNotice refusal={working.refusal} />}
      <div className="flex gap-2">
        <Button type="submit" tone="primary" disabled={working.busy || (plain && remember && key !== '' && !consent)}>
          {readyLabel}
        </Button>
        <Button disabled={working.busy} onClick={() => void test()}>
          {labels.test}
        </Button>
      </div>
    </form>
  )
}

interface CheckProps {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

function Check({ label, checked, onChange }: CheckProps): ReactNode {
  return (
    <label className="flex min-h-6 items-center gap-2">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 accent-accent-solid"
      />
      {label}
    </label>
  )
}
