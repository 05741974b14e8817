import { type ReactNode, useState } from 'react'
import { KeyList } from '../parts/key-list.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useClient, useCommand, useSession } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { contrasts, readContrast, readTheme, saveContrast, saveTheme, themes } from '../state/preferences/theme.ts'
import type { SettingsSection } from '../state/store/ui-state.ts'
import { outwardStrings } from '../strings/later/outward.ts'
import { strings } from '../strings/strings.ts'
import { Notice } from '../ui/controls/notice.tsx'
import { ExternalAgents } from './agents/external-agents.tsx'
import { CommandSection } from './command-list.tsx'
import { DoctorSettings } from './doctor-settings.tsx'
import { ExtensionSection } from './extension-list.tsx'
import { Choice, SavedField } from './fields.tsx'
import { HookSettings } from './hooks/hook-settings.tsx'
import { ImportSettings } from './imports/import-settings.tsx'
import { ModelSettings } from './model-settings.tsx'
import { NotificationSettings } from './notification-settings.tsx'
import { AwaySettings } from './outward-settings.tsx'
import { PermissionSettings } from './permission-settings.tsx'
import type { SectionProps, SettingsUpdate } from './section-props.ts'
import { McpSettings } from './servers/mcp-settings.tsx'
import type { SettingsFileProps } from './settings-file.tsx'
import { StorageSettings } from './storage-settings.tsx'
import { TransferSettings } from './transfer-settings.tsx'
import { UsageSettings } from './usage/usage-settings.tsx'

const labels = strings.settings

/** Sections that other regions of the window draw. */
export type Slots = Readonly<Record<'memory' | 'setup' | 'checks' | 'about', ReactNode>>

interface SectionChoice extends SettingsFileProps {
  readonly section: SettingsSection
  readonly mac: boolean
  readonly slots: Slots
}

export function Section(props: SectionChoice): ReactNode {
  const { section, mac, slots, now, onSaved } = props
  switch (section) {
    case 'models':
    case 'permissions':
    case 'agents':
    case 'usage':
      return <FileSection section={section} now={now} onSaved={onSaved} />
    case 'skills':
      return (
        <>
          <ExtensionSection kind="skills" onAdded={onSaved} />
          <CommandSection />
        </>
      )
    case 'mcp':
      return <McpSettings text={now.text} onSaved={onSaved} />
    case 'hooks':
      return <HookSettings text={now.text} />
    case 'memory':
      return slots.memory
    case 'setup':
      return slots.setup
    case 'checks':
      return slots.checks
    case 'storage':
      return <StorageSettings />
    case 'appearance':
      return <AppearanceSettings />
    case 'keyboard':
      return <KeyList mac={mac} />
    case 'notifications':
      return (
        <>
          <NotificationSettings />
          <h3 className="font-semibold">{outwardStrings.away}</h3>
          <FileSection section={section} now={now} onSaved={onSaved} />
        </>
      )
    case 'imports':
      return <ImportSettings text={now.text} onSaved={onSaved} />
    case 'transfer':
      return <TransferSettings now={now} onSaved={onSaved} />
    case 'doctor':
      return <DoctorSettings />
    case 'about':
      return slots.about
  }
}

interface FileSectionProps extends SettingsFileProps {
  readonly section: 'models' | 'permissions' | 'agents' | 'usage' | 'notifications'
}

/** A form for settings in the file. It follows the file, even when something else changes it. */
function FileSection({ section, now, onSaved }: FileSectionProps): ReactNode {
  const session = useSession()
  const client = useClient()
  const command = useCommand()
  const [settings, reload] = useQuery('settings.get', undefined, now.text)
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
      {section === 'models' && <ModelSettings {...props} text={now.text} />}
      {section === 'permissions' && <PermissionSettings {...props} />}
      {section === 'agents' && <AgentSettings {...props} />}
      {section === 'usage' && <UsageSettings {...props} />}
      {section === 'notifications' && <AwaySettings {...props} />}
      <p className="border-line border-t pt-3 text-muted text-xs">{labels.savedIn(settings.value.file)}</p>
    </>
  )
}

const scopes = ['strict', 'scoped', 'off'] as const

function AgentSettings({ settings, change, reload }: SectionProps): ReactNode {
  return (
    <>
      <SavedField
        type="number"
        label={labels.depth}
        hint={labels.depthHint}
        value={String(settings.maxSubagentDepth)}
        onSave={(text) => void (/^\d+$/.test(text) && change({ maxSubagentDepth: Number(text) }))}
      />
      <Choice
        label={labels.quarantine}
        value={settings.quarantine}
        options={scopes.map((scope) => ({ value: scope, label: labels.quarantineOptions[scope] }))}
        onChange={(quarantine) => void change({ quarantine })}
      />
      <ExternalAgents onAdded={reload} />
      <ExtensionSection kind="agents" onAdded={reload} />
    </>
  )
}

function AppearanceSettings(): ReactNode {
  const [theme, setTheme] = useState(() => readTheme(localStorage))
  const [contrast, setContrast] = useState(() => readContrast(localStorage))
  return (
    <>
      <Choice
        label={strings.settings.theme}
        value={theme}
        options={themes.map((each) => ({ value: each, label: strings.settings.themes[each] }))}
        onChange={(next) => {
          saveTheme(localStorage, document.documentElement, next)
          setTheme(next)
        }}
      />
      <Choice
        label={strings.settings.contrast}
        value={contrast}
        options={contrasts.map((each) => ({ value: each, label: strings.settings.contrasts[each] }))}
        onChange={(next) => {
          saveContrast(localStorage, document.documentElement, next)
          setContrast(next)
        }}
      />
    </>
  )
}
