import {
  BookOpen,
  Bot,
  Brain,
  FileDiff,
  FileTerminal,
  FileText,
  Folder,
  GitBranch,
  type LucideIcon,
  MessageSquareText,
  Server,
  SquareSlash,
} from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { useApp, useAppList, useProjectId } from '../../../state/hooks/hooks.tsx'
import { useQuery } from '../../../state/hooks/use-query.ts'
import { activeBranches, activeFamily, workspaceOf } from '../../../state/store/selectors.ts'
import { strings } from '../../../strings/strings.ts'
import { VisibleText } from '../../../ui/controls/visible-text.tsx'
import { classNames } from '../../../ui/react/class-names.ts'
import { AriaElement } from '../../../ui/react/elements.tsx'
import { type Completion, type ComposerCommand, complete, completionAt, textWithoutCommand } from './completion.ts'
import { useSlashEntries } from './slash-entries.ts'
import { type Suggestion, type SuggestionKind, slashSuggestions, stillFitting, suggestionsFor } from './suggestions.ts'

const labels = strings.chat

interface Completions {
  readonly open: boolean
  readonly listId: string
  readonly activeId: string | null
  readonly active: number
  readonly suggestions: readonly Suggestion[]
  readonly query: string
  choose(suggestion: Suggestion): void
  onSelect(): void
  /** Closes the list, because the person has gone elsewhere. */
  onBlur(): void
  /** Returns true if the list used the key. */
  onKeyDown(event: KeyboardEvent): boolean
}

interface CompletedField {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly setText: (text: string) => void
  /** `rest` is the text that stays in the field. Null where only skills can be named after `/`. */
  readonly onCommand: ((command: ComposerCommand, rest: string) => void) | null
}

/** Completes names after `@` in a message, and commands that start with `/`. */
export function useCompletions({ field, text, setText, onCommand }: CompletedField): Completions {
  const listId = useId()
  const [completion, setCompletion] = useState<Completion | null>(null)
  const [dismissed, setDismissed] = useState<number | null>(null)
  const [active, setActive] = useState(0)
  const [caret, setCaret] = useState<number | null>(null)
  const suggestions = useSuggestions(completion, onCommand !== null)
  const isCommand = completion?.sign === '/'
  const open = completion !== null && dismissed !== completion.start && !(isCommand && suggestions.length === 0)

  useEffect(() => {
    if (caret === null) return
    field.current?.setSelectionRange(caret, caret)
    setCaret(null)
  }, [caret, field])

  function choose({ kind, name, inserted }: Suggestion): void {
    if (!completion) return
    setCompletion(null)
    field.current?.focus()
    if (kind === 'window') {
      onCommand?.(name as ComposerCommand, textWithoutCommand(text, completion, name))
    } else {
      const completed = complete(text, completion, inserted)
      setText(completed.text)
      setCaret(completed.caret)
    }
  }

  function onKeyDown(event: KeyboardEvent): boolean {
    if (!open || !completion) return false
    const chosen = suggestions[active]
    if (event.key === 'Escape') setDismissed(completion.start)
    else if (event.key === 'ArrowDown') setActive((active + 1) % Math.max(suggestions.length, 1))
    else if (event.key === 'ArrowUp') setActive((active + suggestions.length - 1) % Math.max(suggestions.length, 1))
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen !== undefined) choose(chosen)
    else return false
    event.preventDefault()
    return true
  }

  function onSelect(): void {
    const element = field.current
    if (!element) return
    const next = completionAt(element.value, element.selectionStart)
    if (next?.query !== completion?.query) setActive(0)
    if (next === null) setDismissed(null)
    setCompletion(next)
  }

  const activeId = open && suggestions[active] !== undefined ? `${listId}-${active}` : null
  const onBlur = (): void => setCompletion(null)
  const query = completion?.query ?? ''
  return { open, listId, activeId, active, suggestions, query, choose, onSelect, onBlur, onKeyDown }
}

const mostResources = 8

function useSuggestions(completion: Completion | null, commands: boolean): readonly Suggestion[] {
  const projectId = useProjectId()
  const branchId = useApp(workspaceOf)
  const agents = useAppList(activeFamily)
  const branches = useAppList(activeBranches)
  const memories = useApp((state) => state.project.memories)
  const changed = useApp((state) => (state.changes?.length ?? 0) > 0)
  const query = completion?.sign === '@' ? completion.query : null
  const [found] = useQuery('files.find', query === null ? null : { projectId, branchId, query, limit: 20 })
  const [offered] = useQuery('mcp.resources', query === null ? null : { projectId, query, limit: mostResources })
  const entries = useSlashEntries(completion?.sign === '/')
  if (completion?.sign === '/') return slashSuggestions(completion.query, entries, commands)
  if (query === null) return []
  const existing = [...memories].flatMap(([name, { versions }]) => (versions.value.length === null ? [] : [name]))
  const paths = found.state === 'loading' ? stillFitting(found.value ?? [], query) : (found.value ?? [])
  const resources = offered.value ?? []
  return suggestionsFor(query, paths, { agents, branches, memories: existing, resources, changed })
}

const icons: Record<SuggestionKind, LucideIcon> = {
  window: SquareSlash,
  'slash-command': FileTerminal,
  'slash-skill': BookOpen,
  'slash-prompt': Server,
  'slash-agent': Bot,
  file: FileText,
  folder: Folder,
  agent: MessageSquareText,
  type: Bot,
  branch: GitBranch,
  memory: Brain,
  resource: Server,
  diff: FileDiff,
}

interface Group {
  readonly kind: SuggestionKind
  /** Each with its place in the whole list. */
  readonly items: readonly (readonly [number, Suggestion])[]
}

/** Neighbours of one kind, in the order of the list. */
function groupsOf(suggestions: readonly Suggestion[]): readonly Group[] {
  const kinds = [...new Set(suggestions.map(({ kind }) => kind))]
  const placed = suggestions.map((one, place) => [place, one] as const)
  return kinds.map((kind) => ({ kind, items: placed.filter(([, one]) => one.kind === kind) }))
}

export function CompletionList({ completions }: { completions: Completions }): ReactNode {
  const { listId, suggestions, query, active } = completions
  return (
    <div
      role="listbox"
      id={listId}
      aria-label={labels.suggestions}
      className="absolute inset-x-0 bottom-full mb-1 max-h-[min(22rem,50vh)] overflow-auto rounded-lg border border-line-strong bg-raised p-1"
    >
      {suggestions.length === 0 && <p className="px-2 py-1 text-muted">{labels.noSuggestions(query)}</p>}
      {groupsOf(suggestions).map(({ kind, items }) => (
        <AriaElement key={kind} role="group" aria-label={labels.suggestionGroup[kind]}>
          <p aria-hidden className="px-2 pt-1.5 pb-0.5 font-medium text-2xs text-muted">
            {labels.suggestionGroup[kind]}
          </p>
          {items.map(([place, suggestion]) => (
            <SuggestionRow
              key={`${suggestion.inserted} ${suggestion.source}`}
              id={`${listId}-${place}`}
              suggestion={suggestion}
              isActive={place === active}
              onChoose={() => completions.choose(suggestion)}
            />
          ))}
        </AriaElement>
      ))}
    </div>
  )
}

interface SuggestionRowProps {
  readonly id: string
  readonly suggestion: Suggestion
  readonly isActive: boolean
  readonly onChoose: () => void
}

function SuggestionRow({ id, suggestion, isActive, onChoose }: SuggestionRowProps): ReactNode {
  const { kind, name, hint, detail, source } = suggestion
  const Icon = icons[kind]
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    <div
      ref={row}
      role="option"
      tabIndex={-1}
      id={id}
      title={source || undefined}
      aria-selected={isActive}
      onMouseDown={(event) => {
        event.preventDefault()
        onChoose()
      }}
      className={classNames(
        'flex min-h-7 cursor-pointer items-center gap-2 rounded-md px-2 forced-colors:aria-selected:outline-2',
        isActive && 'bg-hover',
      )}
    >
      <Icon size={14} aria-hidden className="shrink-0 text-faint" />
      <span className="max-w-[60%] shrink-0 truncate font-mono text-xs">
        <VisibleText text={kind === 'window' || kind.startsWith('slash-') ? `/${name}` : name} />
      </span>
      {hint && (
        <span className="max-w-[25%] shrink-0 truncate font-mono text-faint text-xs max-sm:hidden">
          <VisibleText text={hint} />
        </span>
      )}
      {detail && (
        <span className="min-w-0 truncate text-muted text-xs">
          <VisibleText text={detail} />
        </span>
      )}
      <span className="sr-only">{labels.suggestionKind[kind]}</span>
      {source && (
        <span className="ml-auto max-w-[35%] shrink-0 truncate pl-2 text-2xs text-faint [direction:rtl] max-sm:hidden">
          <bdi>{source}</bdi>
        </span>
      )}
    </div>
  )
}
