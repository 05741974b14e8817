import { KeyRound } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useClient } from '../state/hooks/hooks.tsx'
import { modelSettingsStrings } from '../strings/later/model-settings.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { SavedField } from './fields.tsx'
import { KeyForm } from './key-form.tsx'
import { ModelRoles } from './models/model-roles.tsx'
import { ProfileList } from './models/profile-list.tsx'
import { useModels } from './models/use-models.ts'
import type { SectionProps } from './section-props.ts'

const labels = strings.settings

interface ModelSettingsProps extends SectionProps {
  /** The text of the settings file. Profiles are asked for again when it changes. */
  readonly text: string
}

export function ModelSettings({ settings, text, command, change, reload }: ModelSettingsProps): ReactNode {
  const client = useClient()
  const models = useModels(text, reload)
  const keySection = useRef<HTMLElement>(null)
  const builtIn = models.view?.profiles.find((profile) => profile.builtIn)
  const source = builtIn?.secret === 'command' ? 'environment' : (builtIn?.secret ?? null)
  function showKey(): void {
    keySection.current?.scrollIntoView({ block: 'center' })
    keySection.current?.querySelector('input')?.focus({ preventScroll: true })
  }
  if (models.failure) return <RefusalNotice refusal={models.failure} onRetry={() => void models.reload()} />
  if (!models.view) return <p className="text-muted">{strings.common.loading}</p>
  return (
    <>
      <ModelRoles
        models={models}
        view={models.view}
        model={settings.model}
        onModel={(model) => void change({ model })}
      />
      <ProfileList models={models} view={models.view} keyStorage={settings.keyStorage} onEditBuiltIn={showKey} />
      {builtIn && (
        <section
          ref={keySection}
          aria-label={modelSettingsStrings.builtInKey(builtIn.name)}
          className="flex flex-col gap-3 rounded-lg border border-line p-3"
        >
          <h3 className="font-semibold text-base">{modelSettingsStrings.builtInKey(builtIn.name)}</h3>
          <p className="flex items-center gap-2">
            <KeyRound size={15} aria-hidden className={builtIn.secret ? 'text-good' : 'text-warn'} />
            {source ? strings.home.keyFrom[source] : labels.keyMissing}
            {(source === 'stored' || source === 'memory') && (
              <Button
                tone="danger"
                className="ml-auto"
                disabled={command.busy}
                onClick={() => void models.act(() => client.models.clearKey({ profile: builtIn.name }))}
              >
                {labels.clearKey}
              </Button>
            )}
          </p>
          <KeyForm
            readyLabel={strings.common.save}
            onReady={() => {
              toastNote(labels.saved)
              void models.reload()
            }}
          />
        </section>
      )}
      <SavedField
        long
        label={labels.systemPrompt}
        hint={labels.systemPromptHint}
        value={settings.systemPrompt ?? ''}
        onSave={(prompt) => void change({ systemPrompt: prompt || null })}
      />
      <SavedField
        type="number"
        label={labels.maxIterations}
        hint={labels.maxIterationsHint}
        value={String(settings.maxIterations)}
        onSave={(steps) => void (Number(steps) > 0 && change({ maxIterations: Math.trunc(Number(steps)) }))}
      />
    </>
  )
}
