import { MessageSquarePlus, UnfoldVertical } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import type { DiffHunk } from '#shared/contract/views/files.ts'
import { Button } from '../controls/button.tsx'
import { AriaElement } from '../react/elements.tsx'

interface HunkHeaderProps {
  readonly index: number
  readonly hunk: DiffHunk
  readonly label: string
  readonly comment: HunkComment | null
  readonly children: ReactNode
}

/** The button that comments on a whole hunk. */
export interface HunkComment {
  readonly word: string
  readonly label: string
  readonly onChoose: () => void
}

/** The heading of one change. `j` and `k` move the focus between headings. */
export function HunkHeader({ index, hunk, label, comment, children }: HunkHeaderProps): ReactNode {
  return (
    <AriaElement
      role="group"
      aria-label={label}
      tabIndex={-1}
      data-hunk={index}
      onKeyDown={(event) => comment && event.target === event.currentTarget && onCommentKey(event, comment)}
      className="flex h-8 items-center border-line border-y bg-panel"
    >
      <div className="sticky left-0 flex items-center gap-2">
        <HunkPlace hunk={hunk} />
        <span className="flex gap-1 font-sans">
          {children}
          {comment && <CommentButton {...comment} />}
        </span>
      </div>
    </AriaElement>
  )
}

function CommentButton({ word, label, onChoose }: HunkComment): ReactNode {
  return (
    <Button
      tone="quiet"
      icon={<MessageSquarePlus size={13} aria-hidden />}
      aria-label={label}
      aria-keyshortcuts="c"
      title={`${label} (c)`}
      onClick={onChoose}
    >
      {word}
    </Button>
  )
}

function onCommentKey(event: KeyboardEvent, { onChoose }: HunkComment): void {
  if (event.key !== 'c' || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  onChoose()
}

interface GapProps {
  readonly label: string
  readonly onOpen: () => void
}

/** A button that replaces unchanged lines. A click shows them. */
export function Gap({ label, onOpen }: GapProps): ReactNode {
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex h-6 w-full items-center gap-2 px-2 font-sans text-muted text-xs hover:bg-hover hover:text-text"
    >
      <span className="sticky left-2 flex items-center gap-2">
        <UnfoldVertical size={13} aria-hidden />
        {label}
      </span>
    </button>
  )
}

/** The place of a hunk, in the notation of a unified diff. */
export function HunkPlace({ hunk }: { hunk: DiffHunk }): ReactNode {
  return (
    <div className="whitespace-nowrap bg-panel px-2 text-faint">
      @@ -{hunk.oldStart},{hunk.oldLines} +{hunk.newStart},{hunk.newLines} @@
    </div>
  )
}

let made: Intl.NumberFormat | undefined
/** Made when the first count is drawn, because making one takes milliseconds. */
function formatLines(count: number): string {
  made ??= new Intl.NumberFormat()
  return made.format(count)
}

/** `+12 −3`, or `+12` when no line was removed; nothing for a file without lines. */
export function LineCounts({ added, removed }: { added: number | null; removed: number | null }): ReactNode {
  if (added === null || removed === null || added + removed === 0) return null
  return (
    <span className="shrink-0 whitespace-nowrap font-mono text-xs tabular-nums">
      {added > 0 && <span className="text-added-mark">+{formatLines(added)}</span>}
      {added > 0 && removed > 0 && ' '}
      {removed > 0 && <span className="text-removed-mark">−{formatLines(removed)}</span>}
    </span>
  )
}
