import { KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApp, useClient, useSession } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { SavedField } from './fields.tsx'
import { KeyForm } from './key-form.tsx'
import type { SectionProps } from './section-props.ts'

const labels = strings.settings

export function ModelSettings({ settings, command, change, reload }: SectionProps): ReactNode {
  const session = useSession()
  const client = useClient()
  const models = useApp((state) => state.info?.provider.models) ?? []
  async function clearKey(): Promise<void> {
    await command.run(async () => {
      await client.settings.clearKey()
      await session.refreshInfo()
      reload()
    })
  }
  return (
    <>
      <SavedField
        key={settings.model}
        label={labels.model}
        hint={labels.modelHint}
        value={settings.model}
        suggestions={models.map(({ id }) => id)}
        onSave={(model) => void (model && change({ model }))}
      />
      <section aria-label={labels.key} className="flex flex-col gap-3 rounded-lg border border-line p-3">
        <p className="flex items-center gap-2">
          <KeyRound size={15} aria-hidden className={settings.keySource ? 'text-good' : 'text-warn'} />
          {settings.keySource ? strings.home.keyFrom[settings.keySource] : labels.keyMissing}
          {settings.keySource && settings.keySource !== 'environment' && (
            <Button tone="danger" className="ml-auto" disabled={command.busy} onClick={() => void clearKey()}>
              {labels.clearKey}
            </Button>
          )}
        </p>
        <KeyForm
          readyLabel={strings.common.save}
          onReady={() => {
            toastNote(labels.saved)
            reload()
          }}
        />
      </section>
      <SavedField
        long
        label={labels.systemPrompt}
        hint={labels.systemPromptHint}
        value={settings.systemPrompt ?? ''}
        onSave={(text) => void change({ systemPrompt: text || null })}
      />
      <SavedField
        type="number"
        label={labels.maxIterations}
        hint={labels.maxIterationsHint}
        value={String(settings.maxIterations)}
        onSave={(text) => void (Number(text) > 0 && change({ maxIterations: Math.trunc(Number(text)) }))}
      />
    </>
  )
}
