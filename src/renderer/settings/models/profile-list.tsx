import { Plus, Radar } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { LocalServer, ModelsView } from '#shared/contract/views/models.ts'
import type { SettingsView } from '#shared/contract/views/settings.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useClient, useCommand } from '../../state/hooks/hooks.tsx'
import { localServerStrings, modelSettingsStrings } from '../../strings/later/model-settings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { toastNote } from '../../ui/controls/toast.ts'
import { LocalServers } from './local-servers.tsx'
import { freeName } from './profile-draft.ts'
import { ProfileEditor } from './profile-form.tsx'
import { ProfileRow } from './profile-row.tsx'
import type { Models } from './use-models.ts'

const labels = modelSettingsStrings

interface ProfileListProps {
  readonly models: Models
  readonly view: ModelsView
  readonly keyStorage: SettingsView['keyStorage']
  /** Shows the form for the key and address of the built-in profile. */
  readonly onEditBuiltIn: () => void
}

/** Every way to reach models, with its test, its models and its form. */
export function ProfileList({ models, view, keyStorage, onEditBuiltIn }: ProfileListProps): ReactNode {
  const client = useClient()
  const finding = useCommand()
  const [isAdding, setAdding] = useState(false)
  const [found, setFound] = useState<readonly LocalServer[] | null>(null)

  async function find(): Promise<void> {
    setFound(null)
    await finding.run(async () => setFound(await client.models.findLocal()))
  }
  async function add({ preset }: LocalServer): Promise<void> {
    const name = freeName(preset, new Set(view.profiles.map((profile) => profile.name)))
    const isAdded = await models.act(() => client.models.save({ draft: { name, preset }, replaces: null }))
    if (isAdded) toastNote(localServerStrings.added(name))
  }
  function onSaved(name: string): void {
    setAdding(false)
    toastNote(labels.saved(name))
    void models.reload()
  }
  return (
    <section aria-labelledby="model-profiles" className="flex flex-col gap-3">
      <div>
        <h3 id="model-profiles" className="font-semibold text-base">
          {labels.profiles}
        </h3>
        <p className="text-muted">{labels.profilesAbout}</p>
      </div>
      <ul className="flex flex-col gap-2">
        {view.profiles.map((profile) => (
          <ProfileRow
            key={profile.name}
            profile={profile}
            models={models}
            view={view}
            keyStorage={keyStorage}
            onEditBuiltIn={onEditBuiltIn}
            onSaved={onSaved}
          />
        ))}
      </ul>
      {models.command.refusal && <RefusalNotice refusal={models.command.refusal} />}
      {isAdding ? (
        <ProfileEditor
          view={view}
          profile={null}
          keyStorage={keyStorage}
          onSaved={onSaved}
          onCancel={() => setAdding(false)}
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button icon={<Plus size={14} aria-hidden />} onClick={() => setAdding(true)}>
            {labels.add}
          </Button>
          <Button icon={<Radar size={14} aria-hidden />} disabled={finding.busy} onClick={() => void find()}>
            {finding.busy ? labels.finding : labels.find}
          </Button>
        </div>
      )}
      {finding.refusal && <RefusalNotice refusal={finding.refusal} />}
      {found && (
        <LocalServers
          found={found}
          view={view}
          busy={models.command.busy}
          onAdd={(server) => void add(server)}
          onClose={() => setFound(null)}
        />
      )}
    </section>
  )
}
