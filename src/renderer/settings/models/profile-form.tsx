import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import type { ModelsView, ModelTest, PresetView, ProfileView } from '#shared/contract/views/models.ts'
import type { SettingsView } from '#shared/contract/views/settings.ts'
import { providerKinds, secretSchemes, thoughtModes } from '#shared/model/models/provider.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useOpenLink } from '../../parts/use-open-link.ts'
import { useClient, useCommand } from '../../state/hooks/hooks.tsx'
import { modelSettingsStrings, profileFormStrings } from '../../strings/later/model-settings.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Field, Select } from '../../ui/controls/field.tsx'
import { focusProblem, Line, Pick } from './form-parts.tsx'
import { KeyFields, type TypedKey } from './key-fields.tsx'
import { draftOf, formOf, isCloudKind, newProfile, type ProfileForm, type ProfileProblems } from './profile-draft.ts'
import { TestResult, TestRunning } from './test-result.tsx'

const labels = profileFormStrings

interface ProfileEditorProps {
  readonly view: ModelsView
  /** The profile that is changed; null for a new one. */
  readonly profile: ProfileView | null
  readonly keyStorage: SettingsView['keyStorage']
  readonly onSaved: (name: string) => void
  readonly onCancel: () => void
}

/** The form of a profile. A refusal keeps everything that was typed, and the key of a saved profile is never shown. */
export function ProfileEditor({ view, profile, keyStorage, onSaved, onCancel }: ProfileEditorProps): ReactNode {
  const client = useClient()
  const saving = useCommand()
  const testing = useCommand()
  const [taken] = useState(() => takenNames(view, profile))
  const [form, setForm] = useState<ProfileForm>(() => (profile ? formOf(profile) : newProfile(null, taken)))
  const [key, setKey] = useState<TypedKey>({ text: '', remember: keyStorage === 'system' })
  const [problems, setProblems] = useState<ProfileProblems>({})
  const [result, setResult] = useState<ModelTest | null>(null)
  const box = useRef<HTMLFormElement>(null)
  const preset = view.presets.find(({ id }) => id === form.preset)
  const typed = form.place === 'typed' ? key.text.trim() : ''

  function change(update: Partial<ProfileForm>): void {
    setForm({ ...form, ...update })
    // What was wrong with a field is said until it is typed in again.
    setProblems(Object.fromEntries(Object.entries(problems).filter(([field]) => !(field in update))))
  }
  function choosePreset(id: string): void {
    const next = view.presets.find((one) => one.id === id) ?? null
    setForm(newProfile(next, taken))
    setProblems({})
    setResult(null)
  }
  /** The draft, or null after it said what is wrong. */
  function readDraft() {
    const read = draftOf(form, { preset, taken })
    setProblems('problems' in read ? read.problems : {})
    if ('problems' in read) focusProblem(box.current)
    return 'draft' in read ? read.draft : null
  }
  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    const draft = readDraft()
    if (!draft) return
    const remember = key.remember && keyStorage !== 'none'
    const given = typed === '' ? {} : { key: { key: typed, remember, consent: remember } }
    const replaces = profile && !profile.builtIn ? profile.name : null
    if (await saving.run(() => client.models.save({ draft, replaces, ...given }))) onSaved(draft.name)
  }
  async function test(): Promise<void> {
    const draft = readDraft()
    if (!draft) return
    setResult(null)
    await testing.run(async () =>
      setResult(await client.models.test({ profile: draft, ...(typed !== '' && { key: typed }) })),
    )
  }
  const title = profile ? labels.title.edit(profile.name) : labels.title.add
  return (
    <form
      ref={box}
      noValidate
      aria-label={title}
      onSubmit={(event) => void save(event)}
      className="flex flex-col gap-3 rounded-lg border border-line-strong bg-raised p-3"
    >
      <h4 className="font-semibold">{title}</h4>
      {!profile && <PresetChoice presets={view.presets} preset={preset} onChoose={choosePreset} />}
      {!profile && (
        <Line
          label={labels.name}
          hint={labels.nameHint}
          value={form.name}
          problem={problems.name}
          onChange={(name) => change({ name })}
        />
      )}
      {form.preset === null && (
        <Pick
          label={labels.kind}
          value={form.kind}
          options={providerKinds.map((kind) => [kind, modelSettingsStrings.kinds[kind]] as const)}
          onChange={(kind) => change({ kind })}
        />
      )}
      <Line
        label={labels.address}
        hint={addressHint(form, preset)}
        placeholder={preset?.address || undefined}
        value={form.address}
        problem={problems.address}
        onChange={(address) => change({ address })}
      />
      {isCloudKind(form.kind) && <CloudFields form={form} problems={problems} onChange={change} />}
      <KeyFields
        form={form}
        preset={preset}
        problems={problems}
        typed={key}
        storage={keyStorage}
        hasKey={profile !== null && profile.secret !== null}
        onChange={change}
        onType={setKey}
      />
      <details open={problems.concurrency !== undefined || problems.headers !== undefined}>
        <summary className="min-h-6 cursor-pointer text-muted">{labels.further}</summary>
        <div className="flex flex-col gap-3 pt-2">
          {form.place !== 'none' && (
            <Pick
              label={labels.scheme}
              value={form.scheme}
              options={[
                ['usual', labels.schemeUsual],
                ...secretSchemes
                  .filter((scheme) => scheme !== 'none')
                  .map((scheme) => [scheme, labels.schemes[scheme]] as const),
              ]}
              onChange={(scheme) => change({ scheme })}
            />
          )}
          <Line
            number
            label={labels.concurrency}
            hint={labels.concurrencyHint}
            value={form.concurrency}
            problem={problems.concurrency}
            onChange={(concurrency) => change({ concurrency })}
          />
          <Line
            long
            code
            label={labels.headers}
            hint={labels.headersHint}
            value={form.headers}
            problem={problems.headers}
            onChange={(headers) => change({ headers })}
          />
          <Pick
            label={labels.thoughts}
            value={form.thoughts}
            options={[
              ['usual', labels.thoughtsUsual],
              ...thoughtModes.map((mode) => [mode, labels.thoughtModes[mode]] as const),
            ]}
            onChange={(thoughts) => change({ thoughts })}
          />
        </div>
      </details>
      {testing.busy && <TestRunning />}
      {testing.refusal && <RefusalNotice refusal={testing.refusal} />}
      {result && <TestResult result={result} />}
      {saving.refusal && <RefusalNotice refusal={saving.refusal} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" disabled={saving.busy}>
          {labels.save}
        </Button>
        <Button disabled={testing.busy} onClick={() => void test()}>
          {labels.test}
        </Button>
        <Button tone="quiet" onClick={onCancel}>
          {strings.common.cancel}
        </Button>
      </div>
    </form>
  )
}

/** Names that a new profile cannot have. The built-in profile may get settings of its own under its name. */
function takenNames({ profiles }: ModelsView, profile: ProfileView | null): ReadonlySet<string> {
  return new Set(profiles.flatMap(({ name, builtIn }) => (builtIn || name === profile?.name ? [] : [name])))
}

function addressHint({ kind }: ProfileForm, preset: PresetView | undefined): string {
  if (preset?.address) return labels.addressUsual(preset.address)
  return isCloudKind(kind) ? labels.addressCloud : labels.addressHint
}

interface PresetChoiceProps {
  readonly presets: readonly PresetView[]
  readonly preset: PresetView | undefined
  readonly onChoose: (id: string) => void
}

function PresetChoice({ presets, preset, onChoose }: PresetChoiceProps): ReactNode {
  const openLink = useOpenLink()
  const option = ({ id, name }: PresetView): ReactNode => (
    <option key={id} value={id}>
      {name}
    </option>
  )
  return (
    <Field
      label={labels.server}
      hint={
        preset && (
          <a
            href={preset.page}
            className="text-accent underline [overflow-wrap:anywhere]"
            onClick={(event) => {
              event.preventDefault()
              openLink(preset.page)
            }}
          >
            {`${labels.page}: ${preset.page}`}
          </a>
        )
      }
    >
      {(id) => (
        <Select id={id} value={preset?.id ?? ''} onChange={({ target }) => onChoose(target.value)}>
          <option value="">{labels.other}</option>
          <optgroup label={labels.groups.hosted}>{presets.filter(({ local }) => !local).map(option)}</optgroup>
          <optgroup label={labels.groups.local}>{presets.filter(({ local }) => local).map(option)}</optgroup>
        </Select>
      )}
    </Field>
  )
}

interface CloudFieldsProps {
  readonly form: ProfileForm
  readonly problems: ProfileProblems
  readonly onChange: (update: Partial<ProfileForm>) => void
}

function CloudFields({ form, problems, onChange }: CloudFieldsProps): ReactNode {
  const fields = { bedrock: ['region'], vertex: ['region', 'project'], foundry: ['resource'] } as const
  if (form.kind === 'anthropic' || form.kind === 'openai') return null
  return fields[form.kind].map((field) => (
    <Line
      key={field}
      label={labels[field]}
      value={form[field]}
      problem={problems[field]}
      onChange={(text) => onChange({ [field]: text })}
    />
  ))
}
