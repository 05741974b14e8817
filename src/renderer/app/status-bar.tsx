import { Plug, PlugZap } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ProviderInfo } from '#shared/contract/views/app.ts'
import { type AssumedPrice, assumedCost, tokensOf, type Usage } from '#shared/model/models/usage.ts'
import { answeringModel } from '#shared/model/thread.ts'
import { formatCount, formatMoney, formatPercent } from '#shared/text/format.ts'
import { StatusMark } from '../parts/marks.tsx'
import { runningProcesses } from '../parts/processes/use-processes.ts'
import { useApp, useAppList, useUpdateUi } from '../state/hooks/hooks.tsx'
import {
  activeBranches,
  activeRoot,
  activeThread,
  contextShare,
  familyStatus,
  familyUsage,
  isRunning,
  modelName,
  runUsage,
} from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'

const labels = strings.shell

/** The open thread's status, mode, model, context and cost, and the connection to the host. */
export function StatusBar(): ReactNode {
  const thread = useApp(activeThread)
  const root = useApp(activeRoot)
  const usage = useAppList(familyUsage)
  const run = useAppList(runUsage)
  const branches = useApp((state) => activeBranches(state).filter((branch) => branch.parentId).length)
  const processes = useApp(runningProcesses)
  const connection = useApp((state) => state.connection)
  const tokens = tokensOf(usage)
  const context = useApp(contextShare)
  const status = useApp((state) => root && (familyStatus(state.project).get(root.id) ?? root.status))
  const provider = useApp((state) => state.info?.provider)
  const sandbox = useApp((state) => state.info?.sandbox)
  const model = useApp((state) => thread && modelName(state, answeringModel(thread)))
  const Icon = connection === 'connected' ? Plug : PlugZap
  return (
    <section
      aria-label={labels.statusBar}
      data-region
      tabIndex={-1}
      className="@container h-7 shrink-0 border-line border-t bg-panel text-muted text-xs outline-none"
    >
      {/* What matters least goes first in a narrow bar. Mode and model also stand below the message box. */}
      <div className="flex h-full items-center gap-x-4 overflow-hidden whitespace-nowrap px-3 *:shrink-0">
        {status && <StatusMark status={status} />}
        {thread && <span className="@max-[52rem]:hidden">{strings.common.mode[thread.approvalMode]}</span>}
        {thread && (
          <span title={thread.model} className="max-w-56 truncate @max-[47rem]:hidden">
            {model}
          </span>
        )}
        {context !== null && <ContextButton share={formatPercent(context)} />}
        {tokens > 0 && <span className="tabular-nums @max-[68rem]:hidden">{labels.tokens(formatCount(tokens))}</span>}
        {tokens > 0 && (
          <Cost
            usage={usage}
            run={run}
            running={root !== null && isRunning(root)}
            limit={root?.costLimit ?? null}
            assumed={root?.assumedPrice ?? null}
          />
        )}
        {!thread && provider && <Limit provider={provider} />}
        {branches > 0 && <span className="@max-[58rem]:hidden">{labels.branches(branches)}</span>}
        {processes > 0 && <span title={strings.processes.runningHint}>{strings.processes.running(processes)}</span>}
        {sandbox && (
          <span
            title={sandbox.reason}
            className={sandbox.state === 'on' ? '@max-[63rem]:hidden' : 'text-warn @max-[40rem]:hidden'}
          >
            {labels.sandbox[sandbox.state]}
          </span>
        )}
        <span
          className={`ml-auto inline-flex items-center gap-1 ${connection === 'connected' ? '' : 'font-medium text-warn'}`}
        >
          <Icon size={13} aria-hidden />
          <span className={connection === 'connected' ? '@max-[42rem]:sr-only' : undefined}>
            {labels.connection[connection]}
          </span>
        </span>
      </div>
    </section>
  )
}

function ContextButton({ share }: { share: string }): ReactNode {
  const updateUi = useUpdateUi()
  return (
    <button
      type="button"
      aria-label={strings.context.open(share)}
      title={strings.context.open(share)}
      onClick={() => updateUi((ui) => ({ ...ui, overlay: 'context' }))}
      className="min-h-6 rounded px-1 tabular-nums hover:bg-hover @max-[38rem]:hidden"
    >
      {labels.context(share)}
    </button>
  )
}

/** Said before the first run: a limit in dollars that the price of the model cannot keep exactly. */
function Limit({ provider: { runLimit, assumedPrice } }: { provider: ProviderInfo }): ReactNode {
  if (runLimit === null || assumedPrice === null) return null
  const limit = formatMoney(runLimit)
  if (assumedPrice === 'refuse') return <span className="text-warn">{labels.limitRefused(limit)}</span>
  const { input, output } = assumedPrice
  return (
    <span className="tabular-nums" title={labels.assumedPrice(formatMoney(input), formatMoney(output))}>
      {labels.limit(limit)} · {labels.priceUnknown}
    </span>
  )
}

interface CostProps {
  /** Of the thread and its subagents, since it began. */
  readonly usage: Usage
  /** Of the present run, or the last one. */
  readonly run: Usage
  readonly running: boolean
  /** US dollars that a run may cost; null without a limit. */
  readonly limit: number | null
  /** Set when the price of the model is unknown, so that the limit counts with this one. */
  readonly assumed: AssumedPrice | null
}

/** Says of what each amount is the cost, because a limit holds for one run. */
function Cost({ usage, run, running, limit, assumed }: CostProps): ReactNode {
  const isAssumed = usage.cost === null && assumed !== null
  const money = (of: Usage): string =>
    isAssumed ? labels.about(formatMoney(assumedCost(of, assumed))) : formatMoney(of.cost)
  return (
    <span
      className="min-w-0 shrink! truncate tabular-nums"
      {...(isAssumed && { title: labels.assumedPrice(formatMoney(assumed.input), formatMoney(assumed.output)) })}
    >
      {labels.costOfThread(money(usage))}
      <span className="@max-[34rem]:hidden">
        {' · '}
        {labels.costOfRun(money(run), running, limit === null ? null : formatMoney(limit))}
      </span>
      {isAssumed && ` · ${labels.priceUnknown}`}
    </span>
  )
}
