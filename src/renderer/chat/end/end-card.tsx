import { FileDiff, History, Play, RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import { checkpointBeforeRun } from '#shared/model/derived/checkpoints.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { addUsage, noUsage, tokensOf, type Usage } from '#shared/model/models/usage.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { formatCount, formatDuration, formatMoney } from '#shared/text/format.ts'
import { StatusMark } from '../../parts/marks.tsx'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useAppList, useClient, useCommand, useProjectId, useSession } from '../../state/hooks/hooks.tsx'
import type { AppState } from '../../state/store/app-state.ts'
import { activeFamily } from '../../state/store/selectors.ts'
import type { RunEnd } from '../../state/store/timeline.ts'
import { showRewind } from '../../state/store/ui-state.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { type BranchTally, noBranches } from './branch-tally.ts'
import { ErrorCause } from './error-card.tsx'
import { FailedAgents } from './failed-agent.tsx'
import { useBranchTally } from './use-branch-tally.ts'

const labels = strings.chat
const statuses = { done: 'done', failed: 'failed', stopped: 'stopped', interrupted: 'paused' } as const

interface EndCardProps {
  readonly thread: ThreadState
  readonly end: RunEnd
  /** True if the thread has not continued since. */
  readonly last: boolean
}

/** How a run ended, what became of it with all its agents, and what to do now. An answer alone gets one line. */
export function EndCard(props: EndCardProps): ReactNode {
  const { thread, end, last } = props
  const usage = useAppList((state) => usageOfRun(state, end, thread))
  if (last && !thread.parent) return <LastEnd {...props} usage={usage} />
  return <EndArticle {...props} usage={usage} tally={noBranches} />
}

/** Only the last end counts the branches, because they stand as they are now. */
function LastEnd(props: Omit<EndArticleProps, 'tally'>): ReactNode {
  return <EndArticle {...props} tally={useBranchTally(props.thread)} />
}

interface EndArticleProps extends EndCardProps {
  readonly usage: Usage
  readonly tally: BranchTally
}

function EndArticle(props: EndArticleProps): ReactNode {
  const { end, tally } = props
  const hasResult = end.changedPaths > 0 || end.status !== 'done' || tally.total > 0
  return (
    <article
      aria-label={labels.end[end.status]}
      className={hasResult ? 'my-2 rounded-lg border border-line px-3 py-2' : undefined}
    >
      {hasResult ? <Result {...props} /> : <Line {...props} />}
    </article>
  )
}

/** What a run and its subagents used. Their runs lie within its own time. */
function usageOfRun(state: AppState, end: RunEnd, thread: ThreadState): Usage {
  if (thread.parent) return end.usage
  const from = end.at - end.durationMs
  const others = activeFamily(state).flatMap(({ id }) =>
    id === thread.id ? [] : (state.timeline.ends.get(id) ?? []).filter(({ at }) => at >= from && at <= end.at),
  )
  return others.length === 0
    ? end.usage
    : others.reduce((sum, { usage }) => addUsage(sum, usage), addUsage(noUsage, end.usage))
}

function Line({ thread, end, usage }: EndArticleProps): ReactNode {
  const tokens = tokensOf(usage)
  return (
    <p className="flex h-6 items-center gap-2 px-1 text-faint text-xs tabular-nums">
      <StatusMark status={statuses[end.status]} />
      {tokens > 0 && <span>{labels.endUsage(formatCount(tokens), formatMoney(usage.cost))}</span>}
      <span>{formatDuration(end.durationMs)}</span>
      <RewindButton thread={thread} end={end} quiet />
    </p>
  )
}

function Result({ thread, end, last, usage, tally }: EndArticleProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const { updateUi } = useSession()
  const going = useCommand()
  const tokens = tokensOf(usage)
  const shared = tokensOf(end.usage) !== tokens
  /** The agent could not reach its goal, and a person has not decided yet. */
  const isMissed = last && end.reason === 'goal' && thread.status === 'needs_you'
  const canContinue = last && end.status !== 'done' && end.status !== 'failed'
  const rows: readonly (readonly [string, ReactNode])[] = [
    [labels.outcomes.files, end.changedPaths > 0 ? formatCount(end.changedPaths) : labels.outcomes.noFiles],
    ...(tally.total > 0 ? [[labels.outcomes.branchesRow, labels.outcomes.branches(tally)] as const] : []),
    ...(tokens > 0
      ? [[labels.outcomes.cost, labels.outcomes.costOf(formatMoney(usage.cost), formatCount(tokens), shared)] as const]
      : []),
  ]
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusMark status={isMissed ? 'needs_you' : statuses[end.status]} />
        <span className="text-muted text-xs tabular-nums">{formatDuration(end.durationMs)}</span>
        <span className="ml-auto flex flex-wrap justify-end gap-2">
          {canContinue && (
            <Button
              tone="primary"
              icon={<Play size={14} aria-hidden />}
              disabled={going.busy}
              onClick={() => void going.run(() => client.threads.continue({ projectId, threadId: thread.id }))}
            >
              {isMissed ? strings.checks.goal.tryAgain : labels.continue}
            </Button>
          )}
          {isMissed && (
            <Button
              title={strings.checks.goal.acceptHint}
              disabled={going.busy}
              onClick={() =>
                void going.run(() => client.threads.configure({ projectId, threadId: thread.id, goal: null }))
              }
            >
              {strings.checks.goal.accept}
            </Button>
          )}
          {tally.failed.length > 1 && (
            <Button
              icon={<RotateCcw size={14} aria-hidden />}
              disabled={going.busy}
              onClick={() =>
                void going.run(() =>
                  Promise.all(tally.failed.map(({ id }) => client.threads.continue({ projectId, threadId: id }))),
                )
              }
            >
              {labels.outcomes.retryAll(tally.failed.length)}
            </Button>
          )}
          <RewindButton thread={thread} end={end} />
          {end.changedPaths > 0 && (
            <Button
              icon={<FileDiff size={14} aria-hidden />}
              onClick={() =>
                updateUi((ui) => ({
                  ...ui,
                  tab: thread.parent ? 'branches' : 'changes',
                  branch: thread.branchId,
                }))
              }
            >
              {labels.reviewChanges}
            </Button>
          )}
        </span>
      </div>
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 tabular-nums">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0">{value}</dd>
          </div>
        ))}
      </dl>
      {end.status === 'failed' ? (
        <ErrorCause thread={thread} end={end} last={last} />
      ) : (
        end.status !== 'done' &&
        end.message && <p className="mt-1 text-muted [overflow-wrap:anywhere]">{end.message}</p>
      )}
      <FailedAgents threads={tally.failed} />
      {going.refusal && <RefusalNotice refusal={going.refusal} />}
    </>
  )
}

interface RewindButtonProps {
  readonly thread: ThreadState
  readonly end: RunEnd
  readonly quiet?: boolean
}

function RewindButton({ thread, end, quiet = false }: RewindButtonProps): ReactNode {
  const { store, updateUi } = useSession()
  const beforeRun = (): Sequence | null =>
    checkpointBeforeRun(store.getState().project.past.threads.get(thread.id), end.sequence) ?? null
  return (
    <Button
      tone={quiet ? 'quiet' : 'plain'}
      className={quiet ? 'h-6! px-1! text-xs!' : undefined}
      icon={<History size={quiet ? 12 : 14} aria-hidden />}
      onClick={() => updateUi((ui) => showRewind(ui, beforeRun()))}
    >
      {strings.rewind.rewind}
    </Button>
  )
}
