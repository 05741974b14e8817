import { Columns2, FolderTree, History, ListFilter, Rows3, Search, WrapText } from 'lucide-react'
import type { ReactNode } from 'react'
import { keysHere } from '../../state/preferences/keymap.ts'
import { strings } from '../../strings/strings.ts'
import { IconButton } from '../../ui/controls/button.tsx'
import { TextInput } from '../../ui/controls/field.tsx'
import type { ReviewLook } from './use-review-look.ts'

const labels = strings.fileReview

interface ReviewToolbarProps {
  readonly look: ReviewLook
  readonly filter: string
  readonly onFilter: (filter: string) => void
  readonly shown: number
  readonly viewed: number
  readonly of: number
  /** Whether only what changed since the last look is shown; null for a first look. */
  readonly since: boolean | null
  readonly onSince: (only: boolean) => void
  readonly finding: boolean
  readonly onFind: () => void
}

/** How much of a review is done, which files it shows, and how. */
export function ReviewToolbar(props: ReviewToolbarProps): ReactNode {
  const { look, filter, onFilter, shown, viewed, of, since, onSince, finding, onFind } = props
  return (
    <div
      role="toolbar"
      aria-label={labels.toolbar}
      className="flex h-9 shrink-0 items-center gap-1 border-line border-b px-2"
    >
      <IconButton label={labels.tree} aria-pressed={look.tree} onClick={() => look.setTree(!look.tree)}>
        <FolderTree size={14} aria-hidden />
      </IconButton>
      <span className="relative min-w-0 max-w-64 flex-1">
        <ListFilter size={13} aria-hidden className="absolute top-2 left-2 text-faint" />
        <TextInput
          type="search"
          aria-label={labels.filter}
          placeholder={labels.filter}
          value={filter}
          onChange={(event) => onFilter(event.target.value)}
          className="h-7! w-full pl-7! text-xs!"
        />
      </span>
      <IconButton
        label={labels.since}
        title={since === null ? labels.sinceNever : labels.sinceHint}
        aria-pressed={since ?? false}
        disabled={since === null}
        onClick={() => onSince(!since)}
      >
        <History size={14} aria-hidden />
      </IconButton>
      {(filter !== '' || since) && (
        <span role="status" className="shrink-0 text-muted text-xs">
          {labels.filtered(shown, of)}
        </span>
      )}
      <span className="ml-auto flex shrink-0 items-center gap-2 text-muted text-xs" title={labels.viewedHint}>
        <Progress share={of === 0 ? 0 : viewed / of} />
        {labels.viewedCount(viewed, of)}
      </span>
      <IconButton label={labels.find} keys={keysHere('Mod+F')} aria-pressed={finding} onClick={onFind}>
        <Search size={14} aria-hidden />
      </IconButton>
      <IconButton
        label={labels.wrap}
        aria-pressed={look.wrap || look.layout === 'split'}
        disabled={look.layout === 'split'}
        onClick={() => look.setWrap(!look.wrap)}
      >
        <WrapText size={14} aria-hidden />
      </IconButton>
      <span className="flex">
        <IconButton
          label={strings.common.unified}
          aria-pressed={look.layout === 'unified'}
          onClick={() => look.setLayout('unified')}
        >
          <Rows3 size={14} aria-hidden />
        </IconButton>
        <IconButton
          label={strings.common.split}
          aria-pressed={look.layout === 'split'}
          disabled={!look.fitsTwo}
          onClick={() => look.setLayout('split')}
        >
          <Columns2 size={14} aria-hidden />
        </IconButton>
      </span>
    </div>
  )
}

function Progress({ share }: { readonly share: number }): ReactNode {
  return (
    <span aria-hidden className="h-1 w-16 overflow-hidden rounded-full bg-hover max-md:hidden">
      <span className="block h-full bg-good" style={{ width: `${share * 100}%` }} />
    </span>
  )
}
