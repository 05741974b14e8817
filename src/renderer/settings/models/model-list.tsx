import { Pencil, RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import type { ProfileModel, ProfileView } from '#shared/contract/views/models.ts'
import { partNames } from '#shared/model/models/part-names.ts'
import { formatCount } from '#shared/text/format.ts'
import { AbilityMarks } from '../../parts/models/ability-marks.tsx'
import { describePrice } from '../../parts/models/describe-model.ts'
import { useClient } from '../../state/hooks/hooks.tsx'
import { modelSettingsStrings } from '../../strings/later/model-settings.ts'
import { modelStrings } from '../../strings/later/models.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { TextInput } from '../../ui/controls/field.tsx'
import { toastNote } from '../../ui/controls/toast.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { ModelEditor } from './model-form.tsx'
import { type Models, serverName } from './use-models.ts'

const labels = modelSettingsStrings
/** A gateway lists thousands. Typing is quicker than reading them. */
const mostRows = 50
const fewRows = 8

interface ModelListProps {
  readonly profile: ProfileView
  readonly models: Models
  readonly onList: () => void
}

/** The models of a profile: window, prices, abilities, and what their server refused. */
export function ModelList({ profile, models, onList }: ModelListProps): ReactNode {
  const { name } = profile
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLowerCase()
  const found = profile.models.filter((model) => `${model.id} ${model.name}`.toLowerCase().includes(wanted))
  const more = found.length - mostRows
  return (
    <div className="flex flex-col gap-2 border-line border-t p-3">
      {profile.models.length === 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-0 flex-1 basis-60 text-muted">{labels.noModels}</p>
          <Button disabled={models.command.busy} onClick={onList}>
            {labels.list}
          </Button>
        </div>
      )}
      {profile.models.length > fewRows && (
        <TextInput
          type="search"
          aria-label={labels.filter(name)}
          placeholder={labels.filter(name)}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      )}
      {profile.models.length > 0 && found.length === 0 && <p className="text-muted">{labels.noMatch}</p>}
      <ul aria-label={labels.modelsOf(name)} className="flex flex-col">
        {found.slice(0, mostRows).map((model) => (
          <ModelRow
            key={model.id}
            profile={profile}
            model={model}
            choice={models.known.get(model.id)}
            models={models}
          />
        ))}
      </ul>
      {more > 0 && <p className="text-muted text-xs">{labels.moreModels(more)}</p>}
      {profile.builtIn && <p className="text-muted text-xs">{labels.builtInModels}</p>}
    </div>
  )
}

interface ModelRowProps {
  readonly profile: ProfileView
  readonly model: ProfileModel
  /** What is known of it; undefined for a model that only its refusals made known. */
  readonly choice: ModelChoice | undefined
  readonly models: Models
}

function ModelRow({ profile, model, choice, models }: ModelRowProps): ReactNode {
  const client = useClient()
  const [isEditing, setEditing] = useState(false)
  const target = { profile: profile.name, model: serverName(profile, model.id) }
  const forget = async (): Promise<void> => {
    if (await models.act(() => client.models.forget(target))) toastNote(labels.forgotten(model.name))
  }
  const facts = [
    ...(model.name === model.id ? [] : [model.id]),
    ...(choice ? [modelStrings.window(formatCount(choice.contextWindow)), describePrice(choice)] : []),
    ...(model.edited ? [labels.edited] : []),
  ]
  return (
    <li aria-label={model.name} className="border-line py-1.5 not-last:border-b">
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          <p>
            <VisibleText text={model.name} />
          </p>
          <p className="text-muted text-xs tabular-nums">
            <VisibleText text={facts.join(' · ')} />
          </p>
        </div>
        <AbilityMarks can={choice?.can} />
        {!profile.builtIn && choice && (
          <IconButton
            label={labels.editModel(model.name)}
            aria-expanded={isEditing}
            onClick={() => setEditing(!isEditing)}
          >
            <Pencil size={13} aria-hidden />
          </IconButton>
        )}
      </div>
      {model.refused.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-2 text-muted text-xs">
          {labels.leftOut(model.refused.map((part) => partNames[part] ?? part).join(', '))}
          <Button
            tone="quiet"
            icon={<RotateCw size={12} aria-hidden />}
            aria-label={labels.tryAgainNamed(model.name)}
            disabled={models.command.busy}
            onClick={() => void forget()}
          >
            {labels.tryAgain}
          </Button>
        </p>
      )}
      {isEditing && choice && (
        <ModelEditor
          model={choice}
          isEdited={model.edited === true}
          onCancel={() => setEditing(false)}
          onSave={async (draft) => {
            const isSaved = await models.act(() => client.models.setModel({ ...target, draft }))
            if (isSaved) setEditing(false)
            return isSaved
          }}
        />
      )}
    </li>
  )
}
