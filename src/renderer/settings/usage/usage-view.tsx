import { Download } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { isoDay } from '#shared/base/days.ts'
import { usageOfFamily } from '#shared/model/derived/usage-groups.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import type { Refusal } from '../../state/connection/refusal.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import type { AppState } from '../../state/store/app-state.ts'
import { activeRoot } from '../../state/store/selectors.ts'
import { usageStrings as labels, type UsageRange } from '../../strings/later/usage.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Select } from '../../ui/controls/field.tsx'
import { Notice } from '../../ui/controls/notice.tsx'
import { saveFile } from '../../ui/react/save-file.ts'
import { allowedIn, csvOfUsage, type ScopedUsage, type Stack, stackRows, stacksOf } from './scoped-usage.ts'
import { UsageChart } from './usage-chart.tsx'
import { UsageMost } from './usage-most.tsx'
import { daysOf, type UsageMeasure } from './usage-series.ts'
import { UsageTable } from './usage-table.tsx'
import { UsageTotals } from './usage-totals.tsx'

type Scope = ScopedUsage['scope']

const scopes = ['project', 'all'] as const
const measures = ['cost', 'tokens'] as const
const rangesOf = { project: ['7', '30', '90', 'all', 'thread'], all: ['7', '30', '90', 'all'] } as const

/** What agents used, in money and tokens: in the open project, or in all of them. */
export function UsageView(): ReactNode {
  const project = useApp((state) => state.projectInfo)
  const root = useApp((state) => activeRoot(state)?.id ?? null)
  const [scope, setScope] = useState<Scope>('project')
  const [chosen, setRange] = useState<UsageRange>('30')
  const [measure, setMeasure] = useState<UsageMeasure>('cost')
  const ranges = rangesOf[scope].filter((range) => range !== 'thread' || root !== null)
  const range = allowedIn<UsageRange>(chosen, ['30', ...ranges])
  const { usage, days, refusal, reload } = useUsage(scope, range, root)
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-2">
        <ChoiceButtons label={labels.scope} names={labels.scopes} choices={scopes} chosen={scope} onChoose={setScope} />
        <Select
          aria-label={labels.range}
          className="w-auto!"
          value={range}
          onChange={({ target }) => setRange(allowedIn(target.value as UsageRange, ['30', ...ranges]))}
        >
          {ranges.map((one) => (
            <option key={one} value={one}>
              {labels.ranges[one]}
            </option>
          ))}
        </Select>
        <ChoiceButtons label={labels.show} names={labels} choices={measures} chosen={measure} onChoose={setMeasure} />
        <Button
          className="ml-auto"
          icon={<Download size={14} aria-hidden />}
          title={labels.exportHint}
          disabled={usage === null || isEmpty(usage)}
          onClick={() =>
            usage && saveFile(`coppice-usage-${isoDay(Date.now())}.csv`, csvOfUsage(usage), 'text/csv;charset=utf-8')
          }
        >
          {labels.exportCsv}
        </Button>
      </div>
      {scope === 'project' && !project && <p className="text-muted">{labels.noProject}</p>}
      {refusal && <RefusalNotice refusal={refusal} onRetry={reload} />}
      {(scope === 'all' || project) && !refusal && (
        <UsagePicture usage={usage} days={days} measure={measure} range={range} scope={scope} />
      )}
    </div>
  )
}

interface UsagePictureProps {
  /** Null while it loads. */
  readonly usage: ScopedUsage | null
  readonly days: readonly number[]
  readonly measure: UsageMeasure
  readonly range: UsageRange
  readonly scope: Scope
}

/** Totals, chart, lists and table of one time. */
function UsagePicture({ usage, days, measure, range, scope }: UsagePictureProps): ReactNode {
  const [chosen, setStack] = useState<Stack>('model')
  const stack = allowedIn<Stack>(chosen, stacksOf[scope])
  const isNew = useApp((state) => requestsMade(state) === 0) && scope === 'project'
  const rows = useMemo(() => (usage ? stackRows(usage, stack) : []), [usage, stack])
  const problems = usage?.scope === 'all' ? usage.projects.filter(({ problem }) => problem !== null) : []
  return (
    <>
      {problems.map(({ id, name, problem }) => (
        <Notice key={id} tone="warning" title={labels.leftOut(name)} detail={problem ?? ''} />
      ))}
      {rows.length > 0 && <UsageTotals rows={rows} />}
      <UsageChart
        rows={rows}
        days={days}
        measure={measure}
        stack={stack}
        range={range}
        isLoading={usage === null}
        isNew={isNew}
        choice={
          rows.length > 0 && (
            <ChoiceButtons
              label={labels.stack}
              names={labels.stacks}
              choices={stacksOf[scope]}
              chosen={stack}
              onChoose={setStack}
            />
          )
        }
      />
      {usage && rows.length > 0 && (
        <>
          <UsageMost usage={usage} measure={measure} />
          <UsageTable usage={usage} />
        </>
      )}
    </>
  )
}

interface ChoiceButtonsProps<Choice extends string> {
  readonly label: string
  readonly names: Readonly<Record<Choice, string>>
  readonly choices: readonly Choice[]
  readonly chosen: Choice
  readonly onChoose: (choice: Choice) => void
}

function ChoiceButtons<Choice extends string>(props: ChoiceButtonsProps<Choice>): ReactNode {
  const { label, names, choices, chosen, onChoose } = props
  return (
    <fieldset aria-label={label} className="flex flex-wrap gap-1">
      {choices.map((one) => (
        <Button key={one} tone="quiet" aria-pressed={one === chosen} onClick={() => onChoose(one)}>
          {names[one]}
        </Button>
      ))}
    </fieldset>
  )
}

interface LoadedUsage {
  /** Null while it loads, without a project, and when it was refused. */
  readonly usage: ScopedUsage | null
  readonly days: readonly number[]
  readonly refusal: Refusal | null
  readonly reload: () => void
}

/** Other projects are read only when somebody looks at all of them. */
function useUsage(scope: Scope, range: UsageRange, root: string | null): LoadedUsage {
  const projectId = useApp((state) => state.projectInfo?.id ?? null)
  const version = useApp(requestsMade)
  const days = useMemo(() => daysOf(range, Date.now()), [range])
  const input = scope === 'project' && projectId !== null ? { projectId, starts: [...days] } : null
  const [report, reloadReport] = useQuery('usage.report', input, version)
  const [projects, reloadProjects] = useQuery('usage.projects', scope === 'all' ? { starts: [...days] } : null)
  const loaded = scope === 'all' ? projects : report
  const usage = useMemo((): ScopedUsage | null => {
    if (scope === 'all') return projects.value && { scope, projects: projects.value }
    if (!report.value) return null
    return { scope, report: range === 'thread' && root ? usageOfFamily(report.value, root) : report.value }
  }, [scope, range, root, report.value, projects.value])
  return {
    usage,
    days,
    refusal: loaded.state === 'failed' ? loaded.refusal : null,
    reload: scope === 'all' ? reloadProjects : reloadReport,
  }
}

function isEmpty(usage: ScopedUsage): boolean {
  return usage.scope === 'project' ? usage.report.rows.length === 0 : usage.projects.length === 0
}

/** Changes with every request to a model, and with nothing else. */
function requestsMade({ project }: AppState): number {
  let made = 0
  for (const { ever } of project.spending.values()) made += ever.modelCalls
  return made
}
