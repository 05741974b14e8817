import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { isJsonObject, type JsonValue } from '#shared/base/json.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { reachable } from '../../ui/react/elements.tsx'

const labels = strings.answers
/** The most items of a list that are shown at first, and the depth that is open at first. */
const shownAtFirst = 100
const openDepth = 2

/** Any JSON value as nested lists that fold. A folded part is not rendered. */
export function AnswerTree({ value }: { value: JsonValue }): ReactNode {
  return (
    <section {...reachable} aria-label={labels.tree} className="max-h-[60vh] overflow-auto px-2 py-1.5">
      <Children value={value} depth={0} />
    </section>
  )
}

interface ChildrenProps {
  readonly value: JsonValue
  readonly depth: number
}

function Children({ value, depth }: ChildrenProps): ReactNode {
  const [all, setAll] = useState(false)
  const children = entriesOf(value)
  if (children.length === 0) {
    return <p className="px-1 text-muted">{Array.isArray(value) ? labels.emptyList : labels.emptyObject}</p>
  }
  return (
    <ul className={depth > 0 ? 'ml-2 border-line border-l pl-3' : undefined}>
      {(all ? children : children.slice(0, shownAtFirst)).map(([name, child]) => (
        <Node key={name} name={name} value={child} depth={depth} />
      ))}
      {!all && children.length > shownAtFirst && (
        <li>
          <Button tone="quiet" onClick={() => setAll(true)}>
            {labels.showAllItems(children.length)}
          </Button>
        </li>
      )}
    </ul>
  )
}

function Node({ name, value, depth }: ChildrenProps & { readonly name: string }): ReactNode {
  const [open, setOpen] = useState(depth < openDepth)
  if (typeof value !== 'object' || value === null) {
    return (
      <li className="flex min-h-6 items-baseline gap-2 pl-[22px]">
        <Name text={name} />
        <Leaf value={value} />
      </li>
    )
  }
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-6 max-w-full items-center gap-2 rounded-md pr-2 text-left hover:bg-hover"
      >
        <ChevronRight
          size={14}
          aria-hidden
          className={`shrink-0 text-faint transition-transform duration-100 ${open ? 'rotate-90' : ''}`}
        />
        <Name text={name} />
        <span className="text-muted text-xs tabular-nums">{sizeOf(value)}</span>
      </button>
      {open && <Children value={value} depth={depth + 1} />}
    </li>
  )
}

/** How much a list or an object holds. */
export function sizeOf(value: JsonValue): string {
  const { length } = entriesOf(value)
  return Array.isArray(value) ? labels.items(length) : labels.fields(length)
}

function entriesOf(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (Array.isArray(value)) return value.map((item: JsonValue, index) => [String(index + 1), item])
  return isJsonObject(value) ? Object.entries(value) : []
}

function Name({ text }: { text: string }): ReactNode {
  return (
    <span className="max-w-60 shrink-0 truncate font-mono text-muted text-xs">
      <VisibleText text={text} />
    </span>
  )
}

function Leaf({ value }: { value: string | number | boolean | null }): ReactNode {
  if (value === null) return <span className="text-faint">{labels.nothing}</span>
  if (typeof value === 'string') {
    return (
      <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
        <VisibleText text={value} />
      </span>
    )
  }
  return <span className="text-code-value tabular-nums">{String(value)}</span>
}
