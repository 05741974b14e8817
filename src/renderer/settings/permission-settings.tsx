import { Shield, ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { commandApprovals, ruleEffects } from '#shared/model/settings.ts'
import { approvalModes } from '#shared/model/thread.ts'
import { useModeHints } from '../parts/use-mode-hints.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { outwardStrings } from '../strings/later/outward.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { Choice } from './fields.tsx'
import { WebSettings } from './outward-settings.tsx'
import { RuleList } from './rule-list.tsx'
import type { SectionProps } from './section-props.ts'

const labels = strings.settings.rules
const commandLabels = strings.settings.commandApproval

export function PermissionSettings(props: SectionProps): ReactNode {
  const { settings, change } = props
  const hintOf = useModeHints(settings.commandApproval)
  return (
    <>
      <Choice
        label={strings.settings.approvalMode}
        value={settings.approvalMode}
        options={approvalModes.map((mode) => ({
          value: mode,
          label: strings.common.mode[mode],
          hint: hintOf(mode),
        }))}
        onChange={(approvalMode) => void change({ approvalMode })}
      />
      <Choice
        label={commandLabels.title}
        value={settings.commandApproval ?? 'mode'}
        options={(['mode', ...commandApprovals] as const).map((value) => ({ value, ...commandLabels[value] }))}
        onChange={(value) => void change({ commandApproval: value === 'mode' ? null : value })}
      />
      <SandboxState />
      <div className="text-muted">
        <p>{labels.order}</p>
        <p>{labels.syntax}</p>
      </div>
      {ruleEffects.map((effect) => (
        <RuleList key={effect} effect={effect} {...props} />
      ))}
      <section aria-label={outwardStrings.web} className="flex flex-col gap-2">
        <h3 className="font-semibold">{outwardStrings.web}</h3>
        <WebSettings {...props} />
      </section>
      <ProjectPermissions />
      {settings.rulesFile !== settings.file && <p className="text-muted text-xs">{labels.file(settings.rulesFile)}</p>}
    </>
  )
}

const file = '.coppice/settings.json'

/** Says how the open project's own settings narrow the permissions. Shows nothing if they do not. */
function ProjectPermissions(): ReactNode {
  const projectInfo = useApp((state) => state.projectInfo)
  const [list] = useQuery('extensions.list', projectInfo && { projectId: projectInfo.id })
  const narrowing = Object.entries(list.value?.settings ?? {})
  const problems = (list.value?.problems ?? []).filter((problem) => problem.file.endsWith(file))
  if (narrowing.length === 0 && problems.length === 0) return null
  return (
    <section aria-label={labels.project} className="flex flex-col gap-2">
      <h3 className="font-semibold">{labels.project}</h3>
      <p className="text-muted text-xs">{labels.projectHint(file)}</p>
      {narrowing.length > 0 && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-lg border border-line px-3 py-2 font-mono text-xs">
          {narrowing.map(([key, value]) => (
            <div key={key} className="contents">
              <dt className="text-muted">{key}</dt>
              <dd className="min-w-0 [overflow-wrap:anywhere]">
                <VisibleText text={JSON.stringify(value)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {problems.map(({ message }) => (
        <p key={message} className="text-warn text-xs [overflow-wrap:anywhere]">
          <VisibleText text={message} />
        </p>
      ))}
    </section>
  )
}

/** Says whether commands run in a sandbox, and why or why not. */
function SandboxState(): ReactNode {
  const sandbox = useApp((state) => state.info?.sandbox)
  if (!sandbox) return null
  const Icon = sandbox.state === 'on' ? Shield : ShieldAlert
  return (
    <div className="flex items-start gap-2">
      <Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${sandbox.state === 'on' ? 'text-good' : 'text-warn'}`} />
      <div>
        <p className="font-medium">{strings.shell.sandbox[sandbox.state]}</p>
        <p className="text-muted">{sandbox.reason}</p>
      </div>
    </div>
  )
}
