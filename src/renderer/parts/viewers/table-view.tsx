import Papa from 'papaparse'
import { type ReactNode, useMemo } from 'react'
import { TableVirtuoso } from 'react-virtuoso'
import { strings } from '../../strings/strings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { withKeys } from '../../ui/react/elements.tsx'

const labels = strings.viewers
const most = { columns: 100, characters: 300 } as const

/** A CSV or TSV file as a table. Only visible rows are rendered. */
export function TableView({ text }: { readonly text: string }): ReactNode {
  const rows = useMemo(() => Papa.parse<readonly string[]>(text, { skipEmptyLines: true }).data, [text])
  const [head = [], ...body] = rows
  const width = useMemo(() => rows.reduce((widest, row) => Math.max(widest, row.length), 0), [rows])
  const columns = Array.from({ length: Math.min(width, most.columns) }, (_, index) => index)
  if (rows.length === 0) return <p className="p-3 text-muted">{labels.emptyTable}</p>
  return (
    <div className="flex flex-col">
      <p className="px-3 py-1 text-muted text-xs tabular-nums">
        {labels.tableSize(body.length, width, columns.length)}
      </p>
      <TableVirtuoso
        style={{ height: Math.min(rows.length * 25 + 12, 480) }}
        data={body}
        className="text-xs"
        fixedHeaderContent={() => (
          <tr className="bg-panel">
            <th scope="col" className="w-px px-2 py-1 text-right font-normal text-faint">
              <span className="sr-only">{labels.rowNumber}</span>
            </th>
            {columns.map((index) => (
              <th key={index} scope="col" className="whitespace-nowrap px-2 py-1 text-left font-semibold">
                <VisibleText text={shorten(head[index])} />
              </th>
            ))}
          </tr>
        )}
        itemContent={(index, row) => (
          <>
            <td className="border-line border-t px-2 py-0.5 text-right text-faint tabular-nums">{index + 2}</td>
            {withKeys(columns).map(({ key, item }) => (
              <td key={key} className="whitespace-nowrap border-line border-t px-2 py-0.5 tabular-nums">
                <VisibleText text={shorten(row[item])} />
              </td>
            ))}
          </>
        )}
      />
    </div>
  )
}

function shorten(text = ''): string {
  return text.length > most.characters ? `${text.slice(0, most.characters)}…` : text
}
