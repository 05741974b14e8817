import { type ReactNode, useState } from 'react'
import type { JsonValue } from '#shared/base/json.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { reachable, withKeys } from '../../ui/react/elements.tsx'
import { type AnswerTable, isNumeric } from './answer-shape.ts'

const labels = strings.answers
/** The most rows that are shown at first. */
const shownAtFirst = 100

/** A list of records as a table. Wide tables scroll sideways, long ones below their heading. */
export function AnswerGrid({ table }: { table: AnswerTable }): ReactNode {
  const [all, setAll] = useState(false)
  const rows = all ? table.rows : table.rows.slice(0, shownAtFirst)
  const numeric = new Set(table.columns.filter((column) => isNumeric(table, column)))
  return (
    <>
      <section {...reachable} aria-label={labels.table} className="max-h-[60vh] overflow-auto">
        <table className="w-full border-collapse text-left">
          <thead>
            <tr>
              {table.columns.map((column) => (
                <th
                  key={column}
                  scope="col"
                  className={classNames(
                    'sticky top-0 whitespace-nowrap border-line border-b bg-panel px-3 py-1.5 font-medium text-muted text-xs',
                    numeric.has(column) && 'text-right',
                  )}
                >
                  <VisibleText text={column} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {withKeys(rows).map(({ key, item }) => (
              <tr key={key} className="border-line align-top not-last:border-b hover:bg-hover">
                {table.columns.map((column) => (
                  <td
                    key={column}
                    className={classNames(
                      'min-w-16 max-w-96 whitespace-pre-wrap px-3 py-1.5 [overflow-wrap:break-word]',
                      numeric.has(column) && 'text-right tabular-nums',
                    )}
                  >
                    <Cell value={item[column]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length < table.rows.length && (
        <div className="border-line border-t p-1">
          <Button tone="quiet" onClick={() => setAll(true)}>
            {labels.showAllRows(table.rows.length)}
          </Button>
        </div>
      )}
    </>
  )
}

function Cell({ value }: { value: JsonValue | undefined }): ReactNode {
  if (value === undefined || value === null) return <span className="text-faint">–</span>
  return typeof value === 'string' ? <VisibleText text={value} /> : String(value)
}
