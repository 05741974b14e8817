import { ChevronRight, CircleAlert, CircleCheck, CircleDashed, Ellipsis, KeyRound, Pencil } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ModelsView, ProfileView } from '#shared/contract/views/models.ts'
import type { SettingsView } from '#shared/contract/views/settings.ts'
import { formatAgo } from '#shared/text/format.ts'
import { useClient } from '../../state/hooks/hooks.tsx'
import { type LastTest, readLastTests, rememberTest } from '../../state/preferences/model-tests.ts'
import { modelSettingsStrings, modelTestStrings } from '../../strings/later/model-settings.ts'
import { strings } from '../../strings/strings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { Menu, type MenuChoice } from '../../ui/controls/menu.tsx'
import { toastNote } from '../../ui/controls/toast.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { ModelList } from './model-list.tsx'
import { isCloudKind } from './profile-draft.ts'
import { ProfileEditor } from './profile-form.tsx'
import { ProfileTest } from './profile-test.tsx'
import type { Models } from './use-models.ts'

const labels = modelSettingsStrings

interface ProfileRowProps {
  readonly profile: ProfileView
  readonly models: Models
  readonly view: ModelsView
  readonly keyStorage: SettingsView['keyStorage']
  readonly onEditBuiltIn: () => void
  readonly onSaved: (name: string) => void
}

type Panel = 'none' | 'test' | 'edit' | 'remove'

/** One profile: who answers, where its key comes from, how its last test ended, and its models. */
export function ProfileRow(props: ProfileRowProps): ReactNode {
  const { profile, models, view, keyStorage, onEditBuiltIn, onSaved } = props
  const { name } = profile
  const client = useClient()
  const [panel, setPanel] = useState<Panel>('none')
  const [isOpen, setOpen] = useState(false)
  const place = `${name} ${profile.address ?? ''}`
  const [last, setLast] = useState<LastTest | null>(() => readLastTests(localStorage)[place] ?? null)

  function onTested(ok: boolean): void {
    const test = { at: Date.now(), ok }
    rememberTest(localStorage, place, test)
    setLast(test)
    void models.reload()
  }
  const list = (): Promise<boolean> =>
    models.act(async () => {
      const after = await client.models.list({ profile: name })
      const count = after.profiles.find((one) => one.name === name)?.models.length ?? 0
      toastNote(labels.listed(name, count))
      setOpen(true)
    })
  const choices: readonly MenuChoice[] = [
    ...(profile.usual
      ? []
      : [
          {
            id: 'use',
            label: labels.use,
            hint: labels.useHint,
            onSelect: () => void models.act(() => client.models.choose({ usual: name })),
          },
        ]),
    { id: 'list', label: labels.list, onSelect: () => void list() },
    ...(profile.secret === 'stored' || profile.secret === 'memory'
      ? [
          {
            id: 'clear',
            label: labels.clearKey,
            onSelect: () => void models.act(() => client.models.clearKey({ profile: name })),
          },
        ]
      : []),
    ...(profile.builtIn ? [] : [{ id: 'remove', label: labels.remove, onSelect: () => setPanel('remove') }]),
  ]
  return (
    <li aria-label={name} className="rounded-lg border border-line bg-raised">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-2">
        <div className="min-w-0 flex-1 basis-60">
          <p className="flex flex-wrap items-center gap-x-2">
            <span className="font-semibold [overflow-wrap:anywhere]">
              <VisibleText text={name} />
            </span>
            {profile.usual && (
              <span className="rounded border border-line-strong px-1 text-2xs text-muted">{labels.usual}</span>
            )}
            <StateMark profile={profile} last={last} />
          </p>
          <p className="text-muted text-xs [overflow-wrap:anywhere]">
            <VisibleText text={describe(profile, view)} />
          </p>
        </div>
        <span className="flex items-center gap-1">
          <Button
            aria-label={modelTestStrings.testNamed(name)}
            aria-expanded={panel === 'test'}
            onClick={() => setPanel(panel === 'test' ? 'none' : 'test')}
          >
            {modelTestStrings.test}
          </Button>
          <IconButton
            label={labels.edit(name)}
            onClick={() => (profile.builtIn ? onEditBuiltIn() : setPanel(panel === 'edit' ? 'none' : 'edit'))}
          >
            <Pencil size={14} aria-hidden />
          </IconButton>
          <Menu
            trigger={
              <IconButton label={labels.more(name)}>
                <Ellipsis size={15} aria-hidden />
              </IconButton>
            }
            choices={choices}
          />
        </span>
      </div>
      {panel === 'test' && (
        <Below>
          <ProfileTest profile={profile} onTested={onTested} onClose={() => setPanel('none')} />
        </Below>
      )}
      {panel === 'edit' && (
        <Below>
          <ProfileEditor
            view={view}
            profile={profile}
            keyStorage={keyStorage}
            onCancel={() => setPanel('none')}
            onSaved={(saved) => {
              setPanel('none')
              onSaved(saved)
            }}
          />
        </Below>
      )}
      <div className="border-line border-t">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`${labels.modelsOf(name)}: ${profile.models.length}`}
          onClick={() => setOpen(!isOpen)}
          className="flex min-h-7 w-full items-center gap-1.5 px-3 text-left text-muted text-xs hover:bg-hover"
        >
          <ChevronRight size={13} aria-hidden className={classNames('transition-transform', isOpen && 'rotate-90')} />
          {labels.models(profile.models.length)}
        </button>
        {isOpen && <ModelList profile={profile} models={models} onList={() => void list()} />}
      </div>
      {panel === 'remove' && (
        <Dialog
          title={labels.removeTitle(name)}
          description={labels.removeAbout}
          closeLabel={strings.common.close}
          onClose={() => setPanel('none')}
          footer={
            <>
              <Button onClick={() => setPanel('none')}>{strings.common.cancel}</Button>
              <Button
                tone="danger"
                onClick={() => {
                  setPanel('none')
                  void models
                    .act(() => client.models.remove({ profile: name }))
                    .then((done) => done && toastNote(labels.removed(name)))
                }}
              >
                {labels.removeConfirm}
              </Button>
            </>
          }
        >
          <p className="text-muted [overflow-wrap:anywhere]">
            <VisibleText text={describe(profile, view)} />
          </p>
        </Dialog>
      )}
    </li>
  )
}

function Below({ children }: { children: ReactNode }): ReactNode {
  return <div className="border-line border-t p-3">{children}</div>
}

/** Who answers, at which address, and where the key comes from. */
function describe(profile: ProfileView, { presets }: ModelsView): string {
  const preset = presets.find(({ id }) => id === profile.preset)
  const who = preset?.name ?? labels.kinds[profile.kind]
  return [who, profile.address ?? labels.noAddress, secretText(profile)].filter(Boolean).join(' · ')
}

/** Empty for a missing key, which has a mark of its own. */
function secretText({ secret, secretPlace, needsSecret, kind, scheme }: ProfileView): string {
  if (secret === 'environment') return labels.secret.environment(secretPlace)
  if (secret !== null) return labels.secret[secret]
  if (needsSecret) return ''
  return isCloudKind(kind) && scheme === 'none' ? labels.secret.cloud : labels.secret.notNeeded
}

/** How the last test ended. A missing key comes first, because no test can end well without it. */
function StateMark({ profile, last }: { profile: ProfileView; last: LastTest | null }): ReactNode {
  if (profile.secret === null && profile.needsSecret) {
    return <Mark Icon={KeyRound} look="text-warn" text={labels.state.missing} />
  }
  if (!last) return <Mark Icon={CircleDashed} look="text-muted" text={labels.state.untested} />
  const ago = formatAgo(last.at, Date.now())
  return last.ok ? (
    <Mark Icon={CircleCheck} look="text-good" text={labels.state.works(ago)} />
  ) : (
    <Mark Icon={CircleAlert} look="text-bad" text={labels.state.failed(ago)} />
  )
}

interface MarkProps {
  readonly Icon: typeof KeyRound
  readonly look: string
  readonly text: string
}

function Mark({ Icon, look, text }: MarkProps): ReactNode {
  return (
    <span className={classNames('inline-flex items-center gap-1 text-xs', look)}>
      <Icon size={13} aria-hidden />
      {text}
    </span>
  )
}
