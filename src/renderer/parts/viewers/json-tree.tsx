import { ChevronRight } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import { strings } from '../../strings/strings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { type JsonNode, readJson } from './read-json.ts'

const labels = strings.viewers
const mostCharacters = 500
/** Levels that are open at first. */
const firstLevels = 2
/** Pixels. */
const [rowHeight, indent, tallest] = [20, 14, 480]

/** A JSON file as a tree. Only the visible rows are rendered. */
export function JsonTree({ text }: { readonly text: string }): ReactNode {
  const root = useMemo(() => readJson(text), [text])
  const [turned, setTurned] = useState<ReadonlySet<JsonNode>>(new Set())
  const rows = useMemo(() => (root ? jsonRows(root, turned) : []), [root, turned])
  if (!root) return <p className="p-3 text-muted">{labels.noJson}</p>
  const turn = (node: JsonNode): void =>
    setTurned((now) => (now.has(node) ? new Set([...now].filter((one) => one !== node)) : new Set([...now, node])))
  return (
    <Virtuoso
      style={{ height: Math.min(rows.length * rowHeight + 16, tallest) }}
      data={rows}
      defaultItemHeight={rowHeight}
      increaseViewportBy={200}
      className="my-2 font-mono text-xs"
      itemContent={(_, row) => <RowView row={row} onTurn={() => turn(row.node)} />}
    />
  )
}

interface Row {
  readonly name: string | null
  readonly doubled: boolean
  readonly node: JsonNode
  readonly depth: number
  readonly open: boolean
}

/** The rows of everything that is open. `turned` are the nodes that a person opened or closed. */
function jsonRows(root: JsonNode, turned: ReadonlySet<JsonNode>): readonly Row[] {
  const rows: Row[] = []
  const waiting: Omit<Row, 'open'>[] = [{ name: null, doubled: false, node: root, depth: 0 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, depth } = next
    const open = 'entries' in node && depth < firstLevels !== turned.has(node)
    rows.push({ ...next, open })
    if (!open) continue
    for (const { name, value, doubled } of node.entries.toReversed()) {
      waiting.push({ name, doubled, node: value, depth: depth + 1 })
    }
  }
  return rows
}

function RowView({ row, onTurn }: { readonly row: Row; readonly onTurn: () => void }): ReactNode {
  const { node, name, doubled, depth, open } = row
  const label = name !== null && (
    <>
      <span className="text-code-name">
        <VisibleText text={shorten(name)} />:
      </span>{' '}
      {doubled && (
        <span title={labels.doubledHint} className="mr-1 rounded-sm bg-warn-soft px-1 text-2xs text-warn">
          {labels.doubled}
        </span>
      )}
    </>
  )
  const style = { paddingLeft: 8 + depth * indent }
  if (!('entries' in node)) {
    return (
      <div style={style} className="leading-5 [overflow-wrap:anywhere]">
        <span className="inline-block w-3.5" />
        {label}
        <span className={node.kind === 'string' ? 'text-code-string' : 'text-code-value'}>
          <VisibleText text={shorten(node.text)} />
        </span>
      </div>
    )
  }
  const size = node.kind === 'array' ? labels.items(node.entries.length) : labels.keys(node.entries.length)
  return (
    <div style={style}>
      <button
        type="button"
        aria-expanded={open}
        onClick={onTurn}
        className="flex min-h-5 items-center gap-0.5 rounded-sm text-left hover:bg-hover"
      >
        <ChevronRight size={13} aria-hidden className={classNames('shrink-0 text-faint', open && 'rotate-90')} />
        <span>
          {label}
          <span className="text-muted">{size}</span>
        </span>
      </button>
    </div>
  )
}

function shorten(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
}
