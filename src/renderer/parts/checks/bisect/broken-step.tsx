import { GitFork, MessageSquareShare, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BrokenStep } from '#shared/contract/checks.ts'
import type { FileDiff as Diff } from '#shared/contract/views/files.ts'
import { useProjectId } from '../../../state/hooks/hooks.tsx'
import { useQuery } from '../../../state/hooks/use-query.ts'
import { bisectStrings as labels } from '../../../strings/later/bisect.ts'
import { strings } from '../../../strings/strings.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { VisibleText } from '../../../ui/controls/visible-text.tsx'
import { AgentMark } from '../../agents/agent-mark.tsx'
import { FileDiff } from '../../file-diff.tsx'
import { RefusalNotice } from '../../refusal-notice.tsx'
import { Waiting } from '../../waiting.tsx'
import { stepName, type useBisect } from './use-bisect.ts'

/** Files of a step that are shown with what it changed in them. */
const shownFiles = 3

interface BrokenStepProps {
  readonly check: string
  readonly step: BrokenStep
  readonly actions: ReturnType<typeof useBisect>
}

/** The step that broke a check: who made it, what for, what it changed, and what can be done about it. */
export function BrokenStepView({ check, step, actions }: BrokenStepProps): ReactNode {
  const { agent, branch, at, task, files, mergedBy } = step
  const first = files[0]
  const diff = useStepDiff(step, first?.path ?? null)
  return (
    <section aria-label={labels.title} className="flex min-w-0 flex-col gap-2">
      <h3 className="font-semibold text-bad [overflow-wrap:anywhere]">
        <VisibleText text={labels.broke(check, stepName(step), branch)} />
      </h3>
      <p className="flex min-w-0 items-center gap-1.5 text-muted text-xs">
        <AgentMark name={agent} />
        <VisibleText text={labels.by(agent, at)} />
        {mergedBy !== null && <span>· {labels.merged}</span>}
      </p>
      {task !== '' && (
        <p className="text-muted [overflow-wrap:anywhere]">
          <VisibleText text={labels.task(task)} />
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          tone="primary"
          icon={<Undo2 size={13} aria-hidden />}
          title={labels.undoHint}
          disabled={actions.command.busy}
          onClick={() => actions.undo(step)}
        >
          {labels.undo}
        </Button>
        {actions.canFork && step.checkpoint !== null && (
          <Button
            icon={<GitFork size={13} aria-hidden />}
            title={labels.forkHint}
            disabled={actions.command.busy}
            onClick={() => actions.fork(step)}
          >
            {labels.fork}
          </Button>
        )}
        <Button
          icon={<MessageSquareShare size={13} aria-hidden />}
          disabled={actions.command.busy || (first !== undefined && !diff.value)}
          onClick={() => actions.tell(check, step, diff.value ? textOf(diff.value) : '')}
        >
          {labels.tell}
        </Button>
      </div>
      {files.slice(0, shownFiles).map(({ path }) => (
        <StepFile key={path} step={step} path={path} />
      ))}
      {files.length > shownFiles && <p className="text-muted text-xs">{labels.more(files.length - shownFiles)}</p>}
    </section>
  )
}

function useStepDiff({ branchId, before, sequence }: BrokenStep, path: BrokenStep['files'][number]['path'] | null) {
  const projectId = useProjectId()
  const sides = { projectId, from: { branchId, sequence: before }, to: { branchId, sequence } }
  return useQuery('branches.compareFile', path && { ...sides, path })[0]
}

function StepFile({ step, path }: { step: BrokenStep; path: BrokenStep['files'][number]['path'] }): ReactNode {
  const diff = useStepDiff(step, path)
  if (diff.state === 'failed') return <RefusalNotice refusal={diff.refusal} />
  if (!diff.value) return <Waiting label={strings.common.loading} />
  return (
    <div className="flex max-h-72 min-h-24 min-w-0 flex-col overflow-auto rounded-md border border-line">
      <FileDiff label={labels.changeOf(path)} diff={diff.value} loadAfter={async () => null} />
    </div>
  )
}

/** Characters of a diff that the agent gets. It can read the rest itself. */
const mostSent = 8_000

function textOf({ path, hunks }: Diff): string {
  const texts = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ])
  return [path, ...texts].join('\n').slice(0, mostSent)
}
