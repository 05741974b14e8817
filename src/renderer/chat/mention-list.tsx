import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useState } from 'react'
import { useApp, useClient, useLoaded, useProjectId } from '../state/hooks.tsx'
import { workspaceOf } from '../state/selectors.ts'
import { strings } from '../state/strings.ts'
import { classNames } from '../ui/class-names.ts'
import { completeMention, type Mention, mentionAt } from './mention.ts'

const words = strings.chat

export interface Mentions {
  readonly open: boolean
  readonly listId: string
  readonly activeId: string | null
  readonly active: number
  readonly paths: readonly string[]
  readonly query: string
  choose(path: string): void
  onSelect(): void
  /** True when the key was meant for the list. */
  onKeyDown(event: KeyboardEvent): boolean
}

/** Completes `@` mentions of a text field with files of the workspace. */
export function useMentions(
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
  setText: (text: string) => void,
): Mentions {
  const listId = useId()
  const [mention, setMention] = useState<Mention | null>(null)
  const [dismissed, setDismissed] = useState<number | null>(null)
  const [active, setActive] = useState(0)
  const [caret, setCaret] = useState<number | null>(null)
  const paths = usePaths(mention?.query ?? null)
  const open = mention !== null && dismissed !== mention.start

  useEffect(() => {
    if (caret === null) return
    field.current?.setSelectionRange(caret, caret)
    setCaret(null)
  }, [caret, field])

  function choose(path: string): void {
    if (!mention) return
    const completed = completeMention(text, mention, path)
    setText(completed.text)
    setMention(null)
    setCaret(completed.caret)
    field.current?.focus()
  }

  function onKeyDown(event: KeyboardEvent): boolean {
    if (!open || !mention) return false
    const chosen = paths[active]
    if (event.key === 'Escape') setDismissed(mention.start)
    else if (event.key === 'ArrowDown') setActive((active + 1) % Math.max(paths.length, 1))
    else if (event.key === 'ArrowUp') setActive((active + paths.length - 1) % Math.max(paths.length, 1))
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen !== undefined) choose(chosen)
    else return false
    event.preventDefault()
    return true
  }

  function onSelect(): void {
    const element = field.current
    if (!element) return
    const next = mentionAt(element.value, element.selectionStart)
    if (next?.query !== mention?.query) setActive(0)
    setMention(next)
  }

  const activeId = open && paths[active] !== undefined ? `${listId}-${active}` : null
  return { open, listId, activeId, active, paths, query: mention?.query ?? '', choose, onSelect, onKeyDown }
}

function usePaths(query: string | null): readonly string[] {
  const client = useClient()
  const projectId = useProjectId()
  const branchId = useApp(workspaceOf)
  const [found] = useLoaded(`${query}`, async () =>
    query === null ? [] : client.files.find({ projectId, branchId, query, limit: 8 }),
  )
  return found.value ?? []
}

export function MentionList({ mentions }: { mentions: Mentions }): ReactNode {
  return (
    <div
      role="listbox"
      id={mentions.listId}
      aria-label={words.filesFor}
      className="absolute inset-x-0 bottom-full mb-1 max-h-64 overflow-auto rounded-lg border border-line-strong bg-raised p-1"
    >
      {mentions.paths.length === 0 && <p className="px-2 py-1 text-muted">{words.noFilesFor(mentions.query)}</p>}
      {mentions.paths.map((path, index) => (
        <div
          key={path}
          role="option"
          tabIndex={-1}
          id={`${mentions.listId}-${index}`}
          aria-selected={index === mentions.active}
          onMouseDown={(event) => {
            event.preventDefault()
            mentions.choose(path)
          }}
          className={classNames(
            'cursor-pointer truncate rounded-md px-2 py-1 font-mono text-xs',
            index === mentions.active && 'bg-hover',
          )}
        >
          {path}
        </div>
      ))}
    </div>
  )
}
