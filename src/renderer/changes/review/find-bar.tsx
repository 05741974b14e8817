import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { useProjectId, useSession } from '../../state/hooks/hooks.tsx'
import { strings } from '../../strings/strings.ts'
import { IconButton } from '../../ui/controls/button.tsx'
import { TextInput } from '../../ui/controls/field.tsx'
import { useDebounced } from '../../ui/react/observers.ts'
import { type Match, matchesIn } from './find-matches.ts'
import { foldReasonOf } from './fold-reason.ts'
import { changeKey } from './marks/viewed.ts'

const labels = strings.fileReview
/** Milliseconds after the last key before the search begins. */
const restMs = 150
/** The search stops there, and says so. */
const mostMatches = 5000

interface FindBarProps {
  readonly branchId: BranchId
  readonly files: readonly FileChange[]
  readonly query: string
  readonly onQuery: (query: string) => void
  readonly onMatch: (match: Match) => void
  readonly onClose: () => void
}

/** Searches the changed lines of all files. */
export function FindBar({ branchId, files, query, onQuery, onMatch, onClose }: FindBarProps): ReactNode {
  const box = useRef<HTMLInputElement>(null)
  const search = useSearch(branchId, files, query)
  // Another text begins again before its first match.
  const [reached, setReached] = useState({ query, at: -1 })
  const at = reached.query === query ? reached.at : -1
  const { matches } = search
  useEffect(() => box.current?.focus(), [])

  function step(by: 1 | -1): void {
    if (matches.length === 0) return
    const next = (at + by + matches.length) % matches.length
    const place = at === -1 ? (by === 1 ? 0 : matches.length - 1) : next
    setReached({ query, at: place })
    const match = matches[place]
    if (match) onMatch(match)
  }

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    if (event.key === 'Escape') onClose()
    if (event.key !== 'Enter') return
    event.preventDefault()
    step(event.shiftKey ? -1 : 1)
  }

  return (
    <search className="flex h-9 shrink-0 items-center gap-1 border-line border-b bg-panel px-2" onKeyDown={onKeyDown}>
      <TextInput
        ref={box}
        type="search"
        aria-label={labels.findIn}
        placeholder={labels.findIn}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        className="h-7! w-64! min-w-24 shrink text-xs!"
      />
      <span role="status" className="min-w-0 flex-1 truncate px-1 text-muted text-xs tabular-nums">
        {query !== '' && labels.found({ ...search, at: at + 1, count: matches.length })}
      </span>
      <IconButton
        label={labels.previousMatch}
        keys="Shift+Enter"
        disabled={matches.length === 0}
        onClick={() => step(-1)}
      >
        <ArrowUp size={14} aria-hidden />
      </IconButton>
      <IconButton label={labels.nextMatch} keys="Enter" disabled={matches.length === 0} onClick={() => step(1)}>
        <ArrowDown size={14} aria-hidden />
      </IconButton>
      <IconButton label={labels.closeFind} keys="Esc" onClick={onClose}>
        <X size={14} aria-hidden />
      </IconButton>
    </search>
  )
}

interface Search {
  readonly matches: readonly Match[]
  readonly searched: number
  readonly of: number
  /** Very large changes, which are not searched. */
  readonly skipped: number
  /** True if there were too many matches to look further. */
  readonly stopped: boolean
}

/** The matches in all files, file after file. What was found so far is there at once. */
function useSearch(branchId: BranchId, files: readonly FileChange[], query: string): Search {
  const { queries } = useSession()
  const projectId = useProjectId()
  const wanted = useDebounced(query, restMs)
  const [found, setFound] = useState<Search>({ matches: [], searched: 0, of: 0, skipped: 0, stopped: false })
  useEffect(() => {
    let isWanted = true
    const searchable = files.filter((file) => file.added !== null && foldReasonOf(file) !== 'large')
    const skipped = files.length - searchable.length
    const show = (matches: readonly Match[], searched: number, stopped = false): void =>
      setFound({ matches, searched, of: searchable.length, skipped, stopped })
    async function search(): Promise<void> {
      const matches: Match[] = []
      let shownAt = performance.now()
      for (const [place, file] of searchable.entries()) {
        const input = { projectId, branchId, path: file.path }
        const diff = await queries.fetch({ name: 'changes.diff', input, version: changeKey(file) })
        if (!isWanted) return
        for (const match of diff.value ? matchesIn(file.path, diff.value.hunks, wanted) : []) matches.push(match)
        if (matches.length >= mostMatches && place + 1 < searchable.length) {
          return show(matches.slice(0, mostMatches), place + 1, true)
        }
        if (performance.now() - shownAt < restMs) continue
        shownAt = performance.now()
        show([...matches], place + 1)
      }
      show(matches, searchable.length)
    }
    show([], 0)
    if (wanted !== '') void search()
    return () => {
      isWanted = false
    }
  }, [branchId, files, projectId, queries, wanted])
  return found
}
