import { ArrowUpRight, Check, CircleHelp, CircleSlash, CircleX, GitBranch, Shuffle } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type TableComponents, TableVirtuoso } from 'react-virtuoso'
import { type AttemptVerdict, greenBefore } from '#shared/model/calls/attempts.ts'
import { answerOfRow, durationOf } from '#shared/model/derived/batch.ts'
import { formatDuration, formatMoney } from '#shared/text/format.ts'
import { useUpdateUi } from '../state/hooks/hooks.tsx'
import { showBranch, showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import type { AttemptRow } from './attempt-rows.ts'
import { RowMark } from './row-mark.tsx'

const labels = strings.attempts

/** Always the same object, because new components would draw every row anew. `context` is the number of rows. */
const components: TableComponents<AttemptRow, number> = {
  Table: ({ context, ...props }) => (
    <table {...props} aria-label={labels.table} aria-rowcount={context + 1} className="w-full table-fixed" />
  ),
  TableRow: ({ context: _, item: __, ...props }) => (
    <tr {...props} aria-rowindex={props['data-index'] + 2} className="border-line border-b align-top" />
  ),
}

interface AttemptsTableProps {
  readonly rows: readonly AttemptRow[]
  readonly chosen: ReadonlySet<number>
  readonly onChoose: (index: number) => void
  /** Null while none can be taken. */
  readonly onTake: ((attempt: AttemptRow) => Promise<void>) | null
}

/** Attempts, the best first. Only visible rows are rendered. */
export function AttemptsTable({ rows, chosen, onChoose, onTake }: AttemptsTableProps): ReactNode {
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const fold = (index: number): void =>
    setUnfolded((before) =>
      before.has(index) ? new Set([...before].filter((one) => one !== index)) : new Set([...before, index]),
    )
  return (
    <TableVirtuoso
      className="@container min-h-0 flex-1"
      data={rows}
      aria-label={labels.table}
      computeItemKey={(_, { row }) => row.index}
      components={components}
      context={rows.length}
      fixedHeaderContent={Heading}
      itemContent={(_, attempt) => (
        <Cells
          attempt={attempt}
          isChosen={chosen.has(attempt.row.index)}
          isUnfolded={unfolded.has(attempt.row.index)}
          onChoose={() => onChoose(attempt.row.index)}
          onFold={() => fold(attempt.row.index)}
          onTake={onTake && (() => void onTake(attempt))}
        />
      )}
    />
  )
}

const cell = 'px-2 py-1 leading-6'
/** Columns that go first when the table gets narrow. */
const [times, costs, changes, states] = ['@max-3xl:hidden', '@max-2xl:hidden', '@max-xl:hidden', '@max-lg:hidden']

function Heading(): ReactNode {
  return (
    <tr className="bg-panel text-left text-muted text-xs">
      <th scope="col" className={cell}>
        {labels.attempt}
      </th>
      <th scope="col" className={`${cell} ${states} w-28`}>
        {labels.status}
      </th>
      <th scope="col" className={`${cell} w-40 @max-lg:w-28`}>
        {labels.evidence}
      </th>
      <th scope="col" className={`${cell} ${changes} w-40`}>
        {labels.change}
      </th>
      <th scope="col" className={`${cell} ${changes} w-28`}>
        {labels.findings}
      </th>
      <th scope="col" className={`${cell} ${times} w-18 text-right`}>
        {labels.time}
      </th>
      <th scope="col" className={`${cell} ${costs} w-18 text-right`}>
        {labels.cost}
      </th>
      <th scope="col" className={`${cell} w-36`}>
        {labels.actions}
      </th>
    </tr>
  )
}

interface CellsProps {
  readonly attempt: AttemptRow
  readonly isChosen: boolean
  readonly isUnfolded: boolean
  readonly onChoose: () => void
  readonly onFold: () => void
  readonly onTake: (() => void) | null
}

function Cells({ attempt, isChosen, isUnfolded, onChoose, onFold, onTake }: CellsProps): ReactNode {
  const { row, name, variant, judged, same, isBest } = attempt
  const duration = durationOf(row)
  const figure = 'px-2 py-1 text-right text-muted text-xs/6 tabular-nums'
  const ended = row.status === 'ok' ? '' : (judged?.stopped ?? answerOfRow(row))
  return (
    <>
      <td className={cell}>
        <label className="flex min-h-6 items-center gap-2">
          <input
            type="checkbox"
            aria-label={labels.choose(name)}
            checked={isChosen}
            disabled={row.thread === null}
            onChange={onChoose}
            className="size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0 truncate font-medium">
            <VisibleText text={name} />
          </span>
          {isBest && <span className="shrink-0 rounded bg-accent-soft px-1 text-accent text-xs">{labels.best}</span>}
        </label>
        {variant !== '' && (
          <p className="truncate text-muted text-xs" title={variant}>
            <VisibleText text={variant} />
          </p>
        )}
      </td>
      <td className={`${cell} ${states}`}>
        <span className="flex h-6 items-center">
          {judged?.stopped != null ? (
            <span className="inline-flex items-center gap-1 text-muted text-xs">
              <CircleSlash size={14} aria-hidden />
              {labels.stoppedEarly}
            </span>
          ) : (
            <RowMark status={row.status} />
          )}
        </span>
        {ended !== '' && (
          <p className="line-clamp-2 text-muted text-xs" title={ended}>
            <VisibleText text={ended} />
          </p>
        )}
      </td>
      <td className={cell}>
        <Evidence attempt={attempt} />
      </td>
      <td className={`${cell} ${changes} text-muted text-xs/6`}>
        {judged && judged.files > 0 && labels.files(judged.files, judged.lines)}
        {same !== null && <p className="truncate">{labels.sameAs(same)}</p>}
      </td>
      <td className={`${cell} ${changes} text-xs/6`}>
        <Findings attempt={attempt} isUnfolded={isUnfolded} onFold={onFold} />
      </td>
      <td className={`${figure} ${times}`}>{duration !== null && formatDuration(duration)}</td>
      <td className={`${figure} ${costs}`}>{row.thread && formatMoney(row.thread.usage.cost)}</td>
      <td className="px-1 py-0.5">
        <Actions attempt={attempt} onTake={onTake} />
      </td>
    </>
  )
}

const verdictIcons = { green: Check, red: CircleX, flaky: Shuffle, none: CircleHelp, 'no change': CircleSlash } as const
const verdictTones: Readonly<Record<AttemptVerdict, string>> = {
  green: 'text-good',
  red: 'text-bad',
  flaky: 'text-warn',
  none: 'text-muted',
  'no change': 'text-muted',
}

function Evidence({ attempt: { judged } }: { attempt: AttemptRow }): ReactNode {
  if (!judged) return <span className="text-muted text-xs">{labels.notJudged}</span>
  const Icon = verdictIcons[judged.verdict]
  const before = greenBefore(judged.checks)
  const notGreen = judged.checks.filter(({ outcome }) => outcome !== 'green').map(({ name }) => name)
  return (
    <>
      <span className={`inline-flex h-6 items-center gap-1 ${verdictTones[judged.verdict]}`}>
        <Icon size={14} aria-hidden />
        <span className="text-xs">{labels.verdicts[judged.verdict]}</span>
      </span>
      {notGreen.length > 0 && (
        <p className="truncate text-muted text-xs" title={notGreen.join(', ')}>
          <VisibleText text={notGreen.join(', ')} />
        </p>
      )}
      {before.length > 0 && (
        <p className="truncate text-muted text-xs" title={labels.greenBeforeHint(before)}>
          <VisibleText text={labels.greenBefore(before, judged.checks.length)} />
        </p>
      )}
    </>
  )
}

function Findings({ attempt, isUnfolded, onFold }: Pick<CellsProps, 'attempt' | 'isUnfolded' | 'onFold'>): ReactNode {
  const findings = attempt.judged?.findings ?? null
  if (findings === null) return null
  if (findings.length === 0) return <span className="text-muted">{labels.findingsCount(0)}</span>
  return (
    <>
      <button
        type="button"
        aria-expanded={isUnfolded}
        aria-label={isUnfolded ? undefined : labels.showFindings(attempt.name)}
        onClick={onFold}
        className="min-h-6 text-left hover:underline"
      >
        {labels.findingsCount(findings.length)}
      </button>
      {isUnfolded && (
        <ul className="flex flex-col gap-1 text-muted [overflow-wrap:anywhere]">
          {[...new Set(findings)].map((finding) => (
            <li key={finding}>
              <VisibleText text={finding} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Actions({ attempt: { row, name, fate }, onTake }: Pick<CellsProps, 'attempt' | 'onTake'>): ReactNode {
  const updateUi = useUpdateUi()
  const { thread } = row
  if (!thread) return null
  return (
    <span className="flex items-center gap-1">
      {fate === 'open' ? (
        <Button aria-label={labels.take(name)} disabled={onTake === null} onClick={() => onTake?.()}>
          {labels.takeWord}
        </Button>
      ) : (
        <span className="px-1 text-muted text-xs">{fate === 'taken' ? labels.taken : labels.discarded}</span>
      )}
      <IconButton label={labels.reviewBranch(name)} onClick={() => updateUi((ui) => showBranch(ui, thread.branchId))}>
        <GitBranch size={13} aria-hidden />
      </IconButton>
      <IconButton label={labels.openThread(name)} onClick={() => updateUi((ui) => showThread(ui, thread.id))}>
        <ArrowUpRight size={14} aria-hidden />
      </IconButton>
    </span>
  )
}
