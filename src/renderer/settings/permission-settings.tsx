import type { ReactNode } from 'react'
import { approvalModes } from '#shared/model/thread.ts'
import { strings } from '../state/strings.ts'
import { Choice } from './choice.tsx'
import type { SectionProps } from './settings-screen.tsx'

export function PermissionSettings({ settings, change }: SectionProps): ReactNode {
  return (
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
  )
}
