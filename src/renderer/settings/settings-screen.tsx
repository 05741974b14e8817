import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SettingsView } from '#shared/contract/views.ts'
import { type Command, useApp, useClient, useCommand, useLoaded, useSession, useUpdateView } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import type { SettingsSection } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Notice } from '../ui/notice.tsx'
import { AgentSettings } from './agent-settings.tsx'
import { AppearanceSettings } from './appearance-settings.tsx'
import { ExtensionSection } from './extension-list.tsx'
import { KeyList } from './key-list.tsx'
import { McpSettings } from './mcp-settings.tsx'
import { ModelSettings } from './model-settings.tsx'
import { PermissionSettings } from './permission-settings.tsx'
import { StorageSettings } from './storage-settings.tsx'

const words = strings.settings

/** What the sections are given: the settings as they are, and how to change one. */
export interface SectionProps {
  readonly settings: SettingsView
  readonly command: Command
  readonly change: (update: SettingsUpdate) => Promise<boolean>
  readonly reload: () => void
}
export type SettingsUpdate = Parameters<ReturnType<typeof useClient>['settings']['update']>[0]

const sections = Object.keys(words.sections) as readonly SettingsSection[]

export interface SettingsSlots {
  readonly memory: ReactNode
}

export function SettingsScreen({
  mac,
  onBack,
  slots,
}: {
  mac: boolean
  onBack: () => void
  slots: SettingsSlots
}): ReactNode {
  const section = useApp((state) => state.view.settingsSection)
  const updateView = useUpdateView()
  return (
    <div className="flex h-full max-md:flex-col">
      <nav aria-label={words.title} className="shrink-0 border-line bg-panel p-2 max-md:border-b md:w-56 md:border-r">
        <Button tone="quiet" icon={<ArrowLeft size={14} aria-hidden />} onClick={onBack}>
          {words.back}
        </Button>
        <h1 className="px-2 pt-2 pb-1 font-semibold text-base">{words.title}</h1>
        <ul className="flex flex-wrap md:flex-col">
          {sections.map((id) => (
            <li key={id}>
              <button
                type="button"
                aria-current={id === section ? 'page' : undefined}
                onClick={() => updateView((view) => ({ ...view, settingsSection: id }))}
                className={classNames(
                  'h-8 w-full rounded-md px-2 text-left hover:bg-hover',
                  id === section && 'bg-accent-soft font-medium',
                )}
              >
                {words.sections[id]}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <main className="min-h-0 flex-1 overflow-auto">
        <div className="mx-auto flex max-w-2xl flex-col gap-5 p-6">
          <h2 className="font-semibold text-lg">{words.sections[section]}</h2>
          {section === 'memory' ? slots.memory : <Section section={section} mac={mac} />}
        </div>
      </main>
    </div>
  )
}

function Section({ section, mac }: { section: SettingsSection; mac: boolean }): ReactNode {
  const session = useSession()
  const client = useClient()
  const command = useCommand()
  const [settings, reload] = useLoaded('settings', () => client.settings.get())
  if (section === 'keyboard') return <KeyList mac={mac} />
  if (section === 'skills') return <ExtensionSection kind="skills" />
  if (section === 'mcp') return <McpSettings />
  if (section === 'storage') return <StorageSettings />
  if (section === 'appearance') return <AppearanceSettings />
  if (settings.state === 'failed') return <RefusalNotice refusal={settings.refusal} onRetry={reload} />
  if (!settings.value) return <p className="text-muted">{strings.common.loading}</p>
  const change = (update: SettingsUpdate): Promise<boolean> =>
    command.run(async () => {
      await client.settings.update(update)
      await session.refreshInfo()
      reload()
    })
  const props = { settings: settings.value, command, change, reload }
  return (
    <>
      {settings.value.problems.length > 0 && (
        <Notice tone="warning" title={words.problems} detail={settings.value.problems.join(' ')} />
      )}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
      {section === 'models' && <ModelSettings {...props} />}
      {section === 'permissions' && <PermissionSettings {...props} />}
      {section === 'agents' && <AgentSettings {...props} />}
      <p className="border-line border-t pt-3 text-muted text-xs">{words.savedIn(settings.value.file)}</p>
    </>
  )
}
