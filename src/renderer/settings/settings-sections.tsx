import type { ReactNode } from 'react'
import type { SettingsView } from '#shared/contract/views.ts'
import { type Command, useClient, useCommand, useLoaded, useSession } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import type { SettingsSection } from '../state/view.ts'
import { Notice } from '../ui/notice.tsx'
import { AgentSettings } from './agent-settings.tsx'
import { AppearanceSettings } from './appearance-settings.tsx'
import { DoctorSettings } from './doctor-settings.tsx'
import { ExtensionSection } from './extension-list.tsx'
import { KeyList } from './key-list.tsx'
import { McpSettings } from './mcp-settings.tsx'
import { ModelSettings } from './model-settings.tsx'
import { NotificationSettings } from './notification-settings.tsx'
import { PermissionSettings } from './permission-settings.tsx'
import type { SettingsFileProps } from './settings-file.tsx'
import { StorageSettings } from './storage-settings.tsx'
import { TransferSettings } from './transfer-settings.tsx'

const labels = strings.settings

/** What the sections are given: the settings as they are, and how to change one. */
export interface SectionProps {
  readonly settings: SettingsView
  readonly command: Command
  readonly change: (update: SettingsUpdate) => Promise<boolean>
  readonly reload: () => void
}
export type SettingsUpdate = Parameters<ReturnType<typeof useClient>['settings']['update']>[0]

export interface SectionChoice extends SettingsFileProps {
  readonly section: SettingsSection
  readonly mac: boolean
  readonly memory: ReactNode
}

export function Section(props: SectionChoice): ReactNode {
  const { section, mac, memory, now, onSaved } = props
  switch (section) {
    case 'models':
    case 'permissions':
    case 'agents':
      return <FileSection section={section} now={now} onSaved={onSaved} />
    case 'skills':
      return <ExtensionSection kind="skills" onAdded={onSaved} />
    case 'mcp':
      return <McpSettings text={now.text} onSaved={onSaved} />
    case 'memory':
      return memory
    case 'storage':
      return <StorageSettings />
    case 'appearance':
      return <AppearanceSettings />
    case 'keyboard':
      return <KeyList mac={mac} />
    case 'notifications':
      return <NotificationSettings />
    case 'transfer':
      return <TransferSettings now={now} onSaved={onSaved} />
    case 'doctor':
      return <DoctorSettings />
  }
}

interface FileSectionProps extends SettingsFileProps {
  readonly section: 'models' | 'permissions' | 'agents'
}

/** A form over the settings file; whoever changes the file, the form has what it says. */
function FileSection({ section, now, onSaved }: FileSectionProps): ReactNode {
  const session = useSession()
  const client = useClient()
  const command = useCommand()
  const [settings, reload] = useLoaded(`settings ${now.text}`, () => client.settings.get())
  if (settings.state === 'failed') return <RefusalNotice refusal={settings.refusal} onRetry={reload} />
  if (!settings.value) return <p className="text-muted">{strings.common.loading}</p>
  const read = (): void => {
    reload()
    onSaved()
  }
  const change = (update: SettingsUpdate): Promise<boolean> =>
    command.run(async () => {
      await client.settings.update(update)
      await session.refreshInfo()
      read()
    })
  const props = { settings: settings.value, command, change, reload: read }
  return (
    <>
      {settings.value.problems.length > 0 && (
        <Notice tone="warning" title={labels.problems} detail={settings.value.problems.join(' ')} />
      )}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
      {section === 'models' && <ModelSettings {...props} />}
      {section === 'permissions' && <PermissionSettings {...props} />}
      {section === 'agents' && <AgentSettings {...props} />}
      <p className="border-line border-t pt-3 text-muted text-xs">{labels.savedIn(settings.value.file)}</p>
    </>
  )
}
