import { X } from 'lucide-react'
import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import type { ModelTest, ProfileView } from '#shared/contract/views/models.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useClient, useCommand } from '../../state/hooks/hooks.tsx'
import { modelTestStrings } from '../../strings/later/model-settings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Field, TextInput } from '../../ui/controls/field.tsx'
import { TestResult, TestRunning } from './test-result.tsx'
import { serverName } from './use-models.ts'

const labels = modelTestStrings

/** A closed list of thousands of names helps nobody. */
const mostSuggestions = 200

interface ProfileTestProps {
  readonly profile: ProfileView
  readonly onTested: (ok: boolean) => void
  readonly onClose: () => void
}

/** Tests a saved profile as soon as it opens, and again with a model that the person names. */
export function ProfileTest({ profile, onTested, onClose }: ProfileTestProps): ReactNode {
  const { name } = profile
  const client = useClient()
  const { run: runCommand, busy, refusal } = useCommand()
  const [model, setModel] = useState('')
  const [result, setResult] = useState<ModelTest | null>(null)
  const tell = useRef(onTested)
  tell.current = onTested

  const run = useCallback(
    (wanted: string) =>
      runCommand(async () => {
        setResult(null)
        const tested = await client.models.test({ profile: name, ...(wanted !== '' && { model: wanted }) })
        setResult(tested)
        tell.current(tested.ok)
      }),
    [client, name, runCommand],
  )
  // Opening the panel is the wish for a test. Strict mode mounts twice, and a test costs money.
  const hasBegun = useRef(false)
  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    void run('')
  }, [run])
  function again(event: FormEvent): void {
    event.preventDefault()
    void run(model.trim())
  }
  return (
    <section aria-label={labels.result(name)} className="flex flex-col gap-3">
      {busy && <TestRunning />}
      {refusal && <RefusalNotice refusal={refusal} />}
      {result && !busy && <TestResult result={result} />}
      <form onSubmit={again} className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <Field label={labels.model}>
            {(id) => (
              <>
                <TextInput
                  id={id}
                  list={`${id}-list`}
                  value={model}
                  onChange={({ target }) => setModel(target.value)}
                  className="font-mono text-xs"
                />
                <datalist id={`${id}-list`}>
                  {profile.models.slice(0, mostSuggestions).map(({ id: full }) => (
                    <option key={full} value={serverName(profile, full)} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
        </div>
        <span className="flex min-h-8 items-center gap-1">
          <Button type="submit" disabled={busy}>
            {labels.again}
          </Button>
          <IconButton label={labels.close} onClick={onClose}>
            <X size={14} aria-hidden />
          </IconButton>
        </span>
      </form>
      <p className="-mt-2 text-muted text-xs">{labels.modelHint}</p>
    </section>
  )
}
