import type { ReactNode } from 'react'
import { strings } from '../state/strings.ts'
import { Choice } from './choice.tsx'
import { ExtensionSection } from './extension-list.tsx'
import { SavedField } from './saved-field.tsx'
import type { SectionProps } from './settings-sections.tsx'

const labels = strings.settings
const scopes = ['strict', 'scoped', 'off'] as const

export function AgentSettings({ settings, change, reload }: SectionProps): ReactNode {
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
      <ExtensionSection kind="agents" onAdded={reload} />
    </>
  )
}
