import { Bot, Brain, FileText, Folder, GitBranch, type LucideIcon, SquareSlash } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useState } from 'react'
import { useApp, useAppList, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { activeBranches, activeFamily, workspaceOf } from '../../state/store/selectors.ts'
import { strings } from '../../strings/strings.ts'
import { classNames } from '../../ui/react/class-names.ts'
import { type Completion, type ComposerCommand, complete, completionAt, composerCommands } from './completion.ts'
import { type Suggestion, type SuggestionKind, suggestionsFor } from './suggestions.ts'

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
  /** Returns true if the list used the key. */
  onKeyDown(event: KeyboardEvent): boolean
}

interface CompletedField {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly setText: (text: string) => void
  readonly onCommand: (command: ComposerCommand) => void
}

/** Completes names after `@` in a message, and commands that start with `/`. */
export function useCompletions({ field, text, setText, onCommand }: CompletedField): Completions {
  const listId = useId()
  const [completion, setCompletion] = useState<Completion | null>(null)
  const [dismissed, setDismissed] = useState<number | null>(null)
  const [active, setActive] = useState(0)
  const [caret, setCaret] = useState<number | null>(null)
  const suggestions = useSuggestions(completion)
  const isCommand = completion?.sign === '/'
  const open = completion !== null && dismissed !== completion.start && !(isCommand && suggestions.length === 0)

  useEffect(() => {
    if (caret === null) return
    field.current?.setSelectionRange(caret, caret)
    setCaret(null)
  }, [caret, field])

  function choose({ kind, name }: Suggestion): void {
    if (!completion) return
    setCompletion(null)
    field.current?.focus()
    if (kind === 'command') {
      onCommand(name as ComposerCommand)
    } else {
      const completed = complete(text, completion, name)
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
  return { open, listId, activeId, active, suggestions, query: completion?.query ?? '', choose, onSelect, onKeyDown }
}

function useSuggestions(completion: Completion | null): readonly Suggestion[] {
  const projectId = useProjectId()
  const branchId = useApp(workspaceOf)
  const agents = useAppList(activeFamily)
  const branches = useAppList(activeBranches)
  const memories = useApp((state) => state.project.memories)
  const query = completion?.sign === '@' ? completion.query : null
  const [found] = useQuery('files.find', query === null ? null : { projectId, branchId, query, limit: 20 })
  if (completion?.sign === '/') return commandsFor(completion.query)
  if (query === null) return []
  const existing = [...memories].flatMap(([name, { versions }]) => (versions.value.length === null ? [] : [name]))
  return suggestionsFor(query, found.value ?? [], { agents, branches, memories: existing })
}

function commandsFor(query: string): readonly Suggestion[] {
  return composerCommands
    .filter((name) => name.startsWith(query))
    .map((name) => ({ kind: 'command', name, detail: labels.commands[name] }))
}

const icons: Record<SuggestionKind, LucideIcon> = {
  command: SquareSlash,
  file: FileText,
  folder: Folder,
  agent: Bot,
  branch: GitBranch,
  memory: Brain,
}

export function CompletionList({ completions }: { completions: Completions }): ReactNode {
  return (
    <div
      role="listbox"
      id={completions.listId}
      aria-label={labels.suggestions}
      className="absolute inset-x-0 bottom-full mb-1 max-h-72 overflow-auto rounded-lg border border-line-strong bg-raised p-1"
    >
      {completions.suggestions.length === 0 && (
        <p className="px-2 py-1 text-muted">{labels.noSuggestions(completions.query)}</p>
      )}
      {completions.suggestions.map((suggestion, index) => (
        <SuggestionRow
          key={`${suggestion.kind} ${suggestion.name}`}
          id={`${completions.listId}-${index}`}
          suggestion={suggestion}
          isActive={index === completions.active}
          onChoose={() => completions.choose(suggestion)}
        />
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

function SuggestionRow({ id, suggestion: { kind, name, detail }, isActive, onChoose }: SuggestionRowProps): ReactNode {
  const Icon = icons[kind]
  return (
    <div
      role="option"
      tabIndex={-1}
      id={id}
      aria-selected={isActive}
      onMouseDown={(event) => {
        event.preventDefault()
        onChoose()
      }}
      className={classNames('flex cursor-pointer items-center gap-2 rounded-md px-2 py-1', isActive && 'bg-hover')}
    >
      <Icon size={14} aria-hidden className="shrink-0 text-faint" />
      <span className="min-w-0 truncate font-mono text-xs">{kind === 'command' ? `/${name}` : name}</span>
      {detail && <span className="min-w-0 truncate text-muted text-xs">{detail}</span>}
      <span className="ml-auto shrink-0 text-faint text-xs">{labels.suggestionKind[kind]}</span>
    </div>
  )
}
