import { CircleAlert, CircleCheck, CircleDashed, MonitorCog, Package, ShieldCheck, ShieldOff } from 'lucide-react'
import type { ReactNode } from 'react'
import type { HookView } from '#shared/contract/views/hooks.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { hookStrings } from '../../strings/later/hooks.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Empty, Notice } from '../../ui/controls/notice.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

const labels = hookStrings

/** The hooks of the person and of the open project: what each would run and where, and whether it may. */
export function HookSettings({ text }: { readonly text: string }): ReactNode {
  const projectInfo = useApp((state) => state.projectInfo)
  if (!projectInfo) return <Empty title={labels.noProject} detail={labels.noProjectDetail} />
  return <HookList projectId={projectInfo.id} text={text} />
}

interface HookListProps {
  readonly projectId: ProjectId
  /** The text of the settings file. Hooks are loaded again when it changes. */
  readonly text: string
}

function HookList({ projectId, text }: HookListProps): ReactNode {
  const client = useClient()
  const command = useCommand()
  const [list, reload] = useQuery('hooks.list', { projectId }, text)
  if (list.state === 'failed') return <RefusalNotice refusal={list.refusal} onRetry={reload} />
  if (!list.value) return <p className="text-muted">{strings.common.loading}</p>
  const { hooks, problems } = list.value
  const change = (act: () => Promise<unknown>): void => void command.run(act).then(reload)
  return (
    <>
      <p className="text-muted">{labels.about}</p>
      {problems.length > 0 && <Notice tone="warning" title={labels.problems} detail={problems.join(' ')} />}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
      {hooks.length === 0 && problems.length === 0 && <Empty title={labels.none} detail={labels.noneDetail} />}
      {hooks.length > 0 && (
        <ul aria-label={labels.list} className="flex flex-col gap-3">
          {hooks.map((hook) => (
            <HookCard
              key={hook.hash}
              hook={hook}
              busy={command.busy}
              onApprove={(approved) => change(() => client.hooks.approve({ projectId, hash: hook.hash, approved }))}
              onSwitch={(on) => change(() => client.hooks.setOn({ projectId, hash: hook.hash, on }))}
            />
          ))}
        </ul>
      )}
    </>
  )
}

interface HookCardProps {
  readonly hook: HookView
  readonly busy: boolean
  readonly onApprove: (approved: boolean) => void
  readonly onSwitch: (on: boolean) => void
}

const states = {
  on: { Icon: CircleCheck, look: 'text-good' },
  off: { Icon: CircleDashed, look: 'text-muted' },
  waits: { Icon: CircleAlert, look: 'text-warn' },
} as const

function HookCard({ hook, busy, onApprove, onSwitch }: HookCardProps): ReactNode {
  const { event, command, source, where, state, problem } = hook
  const { Icon, look } = states[state]
  const Where = where === 'machine' ? MonitorCog : Package
  const name = labels.named(hook)
  return (
    <li className="rounded-md border border-line" aria-label={name}>
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-b px-3 py-2">
        <h3 className="font-semibold">{event}</h3>
        <span className="min-w-0 text-muted [overflow-wrap:anywhere]">
          <VisibleText text={labels.matcher(hook)} />
        </span>
        <span className={`inline-flex items-center gap-1 ${look}`}>
          <Icon size={14} aria-hidden />
          {labels.state[state]}
        </span>
        <span className="ml-auto flex flex-wrap gap-1">
          {where === 'sandbox' && state !== 'off' && (
            <Button
              tone={state === 'waits' ? 'primary' : 'plain'}
              disabled={busy}
              aria-label={`${state === 'waits' ? labels.approve : labels.revoke}: ${name}`}
              icon={state === 'waits' ? <ShieldCheck size={14} aria-hidden /> : <ShieldOff size={14} aria-hidden />}
              onClick={() => onApprove(state === 'waits')}
            >
              {state === 'waits' ? labels.approve : labels.revoke}
            </Button>
          )}
          <Button
            disabled={busy}
            aria-label={`${state === 'off' ? labels.switchOn : labels.switchOff}: ${name}`}
            onClick={() => onSwitch(state === 'off')}
          >
            {state === 'off' ? labels.switchOn : labels.switchOff}
          </Button>
        </span>
      </header>
      <div className="flex flex-col gap-2 px-3 py-2">
        <pre className="whitespace-pre-wrap rounded bg-panel p-2 font-mono text-xs [overflow-wrap:anywhere]">
          <VisibleText text={command} />
        </pre>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
          <span className="inline-flex items-center gap-1">
            <Where size={13} aria-hidden />
            {labels.where[where]}
          </span>
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {labels.source[source]}, <VisibleText text={labels.from(hook)} />
          </span>
          <span>{labels.limits(hook)}</span>
        </p>
        {problem !== null && (
          <p className="text-warn [overflow-wrap:anywhere]">
            <VisibleText text={labels.problem(problem)} />
          </p>
        )}
      </div>
    </li>
  )
}
