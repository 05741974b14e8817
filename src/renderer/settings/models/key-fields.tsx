import type { ReactNode } from 'react'
import type { PresetView } from '#shared/contract/views/models.ts'
import type { SettingsView } from '#shared/contract/views/settings.ts'
import { profileFormStrings } from '../../strings/later/model-settings.ts'
import { strings } from '../../strings/strings.ts'
import { Field, TextInput } from '../../ui/controls/field.tsx'
import { Check, Choice } from '../fields.tsx'
import { Line } from './form-parts.tsx'
import { isCloudKind, type KeyPlace, type ProfileForm, type ProfileProblems } from './profile-draft.ts'

const labels = profileFormStrings

/** A key in the form. It goes down and never comes up. */
export interface TypedKey {
  readonly text: string
  /** Kept on this machine. Where it has no key store, ticking the box is the consent to a file. */
  readonly remember: boolean
}

interface KeyFieldsProps {
  readonly form: ProfileForm
  readonly preset: PresetView | undefined
  readonly problems: ProfileProblems
  readonly typed: TypedKey
  readonly storage: SettingsView['keyStorage']
  /** True when the saved profile has a key now. */
  readonly hasKey: boolean
  readonly onChange: (update: Partial<ProfileForm>) => void
  readonly onType: (typed: TypedKey) => void
}

const places: readonly KeyPlace[] = ['typed', 'env', 'command', 'none']

/** Where the key comes from, and the fields of that place. */
export function KeyFields(props: KeyFieldsProps): ReactNode {
  const { form, preset, problems, typed, storage, hasKey, onChange, onType } = props
  const textOf = (place: KeyPlace) =>
    place === 'none' && isCloudKind(form.kind) ? labels.places.cloud : labels.places[place]
  const hint = hasKey ? labels.keyKept : preset?.env ? labels.keyOrEnv(preset.env) : undefined
  return (
    <>
      <Choice
        label={labels.place}
        value={form.place}
        options={places.map((place) => ({ value: place, ...textOf(place) }))}
        onChange={(place) => onChange({ place })}
      />
      {form.place === 'typed' && (
        <>
          <Field label={labels.key} hint={hint}>
            {(id) => (
              <TextInput
                id={id}
                type="password"
                autoComplete="off"
                placeholder={labels.keyPlaceholder}
                value={typed.text}
                onChange={({ target }) => onType({ ...typed, text: target.value })}
              />
            )}
          </Field>
          {storage !== 'none' && (
            <Check
              label={storage === 'plain' ? strings.settings.rememberInFile : strings.settings.remember}
              checked={typed.remember}
              onChange={(remember) => onType({ ...typed, remember })}
            />
          )}
          {typed.text !== '' && !(typed.remember && storage !== 'none') && (
            <p className="text-muted text-xs">{strings.settings.thisSession}</p>
          )}
        </>
      )}
      {form.place === 'env' && (
        <Line
          code
          label={labels.env}
          value={form.env}
          problem={problems.env}
          placeholder={preset?.env ?? undefined}
          onChange={(env) => onChange({ env })}
        />
      )}
      {form.place === 'command' && (
        <Line
          code
          label={labels.command}
          hint={labels.commandHint}
          value={form.command}
          problem={problems.command}
          onChange={(command) => onChange({ command })}
        />
      )}
    </>
  )
}
