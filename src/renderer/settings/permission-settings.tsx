import type { ReactNode } from 'react'
import { ruleEffects } from '#shared/model/settings.ts'
import { approvalModes } from '#shared/model/thread.ts'
import { strings } from '../state/strings.ts'
import { Choice } from './choice.tsx'
import { ProjectPermissions } from './project-permissions.tsx'
import { RuleList } from './rule-list.tsx'
import { SandboxState } from './sandbox-state.tsx'
import type { SectionProps } from './settings-sections.tsx'

const labels = strings.settings.rules

export function PermissionSettings(props: SectionProps): ReactNode {
  const { settings, change } = props
  return (
    <>
      <Choice
        label={strings.settings.approvalMode}
        value={settings.approvalMode}
        options={approvalModes.map((mode) => ({
          value: mode,
          label: strings.common.mode[mode],
          hint: strings.common.modeHint[mode],
        }))}
        onChange={(approvalMode) => void change({ approvalMode })}
      />
      <SandboxState />
      <div className="text-muted">
        <p>{labels.order}</p>
        <p>{labels.syntax}</p>
      </div>
      {ruleEffects.map((effect) => (
        <RuleList key={effect} effect={effect} {...props} />
      ))}
      <ProjectPermissions />
      {settings.rulesFile !== settings.file && <p className="text-muted text-xs">{labels.file(settings.rulesFile)}</p>}
    </>
  )
}
