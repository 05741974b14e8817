import { type FormEvent, type ReactNode, useState } from 'react'
import type { ConnectionTest } from '#shared/contract/views/app.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useSession } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Field, Select, TextInput } from '../ui/controls/field.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { Check } from './fields.tsx'

const labels = strings.settings
const usualAddress = 'https://api.anthropic.com'

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
  const [tested, setTested] = useState<ConnectionTest | null>(null)
  const [model, setModel] = useState<string | null>(null)
  const [missing, setMissing] = useState(false)
  const working = useCommand()
  const used = useApp((state) => state.info?.provider.baseUrl ?? null)
  const saved = settings.value?.baseUrl ?? null
  const baseUrl = address ?? saved ?? ''
  const storage = settings.value?.keyStorage ?? 'none'
  // Without a key store, a key is kept only by a person who asks for it.
  const [wanted, setWanted] = useState<boolean | null>(null)
  const remember = storage !== 'none' && (wanted ?? storage !== 'plain')
  /** Without a key, only a server of one's own answers. */
  const answers = [key.trim(), settings.value?.keySource, baseUrl.trim(), used].some(Boolean)

  async function test(): Promise<void> {
    setTested(null)
    await working.run(async () =>
      showTest(await client.settings.test({ ...(key && { key }), ...(baseUrl && { baseUrl }) })),
    )
  }

  /** A server that does not have the chosen model would refuse the first message, so one that it has is chosen. */
  function showTest(result: ConnectionTest): void {
    setTested(result)
    const [first] = result.models
    const isThere = result.models.some(({ id }) => id === settings.value?.model)
    setModel(first && !isThere ? first.id : null)
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    setMissing(!answers)
    if (!answers) return
    const done = await working.run(async () => {
      if (address !== null) await client.settings.update({ baseUrl: address.trim() || null })
      if (model !== null) await client.settings.update({ model })
      if (key.trim() !== '') await client.settings.setKey({ key, remember, consent: remember })
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
        <Field
          label={labels.baseUrl}
          hint={saved === null && used !== null ? labels.baseUrlUsed(used) : labels.baseUrlHint}
        >
          {(id) => (
            <TextInput
              id={id}
              type="url"
              placeholder={used ?? usualAddress}
              value={baseUrl}
              onChange={(event) => setAddress(event.target.value)}
            />
          )}
        </Field>
      </div>
      {storage !== 'none' && (
        <Check
          label={storage === 'plain' ? labels.rememberInFile : labels.remember}
          checked={remember}
          onChange={setWanted}
        />
      )}
      {!remember && key !== '' && <p className="text-muted text-xs">{labels.thisSession}</p>}
      {missing && !answers && <Notice tone="warning" title={labels.nothingToUse} detail={labels.nothingToUseDetail} />}
      {tested && (
        <Notice
          tone={tested.ok ? 'info' : 'error'}
          title={tested.message}
          detail={tested.models.map(({ name }) => name).join(', ')}
        />
      )}
      {model !== null && tested && (
        <Field label={labels.model} hint={labels.modelChosen}>
          {(id) => (
            <Select id={id} value={model} onChange={(event) => setModel(event.target.value)}>
              {tested.models.map((found) => (
                <option key={found.id} value={found.id}>
                  {found.name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {working.refusal && <RefusalNotice refusal={working.refusal} />}
      <div className="flex gap-2">
        <Button type="submit" tone="primary" disabled={working.busy}>
          {readyLabel}
        </Button>
        <Button disabled={working.busy} onClick={() => void test()}>
          {labels.test}
        </Button>
      </div>
    </form>
  )
}
