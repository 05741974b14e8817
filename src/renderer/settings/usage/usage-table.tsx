import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { type TableComponents, TableVirtuoso } from 'react-virtuoso'
import type { UsageGroup } from '#shared/model/derived/usage-groups.ts'
import { cachedShareOf, inputOf } from '#shared/model/models/usage.ts'
import { formatCount, formatNumber, formatPercent } from '#shared/text/format.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { modelName } from '../../state/store/selectors.ts'
import { usageStrings as labels } from '../../strings/later/usage.ts'
import { Select } from '../../ui/controls/field.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { nameGroup } from './name-group.ts'
import { allowedIn, type Grouping, groupingsOf, groupScoped, type ScopedUsage } from './scoped-usage.ts'
import { sortGroups, type UsageColumn, type UsageOrder, usageColumns } from './sort-groups.ts'
import { costText } from './usage-totals.tsx'

/** Longer tables scroll and render only the visible rows. */
const shortest = 40

/** The usage added up by what a person chooses, sortable by each column. */
export function UsageTable({ usage }: { readonly usage: ScopedUsage }): ReactNode {
  const id = useId()
  const [chosen, setGrouping] = useState<Grouping>(usage.scope === 'all' ? 'project' : 'thread')
  const [order, setOrder] = useState<UsageOrder>({ column: null, down: true })
  const choices = groupingsOf(usage)
  const by = allowedIn<Grouping>(chosen, [usage.scope === 'all' ? 'project' : 'thread', ...choices])
  const info = useApp((state) => state.info)
  const rows = useMemo(() => {
    const nameOf = (group: UsageGroup): string => nameGroup(group, by, (id) => modelName({ info }, id))
    return sortGroups(groupScoped(usage, by), order, nameOf).map((group) => ({ group, name: nameOf(group) }))
  }, [usage, by, order, info])
  const onSort = (column: UsageColumn): void =>
    setOrder((before) => ({ column, down: before.column === column ? !before.down : column !== 'name' }))
  const heading = <Heading by={by} order={order} onSort={onSort} />
  return (
    <section aria-label={labels.table} className="@container flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="mr-auto font-semibold">{labels.table}</h3>
        <span className="text-muted text-xs tabular-nums">{labels.groups(rows.length)}</span>
        <label htmlFor={id} className="text-muted">
          {labels.groupBy}
        </label>
        <Select
          id={id}
          className="w-auto!"
          value={by}
          onChange={({ target }) => {
            setGrouping(allowedIn(target.value as Grouping, [by, ...choices]))
            setOrder({ column: null, down: true })
          }}
        >
          {choices.map((one) => (
            <option key={one} value={one}>
              {labels.groupings[one]}
            </option>
          ))}
        </Select>
      </div>
      {rows.length <= shortest ? (
        <table aria-label={labels.table} className="w-full table-fixed">
          <thead>{heading}</thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.group.key} className={rowClass}>
                <Cells {...row} />
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <TableVirtuoso
          style={{ height: '28rem' }}
          data={rows}
          computeItemKey={(_, { group }) => group.key}
          components={components}
          context={rows.length}
          fixedHeaderContent={() => heading}
          itemContent={(_, row) => <Cells {...row} />}
        />
      )}
    </section>
  )
}

interface NamedGroup {
  readonly group: UsageGroup
  readonly name: string
}

const rowClass = 'border-line border-b align-top'

/** Always the same object, because new components would draw every row anew. `context` is the number of rows. */
const components: TableComponents<NamedGroup, number> = {
  Table: ({ context, ...props }) => (
    <table {...props} aria-label={labels.table} aria-rowcount={context + 1} className="w-full table-fixed" />
  ),
  TableRow: ({ context: _, item: __, ...props }) => (
    <tr {...props} aria-rowindex={props['data-index'] + 2} className={rowClass} />
  ),
}

/** Widths of the columns with figures. Some go first when the table gets narrow. */
const widths: Readonly<Record<UsageColumn, string>> = {
  name: '',
  calls: '@max-lg:hidden w-16 text-right',
  input: '@max-md:hidden w-18 text-right',
  cached: '@max-lg:hidden w-18 text-right',
  output: '@max-md:hidden w-18 text-right',
  cost: 'w-28 text-right',
}

interface HeadingProps {
  readonly by: Grouping
  readonly order: UsageOrder
  readonly onSort: (column: UsageColumn) => void
}

function Heading({ by, order, onSort }: HeadingProps): ReactNode {
  return (
    <tr className="bg-panel text-left text-muted text-xs">
      {usageColumns.map((column) => {
        const label = column === 'name' ? labels.groupings[by] : labels.tableHead[column]
        const isSorted = order.column === column
        const Icon = order.down ? ArrowDown : ArrowUp
        return (
          <th
            key={column}
            scope="col"
            aria-sort={isSorted ? (order.down ? 'descending' : 'ascending') : undefined}
            className={classNames('px-1 py-0.5', widths[column])}
          >
            <button
              type="button"
              title={labels.sortBy(label)}
              onClick={() => onSort(column)}
              className="inline-flex min-h-6 max-w-full items-center gap-0.5 rounded px-1 hover:bg-hover hover:text-text"
            >
              <span className="truncate">{label}</span>
              {isSorted && <Icon size={12} aria-hidden className="shrink-0" />}
            </button>
          </th>
        )
      })}
    </tr>
  )
}

function Cells({ group: { thread, usage }, name }: NamedGroup): ReactNode {
  const share = cachedShareOf(usage)
  const figures: Readonly<Record<Exclude<UsageColumn, 'name'>, string>> = {
    calls: formatNumber(usage.modelCalls),
    input: formatCount(inputOf(usage)),
    cached: share === null ? labels.noShare : formatPercent(share),
    output: formatCount(usage.outputTokens),
    cost: costText(usage),
  }
  return usageColumns.map((column) =>
    column === 'name' ? (
      <th
        key={column}
        scope="row"
        title={thread === null ? name : `${name} · ${thread}`}
        className="truncate px-2 py-1 text-left font-normal leading-5"
      >
        <VisibleText text={name} />
        {thread !== null && (
          <span className="block truncate text-muted text-xs">
            <VisibleText text={thread} />
          </span>
        )}
      </th>
    ) : (
      <td key={column} className={classNames('px-2 py-1 text-xs/5 tabular-nums', widths[column])}>
        {figures[column]}
      </td>
    ),
  )
}
