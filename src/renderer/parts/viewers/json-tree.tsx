import { ChevronRight } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'

const labels = strings.viewers
const most = { children: 200, characters: 500 } as const

/** A JSON file as a tree. What is folded is not rendered. */
export function JsonTree({ text }: { readonly text: string }): ReactNode {
  const read = useMemo(() => readJson(text), [text])
  if (!read) return <p className="p-3 text-muted">{labels.noJson}</p>
  return (
    <div className="overflow-x-auto p-2 font-mono text-xs">
      <Value name={null} value={read.value} depth={0} />
    </div>
  )
}

function readJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

interface ValueProps {
  readonly name: string | null
  readonly value: unknown
  readonly depth: number
}

function Value({ name, value, depth }: ValueProps): ReactNode {
  const [open, setOpen] = useState(depth < 2)
  const [shown, setShown] = useState<number>(most.children)
  const label = name !== null && (
    <span className="text-code-name">
      <VisibleText text={shortened(name)} />:{' '}
    </span>
  )
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="pl-5 leading-5">
        {label}
        <span className={typeof value === 'string' ? 'text-code-string' : 'text-code-value'}>
          <VisibleText text={shortened(JSON.stringify(value) ?? '')} />
        </span>
      </div>
    )
  }
  const entries = Object.entries(value)
  const size = Array.isArray(value) ? labels.items(entries.length) : labels.keys(entries.length)
  return (
    <div className="pl-1">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-5 items-center gap-0.5 rounded-sm hover:bg-hover"
      >
        <ChevronRight size={13} aria-hidden className={classNames('text-faint', open && 'rotate-90')} />
        {label}
        <span className="text-muted">{size}</span>
      </button>
      {open && (
        <div className="ml-1.5 border-line border-l pl-1">
          {entries.slice(0, shown).map(([key, child]) => (
            <Value key={key} name={key} value={child} depth={depth + 1} />
          ))}
          {entries.length > shown && (
            <Button tone="quiet" onClick={() => setShown(shown + most.children)}>
              {labels.moreEntries(entries.length - shown)}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function shortened(text: string): string {
  return text.length > most.characters ? `${text.slice(0, most.characters)}…` : text
}
